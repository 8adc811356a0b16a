import { type CallOptions, Client } from '@ordbook/sdk/client.ts'
import { ApiError, isRetryable } from '@ordbook/sdk/errors.ts'
import type { Answer, Input, OperationId } from '@ordbook/sdk/operations.ts'
import { keepPreviousData, QueryClient, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { loadRefusals } from '../strings/errors.ts'
import { firstReadAt, takeFirst } from './first-answers.ts'

/** The words for a refusal are there before the refusal is. */
class PageClient extends Client {
  override async call<Id extends OperationId>(id: Id, input: Input<Id> = {}, options: CallOptions = {}) {
    try {
      return await super.call(id, input, options)
    } catch (error) {
      if (error instanceof ApiError) await loadRefusals()
      throw error
    }
  }
}

/** The one client of these pages: the storefront's surface of the server that they came from, with its cookie. */
export const client = new PageClient(`${location.origin}/web/v1`)

/** A page retries by itself after at most so many seconds; it reports a longer wait to the visitor. */
const LONGEST_SILENCE = 5
const waitOf = (error: unknown) => (error instanceof ApiError ? (error.retryAfterSeconds ?? 1) : 1)

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      retry: (count, error) => count < 2 && isRetryable(error) && waitOf(error) <= LONGEST_SILENCE,
      retryDelay: (_, error) => waitOf(error) * 1000,
      refetchOnWindowFocus: true,
    },
  },
})

/** Reads an operation and caches its answer by id and input; live events (live.ts) have it read again. */
export function useRead<Id extends OperationId>(
  id: Id,
  input: Input<Id> = {},
  options: {
    enabled?: boolean
    keep?: boolean
    refetchInterval?: number
    /** Whether an answer is the last: it is not read again then, by itself or by an event. */
    until?: (answer: Answer<Id>) => boolean
  } = {},
) {
  const { enabled = true, keep, refetchInterval, until } = options
  return useQuery({
    queryKey: [id, input],
    queryFn: () => client.call(id, input),
    initialData: () => takeFirst(id, input) as Answer<Id> | undefined,
    initialDataUpdatedAt: firstReadAt,
    enabled: until
      ? ({ state: { data } }) => enabled && (data === undefined || !until(data as Answer<Id>))
      : enabled,
    ...(keep ? { placeholderData: keepPreviousData } : {}),
    ...(refetchInterval ? { refetchInterval } : {}),
  })
}

/** A text once the visitor has paused typing, so that not every letter becomes a request. */
export function useSettled(text: string): string {
  const [settled, settle] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => settle(text), 200)
    return () => clearTimeout(timer)
  }, [text])
  return text === '' ? '' : settled
}

/** The two ways in which pages say where the next begins. */
type Paged = { pagination: { nextCursor: string | null } } | { nextCursor: string | null }

/** The same page after page. */
export function usePages<Id extends OperationId>(
  id: Id,
  input: Input<Id>,
  options: { enabled?: boolean } = {},
) {
  return useInfiniteQuery({
    queryKey: [id, input, 'pages'],
    queryFn: ({ pageParam }) =>
      client.call(id, {
        ...input,
        query: { ...input.query, ...(pageParam ? { cursor: pageParam } : {}) },
      } as Input<Id>),
    initialPageParam: '',
    initialData: () => {
      const page = takeFirst(id, input) as Answer<Id> | undefined
      return page && { pages: [page], pageParams: [''] }
    },
    initialDataUpdatedAt: firstReadAt,
    getNextPageParam: (last: Answer<Id>) => {
      const page = last as Paged
      return ('pagination' in page ? page.pagination : page).nextCursor ?? undefined
    },
    placeholderData: keepPreviousData,
    enabled: options.enabled ?? true,
  })
}
