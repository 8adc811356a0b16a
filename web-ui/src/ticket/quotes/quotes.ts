import type { Answer, Input } from '@ordbook/sdk/operations.ts'
import { keepPreviousData, useQueries } from '@tanstack/react-query'
import { client, useSettled } from '../../api/client.ts'
import { useSession } from '../../session/session.tsx'

type QuoteId = 'quoteListing' | 'quoteOffers' | 'quoteCollectionOffers' | 'quoteCounter'

/** `isPending`: `data` does not match the current fields yet. */
export interface Quoted<T> {
  data: T | undefined
  error: unknown
  isPending: boolean
}

/** Returns quotes when the visitor stops typing. Refreshed every minute and by live events. */
export function useQuotes<Id extends QuoteId>(id: Id, inputs: readonly Input<Id>[]): Quoted<Answer<Id>>[] {
  const { account } = useSession()
  const currentKey = JSON.stringify(inputs)
  const settledKey = useSettled(currentKey)
  const settledInputs: readonly Input<Id>[] = JSON.parse(settledKey)
  const found = useQueries({
    queries: settledInputs.map((input) => ({
      queryKey: [id, input],
      queryFn: () => client.call(id, input),
      enabled: account !== undefined,
      placeholderData: keepPreviousData,
      refetchInterval: 60_000,
    })),
  })
  return found.map(({ data, error, isPlaceholderData }) => ({
    data,
    error,
    isPending: settledKey !== currentKey || isPlaceholderData || (data === undefined && error === null),
  }))
}

export const NOT_YET = { data: undefined, error: null, isPending: true }

interface Funded {
  exact: boolean
  missingSats: number | null
}

/** Quotes an offer. Prefers coins that back no other offer, unless `isAnyCoin`. */
export function useOrderQuote<Id extends 'quoteOffers' | 'quoteCollectionOffers'>(
  id: Id,
  inputOf: ((of: { keepOffers?: boolean }) => Input<Id>) | null,
  isAnyCoin: boolean,
): Quoted<Answer<Id> & Funded> | null {
  const [free] = useQuotes(id, inputOf && !isAnyCoin ? [inputOf({ keepOffers: true })] : [])
  const isShort = free?.data !== undefined && (free.data as Funded).missingSats !== null
  const [any] = useQuotes(id, inputOf && (isAnyCoin || isShort) ? [inputOf({})] : [])
  return inputOf && ((isAnyCoin || isShort ? any : free) ?? NOT_YET)
}
