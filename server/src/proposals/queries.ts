import type { Queryable } from '../db/connect.ts'

export interface CollectionSummaryRow {
  id: string
  slug: string
  name: string
  cardBackgroundColor: string | null
  previewInscriptionId: string | null
  previewContentType: string | null
  imageRenderingHint: 'auto' | 'pixelated' | null
}

export interface ProposalRow {
  proposalId: string
  creatorScript: Uint8Array
  offeredBtcSats: number
  requestedBtcSats: number
  marketplaceFeeSats: number
  createdAt: Date
  expiresAt: Date
}

/** A page of the public feed (index proposals_feed). */
export function listProposalRows(
  sql: Queryable,
  page: {
    after: { createdAt: Date; proposalId: string } | null
    collectionId: string | null
    limit: number
    now: Date
  },
): Promise<ProposalRow[]> {
  const { after, collectionId, limit, now } = page
  return sql<ProposalRow[]>`
    select p.proposal_id, p.creator_script, p.offered_btc_sats, p.requested_btc_sats, p.marketplace_fee_sats,
      p.created_at, p.expires_at
    from proposals p
    where p.state = 'active' and p.visibility = 'public' and p.expires_at > ${now}
      ${
        after === null
          ? sql``
          : sql`and (p.created_at, p.proposal_id) < (${after.createdAt}::timestamptz, ${after.proposalId}::uuid)`
      }
      ${
        collectionId === null
          ? sql``
          : sql`and (exists (select 1 from proposal_legs g where g.proposal_id = p.proposal_id and g.collection_id = ${collectionId})
              or exists (select 1 from proposal_items o join collection_items m using (inscription_id)
                where o.proposal_id = p.proposal_id and m.collection_id = ${collectionId}))`
      }
    order by p.created_at desc, p.proposal_id desc limit ${limit}`
}

export interface OfferedRow {
  proposalId: string
  inscriptionId: string
  sequence: number
  outputValueSats: number
  contentType: string | null
  itemName: string | null
  collectionId: string | null
}

/** What proposals offer, in order; each with the first of its collections by slug. */
export function listOffered(sql: Queryable, proposalIds: readonly string[]): Promise<OfferedRow[]> {
  return sql<OfferedRow[]>`
    select o.proposal_id, o.inscription_id, i.sequence, i.output_value_sats, i.content_type, m.item_name, m.collection_id
    from proposal_items o
    join inscriptions i using (inscription_id)
    left join lateral (
      select m.item_name, m.collection_id from collection_items m join collections c using (collection_id)
      where m.inscription_id = o.inscription_id order by c.slug limit 1
    ) m on true
    where o.proposal_id = any(${proposalIds as string[]}::uuid[]) and i.output_value_sats is not null
    order by o.proposal_id, o.position`
}

export type WantedTarget =
  | { kind: 'all' }
  | { kind: 'traits'; traits: { type: string; values: string[] }[] }
  | { kind: 'inscriptions'; inscriptionIds: string[] }

export interface LegRow {
  proposalId: string
  legId: string
  collectionId: string
  quantity: number
  target: WantedTarget
}

export function listLegs(sql: Queryable, proposalIds: readonly string[]): Promise<LegRow[]> {
  return sql<LegRow[]>`
    select proposal_id, leg_id, collection_id, quantity, target from proposal_legs
    where proposal_id = any(${proposalIds as string[]}::uuid[]) order by proposal_id, position`
}

export interface SpecificRow {
  inscriptionId: string
  collectionId: string
  inscriptionNumber: number | null
  itemName: string
  contentType: string | null
}

/** How collections call the inscriptions that legs name. */
export function listSpecific(sql: Queryable, inscriptionIds: readonly string[]): Promise<SpecificRow[]> {
  return sql<SpecificRow[]>`
    select m.inscription_id, m.collection_id, i.inscription_number, m.item_name, i.content_type
    from collection_items m left join inscriptions i using (inscription_id)
    where m.inscription_id = any(${inscriptionIds as string[]}::text[])`
}

/** Collections as proposals show them, with their floor. */
export function listSummaries(
  sql: Queryable,
  collectionIds: readonly string[],
  now: Date,
): Promise<(CollectionSummaryRow & { floorSats: number | null })[]> {
  return sql<(CollectionSummaryRow & { floorSats: number | null })[]>`
    select c.collection_id as id, c.slug, c.name, c.card_background_color, c.preview_inscription_id,
      i.content_type as preview_content_type, c.image_rendering_hint,
      (select min(l.price_sats) from listings l join collection_items m using (inscription_id)
        where m.collection_id = c.collection_id and l.state = 'buyable'
          and (l.expires_at is null or l.expires_at > ${now})) as floor_sats
    from collections c left join inscriptions i on i.inscription_id = c.preview_inscription_id
    where c.collection_id = any(${collectionIds as string[]}::uuid[])`
}
