import type { Answer } from '@ordbook/sdk/operations.ts'
import { client } from '@ordbook/web-ui/api/client.ts'
import { useSession } from '@ordbook/web-ui/session/session.tsx'
import { useQueries } from '@tanstack/react-query'

export type BestBid = Answer<'listBestBids'>['bids'][number]['bid']

const MAX_AT_ONCE = 48

export function inputsOf(inscriptionIds: readonly string[]) {
  const inputs = []
  for (let at = 0; at < inscriptionIds.length; at += MAX_AT_ONCE)
    inputs.push({ query: { inscriptionIds: inscriptionIds.slice(at, at + MAX_AT_ONCE).join(',') } })
  return inputs
}

/** Returns the best bid on each of the visitor's inscriptions, if any. */
export function useBestBids(inscriptionIds: readonly string[]): ReadonlyMap<string, BestBid> {
  const { account } = useSession()
  return useQueries({
    queries: (account ? inputsOf(inscriptionIds) : []).map((input) => ({
      queryKey: ['listBestBids', input],
      queryFn: () => client.call('listBestBids', input),
    })),
    combine: byInscription,
  })
}

const byInscription = (found: readonly { data: Answer<'listBestBids'> | undefined }[]) =>
  new Map(
    found.flatMap(({ data }) => (data?.bids ?? []).map(({ inscriptionId, bid }) => [inscriptionId, bid])),
  )
