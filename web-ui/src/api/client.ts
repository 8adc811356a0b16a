import { assertAnswerSchema } from '@ordbook/sdk/answer-forms.ts'
import { type CallOptions, Client } from '@ordbook/sdk/client.ts'
import { ApiError, isRetryable } from '@ordbook/sdk/errors.ts'
import type { Answer, Input, OperationId } from '@ordbook/sdk/operations.ts'
import { keepPreviousData, QueryClient, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { loadRefusals } from '../strings/errors.ts'
import { firstReadAt, takeFirst } from './first-answers.ts'

/** Loads the error texts before an API error is thrown. */
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

/** API client of all pages, authenticated by the session cookie. */
export const client = new PageClient(`${location.origin}/web/v1`)
client.checkAnswer = assertAnswerSchema

/** Reads with a longer Retry-After, in seconds, are not retried. */
const MAX_RETRY_AFTER_SECONDS = 5
const retryDelaySeconds = (error: unknown) => (error instanceof ApiError ? (error.retryAfterSeconds ?? 1) : 1)

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      retry: (count, error) =>
        count < 2 && isRetryable(error) && retryDelaySeconds(error) <= MAX_RETRY_AFTER_SECONDS,
      retryDelay: (_, error) => retryDelaySeconds(error) * 1000,
      refetchOnWindowFocus: true,
      // A market on this machine responds while the browser is offline.
      networkMode: 'always',
    },
  },
})

/** Reads an operation. The result is cached and refetched on live events. */
export function useRead<Id extends OperationId>(
  id: Id,
  input: Input<Id> = {},
  options: {
    enabled?: boolean
    keep?: boolean
    refetchInterval?: number
    /** Stops refetching once it returns true. */
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

/** Debounces typed text by 200 ms. Clearing it takes effect immediately. */
export function useSettled(text: string): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), 200)
    return () => clearTimeout(timer)
  }, [text])
  return text === '' ? '' : settled
}

type Paged = { pagination: { nextCursor: string | null } } | { nextCursor: string | null }

/** Query key of a list that is read by page. */
export const pagesKey = <Id extends OperationId>(id: Id, input: Input<Id>) => [id, input, 'pages'] as const

export function usePages<Id extends OperationId>(
  id: Id,
  input: Input<Id>,
  options: { enabled?: boolean } = {},
) {
  return useInfiniteQuery({
    queryKey: pagesKey(id, input),
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
