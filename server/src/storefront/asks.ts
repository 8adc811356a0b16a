import type { AnswerOf } from '@ordbook/contract/operation.ts'
import { ASK_PARTS, type getCollectionAsks as operation } from '@ordbook/contract/storefront/collections.ts'
import { findCollection } from '../collections/queries.ts'
import type { Context } from '../context.ts'
import { missing } from '../errors.ts'
import { countAsks } from './ask-queries.ts'

/** The longest age of an answer in milliseconds. A busy collection costs one look at its listings in this time. */
const ASKS_MILLISECONDS = 60_000

/** The listings of a collection by price. Throws missing. */
export async function getCollectionAsks(
  { reads, responses, clock }: Context,
  slug: string,
): Promise<AnswerOf<typeof operation> | Buffer> {
  const collection = await findCollection(reads, slug)
  if (!collection) throw missing('collection-unknown', `Collection ${slug.toLowerCase()} is not known here`)
  const { collectionId } = collection
  return responses.read(['asks', collectionId], clock, async () => {
    const now = clock()
    const rows = await countAsks(reads, collectionId, now, ASK_PARTS)
    const itemsOf = (part: number) => rows.find((each) => each.part === part)?.items ?? 0
    const answer: AnswerOf<typeof operation> = {
      leastSats: rows[0]?.leastSats ?? null,
      stepSats: rows[0]?.stepSats ?? null,
      parts: rows.length === 0 ? [] : Array.from({ length: ASK_PARTS }, (_, part) => itemsOf(part)),
      above: itemsOf(ASK_PARTS),
    }
    return {
      body: Buffer.from(JSON.stringify(answer)),
      tags: [],
      validUntil: new Date(now.getTime() + ASKS_MILLISECONDS),
    }
  })
}
