import type { AnswerOf } from '@ordbook/contract/operation.ts'
import {
  type getCollectionRanks as operation,
  RANKED_ROWS,
} from '@ordbook/contract/storefront/collections.ts'
import { findCollection } from '../collections/queries.ts'
import type { Context } from '../context.ts'
import { missing } from '../errors.ts'
import { listRankedAsks, listRankedSales } from './rank-queries.ts'

/** The longest age of an answer in milliseconds. A busy collection costs one look at its listings and sales in this time. */
const RANKS_MILLISECONDS = 60_000

/** The prices of a collection by the rank of the items. Throws missing. */
export async function getCollectionRanks(
  { reads, responses, clock }: Context,
  slug: string,
): Promise<AnswerOf<typeof operation> | Buffer> {
  const collection = await findCollection(reads, slug)
  if (!collection) throw missing('collection-unknown', `Collection ${slug.toLowerCase()} is not known here`)
  const { collectionId } = collection
  return responses.read(['ranks', collectionId], clock, async () => {
    const now = clock()
    const [listings, sales] = await Promise.all([
      listRankedAsks(reads, collectionId, { now, rows: RANKED_ROWS }),
      listRankedSales(reads, collectionId, RANKED_ROWS),
    ])
    const answer: AnswerOf<typeof operation> = { listings, sales }
    return {
      body: Buffer.from(JSON.stringify(answer)),
      tags: [],
      validUntil: new Date(now.getTime() + RANKS_MILLISECONDS),
    }
  })
}
