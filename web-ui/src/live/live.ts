import { useEffect } from 'react'
import { queries } from '../api/client.ts'
import { firstEvent } from '../api/first-answers.ts'
import { createStore } from '../state/create-store.ts'
import { freshnessOf } from './freshness.ts'
import { KINDS, type MarketEvent, marketEvent } from './market-event.ts'

/** Events within this time are applied in one batch. */
const BATCH_MS = 300
/** Minimum time between batches. */
const MIN_INTERVAL_MS = 1000
/** Refetching everything is cheaper above this number of events. */
const MAX_BATCH = 1000

const connected = createStore(false)

export const useLive = () => connected.use()

let lastAnswer = Date.now()
queries.getQueryCache().subscribe((event) => {
  if (event.type === 'updated' && event.action.type === 'success') lastAnswer = Date.now()
})
const silence = createStore(0)

/** Returns the freshness of the data and the seconds since the last response. */
export function useFreshness() {
  const isConnected = useLive()
  const seconds = silence.use()
  return { silence: seconds, claim: freshnessOf(isConnected, seconds) }
}

/** Returns true if the market is unreachable. */
export const useIsLost = (): boolean =>
  silence.use(() => freshnessOf(connected.get(), silence.get()) === 'lost')

/** Subscribes to the market's events and applies them to the cache. A new `account` reconnects, for its private events. */
export function useLiveEvents(account: string | undefined): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the session cookie decides which events the server sends.
  useEffect(() => {
    let batch: MarketEvent[] = []
    let timer: ReturnType<typeof setTimeout> | undefined
    let appliedAt = -MIN_INTERVAL_MS
    const apply = () => {
      timer = undefined
      appliedAt = performance.now()
      const events = batch
      batch = []
      if (events.length > MAX_BATCH) void queries.invalidateQueries()
      // Refetch everything if the code for events fails to load.
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
        if (batch.length <= MAX_BATCH) batch.push(marketEvent(kind, String(data)))
        const delayMs = appliedAt + MIN_INTERVAL_MS - performance.now()
        timer ??= setTimeout(apply, Math.max(BATCH_MS, delayMs))
      })
    return () => {
      source.close()
      clearTimeout(timer)
      clearInterval(clock)
      connected.set(false)
    }
  }, [account])
}
