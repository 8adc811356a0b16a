import { useEffect } from 'react'
import { queries } from '../api/client.ts'
import { firstEvent } from '../api/first-answers.ts'
import { createStore } from '../state/create-store.ts'
import { freshnessOf } from './freshness.ts'
import { KINDS, type MarketEvent, marketEvent } from './market-event.ts'

/** Events within this time are applied together. */
const GATHER_MILLISECONDS = 300
/** The least time between two rounds, so that a busy market costs a visitor few reads. */
const REST_MILLISECONDS = 1000
/** More of them, as after a tab slept, cost more than reading everything that is shown again. */
const MOST_GATHERED = 1000

const connected = createStore(false)

/** Whether the event stream is connected. */
export const useLive = () => connected.use()

let lastAnswer = Date.now()
// Events patch answers or have them read again: either way an answer arrives in the cache.
queries.getQueryCache().subscribe((event) => {
  if (event.type === 'updated' && event.action.type === 'success') lastAnswer = Date.now()
})
/** Seconds since the last answer of the market. */
const silence = createStore(0)

/** The claim that the pages may make now, and the seconds since their last answer of the market. */
export function useFreshness() {
  const isConnected = useLive()
  const seconds = silence.use()
  return { silence: seconds, claim: freshnessOf(isConnected, seconds) }
}

/** Whether the market is out of reach: prices may be old, and no trade can begin. */
export const useIsLost = (): boolean =>
  silence.use(() => freshnessOf(connected.get(), silence.get()) === 'lost')

/** Subscribes to the market's events and applies them to what the pages hold; the browser resumes a broken stream by itself. */
export function useLiveEvents(): void {
  useEffect(() => {
    let gathered: MarketEvent[] = []
    let timer: ReturnType<typeof setTimeout> | undefined
    let appliedAt = -REST_MILLISECONDS
    const apply = () => {
      timer = undefined
      appliedAt = performance.now()
      const events = gathered
      gathered = []
      if (events.length > MOST_GATHERED) void queries.invalidateQueries()
      // A page on which nothing happens needs no code for events; without it, all that is shown is read again.
      else
        void import('./apply-events.ts').then(
          ({ applyEvents }) => applyEvents(queries, events),
          () => queries.invalidateQueries(),
        )
    }
    const clock = setInterval(() => silence.set(Math.floor((Date.now() - lastAnswer) / 1000)), 1000)
    const source = new EventSource(firstEvent ? `/events?since=${firstEvent}` : '/events')
    source.onopen = () => connected.set(true)
    source.onerror = () => connected.set(false)
    source.addEventListener('reset', () => void queries.invalidateQueries())
    for (const kind of KINDS)
      source.addEventListener(kind, ({ data }) => {
        if (gathered.length <= MOST_GATHERED) gathered.push(marketEvent(kind, String(data)))
        const rest = appliedAt + REST_MILLISECONDS - performance.now()
        timer ??= setTimeout(apply, Math.max(GATHER_MILLISECONDS, rest))
      })
    return () => {
      source.close()
      clearTimeout(timer)
      clearInterval(clock)
      connected.set(false)
    }
  }, [])
}
