import { isRetryable } from '@ordbook/sdk/errors.ts'
import { useEffect } from 'react'
import { client, queries } from '../api/client.ts'
import { isUnanswered } from '../api/error-text.ts'
import { firstEvent } from '../api/first-answers.ts'
import { createStore } from '../state/create-store.ts'
import { type Connection, freshnessOf } from './freshness.ts'
import { KINDS, type MarketEvent, marketEvent } from './market-event.ts'

/** Events within this time are applied in one batch. */
const BATCH_MS = 300
/** Minimum time between batches. */
const MIN_INTERVAL_MS = 1000
/** Refetching everything is cheaper above this number of events. */
const MAX_BATCH = 1000

const connection = createStore<Connection>({ isConnected: false, isUnreachable: false })

export const useLive = () => connection.use(() => connection.get().isConnected)

function connect(change: Partial<Connection>): void {
  const now = { ...connection.get(), ...change }
  const { isConnected, isUnreachable } = connection.get()
  if (now.isConnected !== isConnected || now.isUnreachable !== isUnreachable) connection.set(now)
}

let lastAnswer = Date.now()
queries.getQueryCache().subscribe((event) => {
  if (event.type !== 'updated' || event.action.type !== 'success') return
  lastAnswer = Date.now()
  // Without a network, this may be the response to a request from before. The probe's own result is manual.
  if (connection.get().isUnreachable && !navigator.onLine && !event.action.manual) return probe()
  connect({ isUnreachable: false })
  repeatFailed()
})
const silence = createStore(0)

/** Minimum time between two repetitions of failed reads. */
const REPEAT_MS = 3000
let repeatedAt = Number.NEGATIVE_INFINITY

/** Repeats the reads on screen that failed during an outage. Called when the market responds. */
function repeatFailed(): void {
  if (performance.now() - repeatedAt < REPEAT_MS) return
  repeatedAt = performance.now()
  void queries.refetchQueries({
    type: 'active',
    predicate: ({ state: { status, error, fetchStatus } }) =>
      status === 'error' && fetchStatus === 'idle' && (isUnanswered(error) || isRetryable(error)),
  })
}

/** Deadline of a probe. */
const PROBE_MS = 3000

/**
 * Asks the market when the browser reports that it went offline or online. An open connection would hide it for up to 45 seconds. A market
 * on this machine responds without a network.
 */
function probe(): void {
  client.call('getStatus', {}, { deadlineMilliseconds: PROBE_MS }).then(
    (status) => void queries.setQueryData(['getStatus', {}], status),
    (error: unknown) => connect({ isUnreachable: isUnanswered(error) && !navigator.onLine }),
  )
}
addEventListener('offline', probe)
addEventListener('online', probe)

/** Returns the freshness of the data and the seconds since the last response. */
export function useFreshness() {
  const now = connection.use()
  const seconds = silence.use()
  return { silence: seconds, claim: freshnessOf(now, seconds) }
}

/** Returns true if the market is unreachable. */
export const useIsLost = (): boolean => {
  const now = connection.use()
  return silence.use(() => freshnessOf(now, silence.get()) === 'lost')
}

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
    source.onopen = () => {
      connect({ isConnected: true, isUnreachable: false })
      repeatFailed()
    }
    source.onerror = () => connect({ isConnected: false })
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
      connect({ isConnected: false })
    }
  }, [account])
}
