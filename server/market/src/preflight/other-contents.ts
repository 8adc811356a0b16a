import { formatOutpoint, type Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { type Carried, carriedBy } from '@ordbook/indexer/coins/other-contents.ts'
import type { Context } from '../context.ts'

/** An inscription and the confirmed coin that it is in. */
interface Held {
  inscriptionId: string
  coin: Outpoint
}

/** Describes what coins hold besides their inscriptions, for the answers of preflights; gives no member without an ord server. */
export async function describeCarries(
  context: Pick<Context, 'sql' | 'ord' | 'config'>,
  items: readonly Held[],
): Promise<{ carries?: (Carried & { inscriptionId: string })[] }> {
  const carried = await carriedBy(
    context,
    items.map(({ coin }) => coin),
  )
  if (!carried) return {}
  return {
    carries: items.flatMap(({ inscriptionId, coin }) =>
      (carried.get(formatOutpoint(coin)) ?? [])
        .filter(({ kind, name }) => !(kind === 'inscription' && name === inscriptionId))
        .map((each) => ({ inscriptionId, ...each })),
    ),
  }
}
