import { type AddressNetwork, addressOfScript } from '@ordbook/bitcoin/address.ts'
import type {
  listCollectionOfferBook as bookOperation,
  listMySentCollectionOffers as ownOperation,
} from '@ordbook/contract/collection-offers.ts'
import type { AnswerOf } from '@ordbook/contract/operation.ts'
import type { listOwnBids as ownBidsOperation } from '@ordbook/contract/storefront/wallet.ts'
import type { Session } from '@ordbook/http/operations/operations.ts'
import { cachedRows } from '@ordbook/http/responses/cached-feed.ts'
import { jsonListOf, jsonOf, type RawJson, withMembers } from '@ordbook/http/responses/raw-json.ts'
import { listBindingsOfProfile } from '../auth/queries.ts'
import { getCollection, unknownCollection } from '../collections/inscriptions.ts'
import { placeImages, renderedImage } from '../collections/rendered-item.ts'
import type { Context } from '../context.ts'
import {
  type BookRow,
  type BookSlice,
  listBook,
  listOwnBidRows,
  saveRenderedBook,
  sliceBook,
} from './queries.ts'

type Book = AnswerOf<typeof bookOperation>
type Bid = Book['rows'][number]
type OwnBook = AnswerOf<typeof ownOperation>
type OwnBids = AnswerOf<typeof ownBidsOperation>

export async function readBook(context: Context, slug: string): Promise<Buffer> {
  const { sql, reads, config, publicUrl } = context
  return cachedRows(context, ['collection-offers', slug.toLowerCase()], () => ({
    slice: async (now) => {
      const found = await sliceBook(reads, slug, now)
      if (!found) throw unknownCollection(slug)
      return found
    },
    render: async (now, from) =>
      (await listBook(from, slug, null, now)).map((row) => ({
        id: row.offerId,
        version: row.renderedVersion,
        text: renderBid(row, config.addressNetwork).text,
        expiresAt: row.expiresAt,
      })),
    keep: (rendered) => saveRenderedBook(sql, rendered),
    finish: (rows, found) => ({
      json: jsonOf<Book>({ rows: jsonListOf(placeImages(rows, publicUrl)), ...countsOf(found) }),
      tags: [`o:${found.collectionId}`, `c:${found.collectionId}`],
    }),
  }))
}

export async function readOwnBook(context: Context, session: Session, slug: string): Promise<Buffer> {
  const { reads, clock, config, publicUrl } = context
  await getCollection({ sql: reads }, slug)
  const rows = await listBook(reads, slug, await bindingIdsOf(context, session), clock())
  const bids = rows.map(
    (row): RawJson<OwnBook['rows'][number]> =>
      withMembers(renderBid(row, config.addressNetwork), { actionBindingId: row.walletBindingId }),
  )
  const traitOfferCount = rows.filter((row) => row.target.kind === 'traits').length
  const counts = countsOf({ totalCount: rows.length, traitOfferCount })
  const { text } = jsonOf<OwnBook>({ rows: jsonListOf(bids), ...counts })
  return Buffer.from(placeImages(text, publicUrl))
}

/** Returns the session's active offers on all collections. */
export async function listOwnBids(context: Context, session: Session): Promise<Buffer> {
  const { reads, clock, config, publicUrl } = context
  const rows = await listOwnBidRows(reads, await bindingIdsOf(context, session), clock())
  const bids = rows.map((row): RawJson<OwnBids['bids'][number]> => {
    const { walletBindingId: actionBindingId, collectionSlug, collectionName } = row
    const members = { actionBindingId, collectionSlug, collectionName }
    return withMembers(renderBid(row, config.addressNetwork), members)
  })
  const { text } = jsonOf<OwnBids>({ bids: jsonListOf(bids) })
  return Buffer.from(placeImages(text, publicUrl))
}

const bindingIdsOf = async ({ reads }: Context, { profileId }: Session): Promise<string[]> =>
  (await listBindingsOfProfile(reads, profileId)).map(({ walletBindingId }) => walletBindingId)

const countsOf = ({ totalCount, traitOfferCount }: Pick<BookSlice, 'totalCount' | 'traitOfferCount'>) => ({
  totalCount,
  collectionOfferCount: totalCount - traitOfferCount,
  traitOfferCount,
})

export function renderBid(row: BookRow, addressNetwork: AddressNetwork): RawJson<Bid> {
  return jsonOf<Bid>({
    id: row.offerId,
    target: row.target as Bid['target'],
    scopeLabel: row.scopeLabel,
    priceSats: row.priceSats,
    eligibleCount: row.eligibleCount,
    makerAddress: addressOfScript(row.paymentScript, addressNetwork)!,
    expiresAt: row.expiresAt.toISOString(),
    createdAt: row.createdAt.toISOString(),
    totalSats: row.priceSats,
    status: 'active',
    executable: row.executable,
    sampleInscription: jsonOf<NonNullable<Bid['sampleInscription']>>({
      image: renderedImage(row.sampleInscriptionId),
      inscriptionId: row.sampleInscriptionId,
      previewContentType: row.contentType,
      imageRenderingHint: row.imageRenderingHint,
    }),
  })
}
