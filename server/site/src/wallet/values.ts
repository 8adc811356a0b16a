import { addressOfScript } from '@ordbook/bitcoin/address.ts'
import type { AnswerOf, QueryOf } from '@ordbook/contract/operation.ts'
import type { listItemValues as operation } from '@ordbook/contract/storefront/values.ts'
import type { Context } from '@ordbook/market/context.ts'
import { listTraitFloors } from '../collections/trait-floor-queries.ts'
import { listLastBought } from './own-sale-queries.ts'

export async function listItemValues(
  { reads, config, clock }: Pick<Context, 'reads' | 'config' | 'clock'>,
  { inscriptionIds: text }: QueryOf<typeof operation>,
): Promise<AnswerOf<typeof operation>> {
  const inscriptionIds = [...new Set(text.split(','))]
  const [floors, bought] = await Promise.all([
    listTraitFloors(reads, { inscriptionIds, collectionId: null, now: clock() }),
    listLastBought(reads, inscriptionIds),
  ])
  const floorById = new Map(floors.map((floor) => [floor.inscriptionId, floor]))
  const boughtById = new Map(bought.map((each) => [each.inscriptionId, each]))
  return {
    values: inscriptionIds.map((inscriptionId) => {
      const last = boughtById.get(inscriptionId)
      const buyerAddress = last?.buyerScript && addressOfScript(last.buyerScript, config.addressNetwork)
      return {
        inscriptionId,
        traitFloorSats: floorById.get(inscriptionId)?.floorSats ?? null,
        traitFloorOf: floorById.get(inscriptionId)?.value ?? null,
        lastBought:
          last && buyerAddress
            ? { buyerAddress, paidSats: last.paidSats, at: last.soldAt.toISOString() }
            : null,
      }
    }),
  }
}
