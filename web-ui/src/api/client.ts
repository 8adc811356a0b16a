import { type CallOptions, Client } from '@ordbook/sdk/client.ts'
import { ApiError, isRetryable } from '@ordbook/sdk/errors.ts'
import type { Answer, Input, OperationId } from '@ordbook/sdk/operations.ts'
import { keepPreviousData, QueryClient, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { loadRefusals } from '../strings/errors.ts'
import { firstReadAt, takeFirst } from './first-answers.ts'

/** Loads the error messages before it throws an API error, so that they can be shown synchronously. */
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

/** The API client of all pages: the `/web/v1` endpoints of this origin, authenticated by the session cookie. */
export const client = new PageClient(`${location.origin}/web/v1`)

/** Longest Retry-After, in seconds, for which a read is retried automatically. Longer ones are shown as errors. */
const MAX_SILENCE = 5
const waitOf = (error: unknown) => (error instanceof ApiError ? (error.retryAfterSeconds ?? 1) : 1)

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      retry: (count, error) => count < 2 && isRetryable(error) && waitOf(error) <= MAX_SILENCE,
      retryDelay: (_, error) => waitOf(error) * 1000,
      refetchOnWindowFocus: true,
    },
  },
})

/** Reads an operation, cached by id and input. Live events refetch it. */
export function useRead<Id extends OperationId>(
  id: Id,
  input: Input<Id> = {},
  options: {
    enabled?: boolean
    keep?: boolean
    refetchInterval?: number
    /** Returns true for a final response, which is not refetched, neither by interval nor by an event. */
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

/** Debounces a text that the visitor types, by 200 ms; an empty text takes effect immediately. */
export function useSettled(text: string): string {
  const [settled, settle] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => settle(text), 200)
    return () => clearTimeout(timer)
  }, [text])
  return text === '' ? '' : settled
}

/** Operations return their next cursor in one of these two forms. */
type Paged = { pagination: { nextCursor: string | null } } | { nextCursor: string | null }

/** Like `useRead`, for paginated operations. */
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
