import { formatOutpoint, type Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { type Carried, carriedBy } from '@ordbook/indexer/coins/other-contents.ts'
import { listInscriptionsIn } from '@ordbook/indexer/inscriptions/queries.ts'
import type { Context } from '../context.ts'

/** An inscription and the confirmed coin that it is in. */
interface Held {
  inscriptionId: string
  coin: Outpoint
}

/** Maximum number of inscriptions listed in one response. A coin can hold any number. */
const MAX_NAMED = 1000

/**
 * The other contents of inscriptions' coins, for preflight responses: other inscriptions from the index, also on the same sat, and runes
 * from the ord server. Returns nothing if there is no ord server and the index finds nothing.
 */
export async function describeCarries(
  context: Pick<Context, 'sql' | 'ord' | 'config'>,
  items: readonly Held[],
): Promise<{ carries?: (Carried & { inscriptionId: string })[] }> {
  const coins = items.map(({ coin }) => coin)
  const byOrd = await carriedBy(context, coins)
  const contents = new Map<string, Map<string, Carried>>()
  const put = (outpoint: string, each: Carried) => {
    const known = contents.get(outpoint) ?? new Map()
    contents.set(outpoint, known.set(`${each.kind} ${each.name}`, each))
  }
  for (const { inscriptionId, ...outpoint } of await listInscriptionsIn(context.sql, coins, MAX_NAMED))
    put(formatOutpoint(outpoint), { kind: 'inscription', name: inscriptionId })
  for (const [outpoint, carried] of byOrd ?? []) for (const each of carried) put(outpoint, each)
  const carries = items.flatMap(({ inscriptionId, coin }) =>
    [...(contents.get(formatOutpoint(coin))?.values() ?? [])]
      .filter(({ kind, name }) => !(kind === 'inscription' && name === inscriptionId))
      .map((each) => ({ inscriptionId, ...each })),
  )
  return byOrd || carries.length > 0 ? { carries } : {}
}
