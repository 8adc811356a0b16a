import type { AnswerOf, QueryOf } from '@ordbook/contract/operation.ts'
import type { listItems as operation } from '@ordbook/contract/storefront/inscriptions.ts'
import type { Context } from '@ordbook/market/context.ts'
import { type ItemName, listNames } from './inscription-queries.ts'

/** Returns the name of an item in its collection, or a name with its number. */
export const nameOf = ({ itemName, inscriptionNumber }: Pick<ItemName, 'itemName' | 'inscriptionNumber'>) =>
  itemName ?? `Inscription ${inscriptionNumber}`

/** Returns the names of inscriptions by id. */
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
