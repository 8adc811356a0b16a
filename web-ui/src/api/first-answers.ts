import { hashKey } from '@tanstack/react-query'

/** The part of the document that holds data: the answers to the first reads of its page, and the event after which they were read. */
interface First {
  since: string | null
  reads: [key: readonly unknown[], answer: unknown][]
}

const first: Partial<First> = JSON.parse(document.getElementById('first')?.textContent || '{}')
const answers = new Map(first.reads?.map(([key, answer]) => [hashKey(key), answer]))

/** The id of the last live event that the answers may already show. */
export const firstEvent = first.since

/** Takes the answer to a read out of the document: a read is answered from there once. */
export function takeFirst(id: string, input: unknown): unknown {
  const key = hashKey([id, input])
  const answer = answers.get(key)
  answers.delete(key)
  return answer
}

/** When the answers were read: just now, but for a document that the browser had kept, which is read again. */
export const firstReadAt = (): number =>
  (performance.getEntriesByType('navigation')[0] as PerformanceNavigationTiming | undefined)?.transferSize
    ? performance.timeOrigin
    : 0
