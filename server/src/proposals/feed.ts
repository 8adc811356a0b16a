import { addressOfScript } from '@ordbook/bitcoin/address.ts'
import { sumSats } from '@ordbook/bitcoin/sats.ts'
import type { AnswerOf, QueryOf } from '@ordbook/contract/operation.ts'
import type { listTradeProposals as listOperation } from '@ordbook/contract/proposals.ts'
import { findCollection } from '../collections/queries.ts'
import type { Context } from '../context.ts'
import { type CursorCodec, pageOf } from '../http/cursor.ts'
import {
  type CollectionSummaryRow,
  type LegRow,
  listLegs,
  listOffered,
  listProposalRows,
  listSpecific,
  listSummaries,
  type SpecificRow,
} from './queries.ts'

/** A page of the public feed of proposals. Values are estimates by floor; what has no floor counts nothing. */
export async function listProposals(
  { sql, config, clock }: Context,
  cursors: CursorCodec,
  query: QueryOf<typeof listOperation>,
): Promise<AnswerOf<typeof listOperation>> {
  const { limit = 50 } = query
  const slug = query.collectionSlug?.toLowerCase() ?? null
  const scope = ['trading', slug]
  const keys = cursors.decode(scope, query.cursor)
  const now = clock()
  const filter = slug === null ? null : await findCollection(sql, slug)
  const unknown = slug !== null && filter === null
  const rows = unknown
    ? []
    : await listProposalRows(sql, {
        after: keys && { createdAt: new Date(Number(keys[0])), proposalId: String(keys[1]) },
        collectionId: filter?.collectionId ?? null,
        limit: limit + 1,
        now,
      })
  const { page, pagination } = pageOf(rows, limit, (row) =>
    cursors.encode(scope, [row.createdAt.getTime(), row.proposalId]),
  )
  const ids = page.map((row) => row.proposalId)
  const [offered, legs] = await Promise.all([listOffered(sql, ids), listLegs(sql, ids)])
  const named = legs.flatMap((leg) => (leg.target.kind === 'inscriptions' ? leg.target.inscriptionIds : []))
  const collectionIds = new Set(
    [
      ...offered.map((item) => item.collectionId),
      ...legs.map((leg) => leg.collectionId),
      filter?.collectionId,
    ].filter((id) => id != null),
  )
  const [specific, summaries] = await Promise.all([
    listSpecific(sql, named),
    listSummaries(sql, [...collectionIds], now),
  ])
  const byId = new Map(summaries.map((row) => [row.id, row]))
  const floorOf = (collectionId: string | null) => (collectionId && byId.get(collectionId)?.floorSats) || null

  const proposals = page.map((row) => {
    const items = offered.filter((item) => item.proposalId === row.proposalId)
    const wanted = legs.filter((leg) => leg.proposalId === row.proposalId)
    return {
      id: row.proposalId,
      creatorAddress: addressOfScript(row.creatorScript, config.addressNetwork)!,
      visibility: 'public' as const,
      status: row.expiresAt > clock() ? ('active' as const) : ('expired' as const),
      offeredBtcSats: row.offeredBtcSats,
      requestedBtcSats: row.requestedBtcSats,
      estimatedOfferedValueSats:
        row.offeredBtcSats + sumSats(items.map((item) => floorOf(item.collectionId) ?? 0)),
      estimatedRequestedValueSats:
        row.requestedBtcSats + sumSats(wanted.map((leg) => (floorOf(leg.collectionId) ?? 0) * leg.quantity)),
      marketplaceFeeSats: row.marketplaceFeeSats,
      offeredItems: items.map((item) => ({
        inscriptionId: item.inscriptionId,
        inscriptionSequenceNumber: String(item.sequence),
        inscriptionUtxoValueSats: item.outputValueSats,
        ...(item.itemName ? { inscriptionTitle: item.itemName } : {}),
        ...(item.contentType ? { rawContentType: item.contentType } : {}),
        imageRenderingHint: (item.collectionId && byId.get(item.collectionId)?.imageRenderingHint) || null,
        collection: item.collectionId ? summaryOf(byId.get(item.collectionId)!) : null,
      })),
      wantedLegs: wanted.map((leg) => ({
        id: leg.legId,
        collection: summaryOf(byId.get(leg.collectionId)!),
        quantity: leg.quantity,
        target: leg.target,
        specificItems: specificItemsOf(leg, specific, byId.get(leg.collectionId)!),
        estimatedUnitValueSats: floorOf(leg.collectionId),
      })),
      createdAt: row.createdAt.toISOString(),
      expiresAt: row.expiresAt.toISOString(),
    }
  })
  return {
    proposals,
    filterCollection: filter ? summaryOf(byId.get(filter.collectionId)!) : null,
    pagination: { ...pagination, pageSize: limit },
  }
}

function summaryOf(row: CollectionSummaryRow) {
  return {
    id: row.id,
    slug: row.slug,
    name: row.name,
    cardBackgroundColor: row.cardBackgroundColor,
    ...(row.previewInscriptionId ? { previewInscriptionId: row.previewInscriptionId } : {}),
    ...(row.previewContentType ? { previewContentType: row.previewContentType } : {}),
    imageRenderingHint: row.imageRenderingHint,
  }
}

function specificItemsOf(leg: LegRow, specific: readonly SpecificRow[], collection: CollectionSummaryRow) {
  const { target } = leg
  if (target.kind !== 'inscriptions') return []
  return target.inscriptionIds.flatMap((inscriptionId) => {
    const row = specific.find(
      (each) => each.inscriptionId === inscriptionId && each.collectionId === leg.collectionId,
    )
    if (!row) return []
    return [
      {
        inscriptionId,
        inscriptionNumber: row.inscriptionNumber ?? 0,
        inscriptionTitle: row.itemName,
        ...(row.contentType ? { rawContentType: row.contentType } : {}),
        imageRenderingHint: collection.imageRenderingHint,
      },
    ]
  })
}
