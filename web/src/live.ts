import { useEffect, useSyncExternalStore } from 'react'
import { queries } from './client.ts'
import { applyEvents } from './live/apply-events.ts'
import { KINDS, type MarketEvent, marketEvent } from './live/market-event.ts'

/** Events within this time are applied together. */
const GATHER_MILLISECONDS = 300
/** The least time between two rounds, so that a busy market costs a visitor few reads. */
const REST_MILLISECONDS = 1000
/** More of them, as after a tab slept, cost more than reading everything that is shown again. */
const MOST_GATHERED = 1000

let connected = false
const watchers = new Set<() => void>()
const say = (now: boolean) => {
  if (connected === now) return
  connected = now
  for (const watcher of watchers) watcher()
}

/** Whether the event stream is connected. */
export const useLive = () =>
  useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
    () => connected,
  )

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
      else applyEvents(queries, events)
    }
    const source = new EventSource('/events')
    source.onopen = () => say(true)
    source.onerror = () => say(false)
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
      say(false)
    }
  }, [])
}
