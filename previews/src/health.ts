import type { Figure, Health } from '@ordbook/process/health.ts'
import type { Outages } from './outages.ts'

export function rendererHealth(
  outages: Outages,
  { lanes, hasBrowser }: { lanes: number; hasBrowser: boolean },
): Health & { count: (kind: string, result: 'rendered' | 'failed') => void } {
  const pieces = new Map<string, { labels: { kind: string; result: string }; count: number }>()
  const figures = (): Figure[] => [
    {
      name: 'ordbook_renderer_workers',
      help: 'Concurrent workers.',
      values: [
        [{ state: 'working' }, lanes - outages.count],
        [{ state: 'stopped' }, outages.count],
      ],
    },
    {
      name: 'ordbook_renderer_items_total',
      help: 'Items processed.',
      values: [...pieces.values()].map(({ labels, count }) => [labels, count]),
    },
  ]
  return {
    role: 'previews',
    readiness: () =>
      outages.reason === null
        ? { state: hasBrowser ? 'working' : 'without-browser', reason: null }
        : { state: 'waiting', reason: `${outages.count} of ${lanes} workers failed: ${outages.reason}` },
    figures,
    count(kind, result) {
      const key = `${kind} ${result}`
      const entry = pieces.get(key)
      if (entry) entry.count += 1
      else pieces.set(key, { labels: { kind, result }, count: 1 })
    },
  }
}
