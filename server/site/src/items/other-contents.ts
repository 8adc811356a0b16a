import type { AnswerOf, QueryOf } from '@ordbook/contract/operation.ts'
import type { listCarries as operation } from '@ordbook/contract/storefront/inscriptions.ts'
import type { Context } from '@ordbook/market/context.ts'
import { describeOtherContents } from '@ordbook/market/preflight/other-contents.ts'
import { listCoinsOf } from './inscription-queries.ts'

/** Describes the other contents of the inscriptions' coins, as preflights do. Throws `unavailable` while the ord server is behind. */
export async function listCarries(
  { reads, node, ord, config }: Pick<Context, 'reads' | 'node' | 'ord' | 'config'>,
  { inscriptionIds }: QueryOf<typeof operation>,
): Promise<AnswerOf<typeof operation>> {
  const coins = await listCoinsOf(reads, inscriptionIds.split(','))
  return describeOtherContents(
    { sql: reads, node, ord, config },
    coins.map(({ inscriptionId, txid, vout }) => ({ inscriptionId, coin: { txid, vout } })),
  )
}
