import { addressOfScript } from '@ordbook/bitcoin/address.ts'
import type { AnswerOf } from '@ordbook/contract/operation.ts'
import type { getCollectionHolders as operation } from '@ordbook/contract/storefront/collections.ts'
import { findCollection } from '../collections/queries.ts'
import type { Context } from '../context.ts'
import { missing } from '../errors.ts'
import { groupHoldings, HOLDING_SIZES, listTopHolders } from './holder-queries.ts'

const MOST_HOLDERS = 10
/** The longest age of an answer in milliseconds. A busy collection costs one look at its owners in this time. */
const HOLDERS_MILLISECONDS = 60_000

/** The owners of a collection by the number of items that they hold, and the largest. Throws missing. */
export async function getCollectionHolders(
  { reads, responses, clock, config }: Context,
  slug: string,
): Promise<AnswerOf<typeof operation> | Buffer> {
  const collection = await findCollection(reads, slug)
  if (!collection) throw missing('collection-unknown', `Collection ${slug.toLowerCase()} is not known here`)
  const { collectionId } = collection
  return responses.read(['holders', collectionId], clock, async () => {
    const now = clock()
    const [groups, top] = await Promise.all([
      groupHoldings(reads, collectionId),
      listTopHolders(reads, collectionId, MOST_HOLDERS),
    ])
    const { itemCount, ownerCount } = groups[0]!
    const held = groups.reduce((sum, { items }) => sum + items, 0)
    const answer: AnswerOf<typeof operation> = {
      itemCount,
      ownerCount,
      unownedCount: itemCount - held,
      distribution: HOLDING_SIZES.map((least, n) => {
        const group = groups.find(({ size }) => size === n + 1)
        const next = HOLDING_SIZES[n + 1]
        return { least, most: next ? next - 1 : null, owners: group?.owners ?? 0, items: group?.items ?? 0 }
      }),
      top: top.map((each) => ({
        address: addressOfScript(each.ownerScript, config.addressNetwork),
        itemCount: each.itemCount,
      })),
    }
    return {
      body: Buffer.from(JSON.stringify(answer)),
      tags: [],
      validUntil: new Date(now.getTime() + HOLDERS_MILLISECONDS),
    }
  })
}
