import { formatOutpoint, type Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { type Carried, otherContentsOf } from '@ordbook/indexer/coins/other-contents.ts'
import { listInscriptionsIn } from '@ordbook/indexer/inscriptions/queries.ts'
import type { Context } from '../context.ts'

interface ConfirmedItem {
  inscriptionId: string
  coin: Outpoint
}

/** Maximum inscriptions in one response. A coin can contain any number. */
const MAX_NAMED = 1000

/** Returns the other inscriptions and runes in the coins of a preflight. Omits `carries` if there are none. */
export async function describeOtherContents(
  context: Pick<Context, 'sql' | 'ord' | 'config'>,
  items: readonly ConfirmedItem[],
): Promise<{ carries?: (Carried & { inscriptionId: string })[] }> {
  const coins = items.map(({ coin }) => coin)
  const byOrd = await otherContentsOf(context, coins)
  const contents = new Map<string, Map<string, Carried>>()
  const add = (outpoint: string, content: Carried) => {
    const ofCoin = contents.get(outpoint) ?? new Map()
    contents.set(outpoint, ofCoin.set(`${content.kind} ${content.name}`, content))
  }
  for (const { inscriptionId, ...outpoint } of await listInscriptionsIn(context.sql, coins, MAX_NAMED))
    add(formatOutpoint(outpoint), { kind: 'inscription', name: inscriptionId })
  for (const [outpoint, carried] of byOrd ?? []) for (const content of carried) add(outpoint, content)
  const carries = items.flatMap(({ inscriptionId, coin }) =>
    [...(contents.get(formatOutpoint(coin))?.values() ?? [])]
      .filter(({ kind, name }) => !(kind === 'inscription' && name === inscriptionId))
      .map((content) => ({ inscriptionId, ...content })),
  )
  return byOrd || carries.length > 0 ? { carries } : {}
}
