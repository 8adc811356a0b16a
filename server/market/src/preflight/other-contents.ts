import { formatOutpoint, type Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { Queryable } from '@ordbook/db/driver/connect.ts'
import { type Carried, needsRunes, otherContentsOf } from '@ordbook/indexer/coins/other-contents.ts'
import { listProven } from '@ordbook/indexer/coins/rune-proofs.ts'
import { listInscriptionsIn } from '@ordbook/indexer/inscriptions/queries.ts'
import type { Context } from '../context.ts'

interface ConfirmedItem {
  inscriptionId: string
  coin: Outpoint
}

/** Maximum inscriptions in one response. A coin can contain any number. */
const MAX_NAMED = 1000

/**
 * Returns the other inscriptions and runes in the coins of a preflight, and the coins that may have runes. Omits `carries` if runes are not
 * checked and there are no other inscriptions.
 */
export async function describeOtherContents(
  context: Pick<Context, 'node' | 'ord' | 'config'> & { sql: Queryable },
  items: readonly ConfirmedItem[],
): Promise<{ carries?: (Carried & { inscriptionId: string })[] }> {
  const coins = items.map(({ coin }) => coin)
  const byOrd = await otherContentsOf(context, coins)
  const proven = !byOrd && needsRunes(context.config) ? await listProven(context, coins) : null
  const contents = new Map<string, Map<string, Carried>>()
  const add = (outpoint: string, content: Carried) => {
    const ofCoin = contents.get(outpoint) ?? new Map()
    contents.set(outpoint, ofCoin.set(`${content.kind} ${content.name}`, content))
  }
  for (const { inscriptionId, ...outpoint } of await listInscriptionsIn(context.sql, coins, MAX_NAMED))
    add(formatOutpoint(outpoint), { kind: 'inscription', name: inscriptionId })
  for (const [outpoint, carried] of byOrd ?? []) for (const content of carried) add(outpoint, content)
  if (proven)
    for (const outpoint of coins.map(formatOutpoint))
      if (!proven.has(outpoint)) add(outpoint, { kind: 'unproven', name: 'runes' })
  const carries = items.flatMap(({ inscriptionId, coin }) =>
    [...(contents.get(formatOutpoint(coin))?.values() ?? [])]
      .filter(({ kind, name }) => !(kind === 'inscription' && name === inscriptionId))
      .map((content) => ({ inscriptionId, ...content })),
  )
  return byOrd || proven || carries.length > 0 ? { carries } : {}
}
