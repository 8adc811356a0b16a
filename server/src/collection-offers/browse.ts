import { addressOfScript } from '@ordbook/bitcoin/address.ts'
import type { listCollectionOfferBook as bookOperation } from '@ordbook/contract/collection-offers.ts'
import type { AnswerOf } from '@ordbook/contract/operation.ts'
import { listBindingsOfProfile } from '../auth/queries.ts'
import { getCollection } from '../collections/inscriptions.ts'
import type { CollectionRow } from '../collections/queries.ts'
import type { Context } from '../context.ts'
import { earliest } from '../derived/cached-responses.ts'
import type { Session } from '../http/operations.ts'
import { type BookRow, listBook } from './queries.ts'
import { describeSample } from './target.ts'

type Book = AnswerOf<typeof bookOperation>

/** The active offers on a collection or its traits. */
export async function readBook(context: Context, slug: string): Promise<Buffer> {
  const { responses, clock, reads } = context
  const folded = slug.toLowerCase()
  return responses.read(['collection-offers', folded], clock, async () => {
    const collection = await getCollection({ sql: reads }, folded)
    const rows = await listBook(reads, collection.collectionId, null, clock())
    return {
      body: Buffer.from(JSON.stringify(describeBook(context, collection, rows))),
      tags: [`o:${collection.collectionId}`, `c:${collection.collectionId}`],
      validUntil: earliest(...rows.map((row) => row.expiresAt)),
    }
  })
}

/** The active offers on a collection or its traits that the caller's wallets made. */
export async function readOwnBook(context: Context, session: Session, slug: string): Promise<Book> {
  const { reads, clock } = context
  const collection = await getCollection({ sql: reads }, slug)
  const bindings = await listBindingsOfProfile(reads, session.profileId)
  const ids = bindings.map((binding) => binding.walletBindingId)
  const rows = await listBook(reads, collection.collectionId, ids, clock())
  const book = describeBook(context, collection, rows)
  return { ...book, rows: book.rows.map((row, i) => ({ ...row, actionBindingId: rows[i]!.walletBindingId })) }
}

function describeBook(context: Context, collection: CollectionRow, rows: readonly BookRow[]): Book {
  const traitOfferCount = rows.filter((row) => row.target.kind === 'traits').length
  return {
    rows: rows.map((row) => describeRow(context, collection, row)),
    totalCount: rows.length,
    collectionOfferCount: rows.length - traitOfferCount,
    traitOfferCount,
  }
}

function describeRow(context: Context, collection: CollectionRow, row: BookRow): Book['rows'][number] {
  return {
    id: row.offerId,
    target: row.target as Book['rows'][number]['target'],
    scopeLabel: row.scopeLabel,
    priceSats: row.priceSats,
    eligibleCount: row.eligibleCount,
    makerAddress: addressOfScript(row.paymentScript, context.config.addressNetwork)!,
    expiresAt: row.expiresAt.toISOString(),
    createdAt: row.createdAt.toISOString(),
    totalSats: row.priceSats,
    status: 'active',
    executable: row.executable,
    sampleInscription: describeSample(context, collection, {
      inscriptionId: row.sampleInscriptionId,
      contentType: row.contentType,
    }),
  }
}
