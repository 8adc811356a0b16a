import { useEffect } from 'react'
import { queries } from '../api/client.ts'
import { firstEvent } from '../api/first-answers.ts'
import { createStore } from '../state/create-store.ts'
import { freshnessOf } from './freshness.ts'
import { KINDS, type MarketEvent, marketEvent } from './market-event.ts'

/** Events within this time are applied in one batch. */
const GATHER_MILLISECONDS = 300
/** Minimum time between batches, so that a busy market costs each visitor few reads. */
const REST_MILLISECONDS = 1000
/** For more events, e.g. after the tab was suspended, refetching everything is cheaper. */
const MAX_GATHERED = 1000

const connected = createStore(false)

/** Whether the event stream is connected. */
export const useLive = () => connected.use()

let lastAnswer = Date.now()
// Every applied event updates the cache, by a patch or a refetch.
queries.getQueryCache().subscribe((event) => {
  if (event.type === 'updated' && event.action.type === 'success') lastAnswer = Date.now()
})
/** Seconds since the last response. */
const silence = createStore(0)

/** How fresh the shown data is, and the seconds since the last response. */
export function useFreshness() {
  const isConnected = useLive()
  const seconds = silence.use()
  return { silence: seconds, claim: freshnessOf(isConnected, seconds) }
}

/** True if the market is unreachable: prices may be outdated and trades cannot start. */
export const useIsLost = (): boolean =>
  silence.use(() => freshnessOf(connected.get(), silence.get()) === 'lost')

/** Subscribes to the market's events and applies them to the cache. The browser reconnects by itself after an error. */
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
      if (events.length > MAX_GATHERED) void queries.invalidateQueries()
      // The code for events is loaded on first use. If it fails to load, refetch everything that is shown.
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
        if (gathered.length <= MAX_GATHERED) gathered.push(marketEvent(kind, String(data)))
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
