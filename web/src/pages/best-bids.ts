import type { Answer } from '@ordbook/sdk/operations.ts'
import { useQueries } from '@tanstack/react-query'
import { client } from '../client.ts'
import { useSession } from '../session.tsx'

export type BestBid = Answer<'listBestBids'>['bids'][number]['bid']

/** Most inscriptions of one read. */
const MOST_AT_ONCE = 48

/** The best bid on each of the visitor's own inscriptions that has one, by inscription. */
export function useBestBids(inscriptionIds: readonly string[]): ReadonlyMap<string, BestBid> {
  const { account } = useSession()
  const chunks: string[] = []
  for (let at = 0; at < inscriptionIds.length; at += MOST_AT_ONCE)
    chunks.push(inscriptionIds.slice(at, at + MOST_AT_ONCE).join(','))
  return useQueries({
    queries: (account ? chunks : []).map((chunk) => {
      const input = { query: { inscriptionIds: chunk } }
      return { queryKey: ['listBestBids', input], queryFn: () => client.call('listBestBids', input) }
    }),
    combine: byInscription,
  })
}

const byInscription = (found: readonly { data: Answer<'listBestBids'> | undefined }[]) =>
  new Map(
    found.flatMap(({ data }) => (data?.bids ?? []).map(({ inscriptionId, bid }) => [inscriptionId, bid])),
  )
