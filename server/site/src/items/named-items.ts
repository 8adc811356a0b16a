import type { AnswerOf, QueryOf } from '@ordbook/contract/operation.ts'
import type { listItems as operation } from '@ordbook/contract/storefront/inscriptions.ts'
import type { Context } from '@ordbook/market/context.ts'
import { type ItemName, listNames } from './inscription-queries.ts'

/** Returns an item's name, or a name with its number. */
export const nameOf = ({ itemName, inscriptionNumber }: Pick<ItemName, 'itemName' | 'inscriptionNumber'>) =>
  itemName ?? `Inscription ${inscriptionNumber}`

export async function listItems(
  { reads }: Pick<Context, 'reads'>,
  { inscriptionIds }: QueryOf<typeof operation>,
): Promise<AnswerOf<typeof operation>> {
  const rows = await listNames(reads, inscriptionIds.split(','))
  return {
    items: rows.map(({ inscriptionNumber, itemName, ...row }) => ({
      ...row,
      name: nameOf({ itemName, inscriptionNumber }),
    })),
  }
}
