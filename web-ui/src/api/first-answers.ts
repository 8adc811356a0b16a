import { hashKey } from '@tanstack/react-query'

/** Responses embedded in the document: the page's first reads, and the last event before them. */
interface First {
  since: string | null
  reads: [key: readonly unknown[], answer: unknown][]
}

const first: Partial<First> = JSON.parse(document.getElementById('first')?.textContent || '{}')
const answers = new Map(first.reads?.map(([key, answer]) => [hashKey(key), answer]))

/** Id of the last event that the embedded responses may already include. */
export const firstEvent = first.since

/** Returns the embedded response of a read and removes it: it is used once. */
export function takeFirst(id: string, input: unknown): unknown {
  const key = hashKey([id, input])
  const answer = answers.get(key)
  answers.delete(key)
  return answer
}

/**
 * Time at which the embedded responses were read: page load, or 0 if the document came from the browser cache, so that they are refetched.
 */
export const firstReadAt = (): number =>
  (performance.getEntriesByType('navigation')[0] as PerformanceNavigationTiming | undefined)?.transferSize
    ? performance.timeOrigin
    : 0
