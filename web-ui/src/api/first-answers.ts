import { hashKey } from '@tanstack/react-query'

/** First reads of the page, embedded in the document. */
interface First {
  since: string | null
  reads: [key: readonly unknown[], answer: unknown][]
}

const first: Partial<First> = JSON.parse(document.getElementById('first')?.textContent || '{}')
const answers = new Map(first.reads?.map(([key, answer]) => [hashKey(key), answer]))

/** Last event that the embedded responses may include. */
export const firstEvent = first.since

/** Removes and returns the embedded response of a read. */
export function takeFirst(id: string, input: unknown): unknown {
  const key = hashKey([id, input])
  const answer = answers.get(key)
  answers.delete(key)
  return answer
}

/** Time of the embedded responses, or 0 if the document came from the browser cache. */
export const firstReadAt = (): number =>
  (performance.getEntriesByType('navigation')[0] as PerformanceNavigationTiming | undefined)?.transferSize
    ? performance.timeOrigin
    : 0
