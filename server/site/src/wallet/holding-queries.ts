import { bytesToHex } from '@ordbook/bitcoin/bytes.ts'
import { sha256 } from '@ordbook/bitcoin/keys.ts'
import { limitOf, type Queryable } from '@ordbook/db/driver/connect.ts'
import { isBid } from '@ordbook/market/settlements/bid-queries.ts'
import type { LiveListing } from '../items/inscription-queries.ts'

/**
 * Sort position within an address. Coins are sorted by the sequence of their first inscription, latest first, then by sat offset and
 * sequence.
 */
export type HoldingPlace = readonly [firstId: number, satOffset: number, sequence: number]

export interface HoldingRow {
  inscriptionId: string
  /** Set only in the last but one row. */
  place: HoldingPlace | null
  inscriptionNumber: number
  contentType: string | null
  txid: string
  vout: number
  outputValueSats: number
  itemName: string | null
  slug: string | null
  collectionName: string | null
  verificationStatus: 'verified' | 'unverified' | null
  imageRenderingHint: 'auto' | 'pixelated' | null
  collectionFloorSats: number | null
  /** JSON. */
  traits: string
  listingId: string | null
  listingState: LiveListing['state'] | null
  priceSats: number | null
  topOfferSats: number | null
  /** Expiry of the listing or of the top offer. */
  validUntil: Date | null
}

/**
 * Selects inscriptions `i` on the sats `h` of `sats_held_by`. `offset 0` forces a lookup per sat: PostgreSQL overestimates the sats, and a
 * join would read the whole index.
 */
export const inscriptionsOnHeld = (sql: Queryable) => sql`
  lateral (select * from inscription_rows each where each.sat_id = h.sat_id offset 0) i`

/**
 * Selects a script's inscriptions after a position, numbered `n`. Reads a limited number of coins (index inscribed_sats_held), and of sats
 * and inscriptions per coin.
 */
function heldAfter(sql: Queryable, script: Uint8Array, after: HoldingPlace | null, most: number) {
  const [firstId, satOffset, sequence] = after ?? [null, 0, 0]
  // The first coin and its first sat may belong to the previous page.
  const oneMore = limitOf(sql, most + 1)
  const limit = limitOf(sql, most)
  return sql`
    select row_number() over () as n, * from (
      select r.txid, r.vout, i.sat_id, r.output_value_sats, r.first_id, s.sat_offset, i.sequence, i.inscription_id, i.inscription_number,
        i.content_type, i.delegate_id
      from (
        select * from inscribed_sats each
        where sha256(each.owner_script) = sha256(${script}) ${firstId === null ? sql`` : sql`and each.first_id <= ${firstId}`}
        order by each.first_id desc limit ${oneMore}) r,
      lateral (
        select r.sat_id, r.sat_offset where r.low_offset = r.high_offset
        union all
        select * from sats_in_from(r.sat_id, ${firstId === null ? sql`0` : sql`case when r.first_id = ${firstId} then ${satOffset}::bigint else 0 end`}, ${oneMore})
        where r.low_offset < r.high_offset) s,
      lateral (
        select * from inscription_rows each where each.sat_id = s.sat_id
          ${
            firstId === null
              ? sql``
              : sql`and (r.first_id < ${firstId} or s.sat_offset > ${satOffset} or s.sat_offset = ${satOffset} and each.sequence > ${sequence})`
          }
        order by each.sequence limit ${limit}) i
      order by r.first_id desc, s.sat_offset, i.sequence limit ${limit}) each`
}

/** Lists an address's inscriptions in order. Filters `looked` inscriptions; returns the position of the last one, or null at the end. */
export async function listHoldingRows(
  sql: Queryable,
  page: {
    script: Uint8Array
    slug: string | null
    /** Substring of the item or collection name. */
    q: string | null
    after: HoldingPlace | null
    rows: number
    looked: number
    now: Date
  },
): Promise<{ rows: HoldingRow[]; lookedTo: HoldingPlace | null }> {
  const { script, slug, q, after, rows, looked, now } = page
  const found = await sql<
    ({ [Column in keyof HoldingRow]: HoldingRow[Column] | null } & { lookedTo: HoldingPlace | null })[]
  >`
    with held as materialized (${heldAfter(sql, script, after, looked)}),
    -- One sort for all rows: a subquery for the first collection would sort for each item.
    placed as (
      select distinct on (held.n) held.*, m.collection_id, m.item_name, m.traits, c.slug, c.name as collection_name,
        c.verification_status, c.image_rendering_hint
      from held left join collection_items m on m.inscription_id = held.inscription_id
        left join collections c on c.collection_id = m.collection_id
      where ${slug === null ? sql`true` : sql`c.slug = ${slug}`}
      order by held.n, c.slug),
    fitting as materialized (
      select * from placed
      where ${
        q === null
          ? sql`true`
          : sql`strpos(lower(coalesce(item_name, 'Inscription ' || inscription_number) || ' '
          || coalesce(collection_name, '')), lower(${q})) > 0`
      }
      order by n limit ${limitOf(sql, rows)}),
    -- One index scan for all rows. Sats instead of inscriptions, because a listing includes all inscriptions of its sat.
    listed as materialized (
      select o.sat_id, l.listing_id, l.state, l.price_sats, l.expires_at
      from inscription_rows o join listings l on l.inscription_id = o.inscription_id
      where o.sat_id = any(array(select sat_id from fitting)) and l.state in ('buyable', 'hidden_locked', 'pending_public')
        and (l.expires_at is null or l.expires_at > ${now}))
    select (select jsonb_build_array(first_id, sat_offset, sequence) from held where n = ${looked}) as looked_to,
      h.inscription_id,
      case when h.n = (select n from fitting order by n offset ${limitOf(sql, rows - 2)} limit 1)
        then jsonb_build_array(h.first_id, h.sat_offset, h.sequence) end as place,
      h.inscription_number,
      coalesce((select d.content_type from inscription_rows d where d.inscription_id = h.delegate_id), h.content_type) as content_type,
      h.txid, h.vout, h.output_value_sats, h.item_name, h.slug, h.collection_name, h.verification_status, h.image_rendering_hint,
      f.floor_sats as collection_floor_sats, coalesce(h.traits, '[]')::text as traits, l.listing_id, l.state as listing_state,
      l.price_sats, o.top_offer_sats, least(l.expires_at, o.expires_at) as valid_until
    -- Returns the position even if no row matches.
    from (select) once left join fitting h on true
    left join collection_floors f on f.collection_id = h.collection_id
    left join listed l on l.sat_id = h.sat_id
    left join lateral (
      select o.price_sats as top_offer_sats, o.expires_at from offers o
      where o.inscription_id = h.inscription_id and ${isBid(sql, now)} order by o.price_sats desc limit 1) o on true
    order by h.n`
  return {
    rows: found.flatMap(({ lookedTo: _, ...row }) => (row.inscriptionId === null ? [] : (row as HoldingRow))),
    lookedTo: found[0]!.lookedTo,
  }
}

/** Lists public proposals that the scripts' holdings can fulfil, newest first. */
export async function listMatching(
  sql: Queryable,
  scripts: readonly Uint8Array[],
  now: Date,
): Promise<string[]> {
  if (scripts.length === 0) return []
  const rows = await sql<{ proposalId: string }[]>`
    with held as (
      select inscription_id, m.collection_id, m.traits
      from unnest(${scripts.map((script) => bytesToHex(sha256(script)))}::text[]) as s (hash),
        lateral sats_held_by(decode(s.hash, 'hex')) h, ${inscriptionsOnHeld(sql)}
        join collection_items m using (inscription_id)
    )
    select p.proposal_id from proposals p
    where p.state = 'active' and p.visibility = 'public' and p.available and p.expires_at > ${now}
      and p.creator_script not in ${sql(scripts as Uint8Array[])}
      and exists (select 1 from proposal_requests g where g.proposal_id = p.proposal_id)
      and not exists (
        select 1 from proposal_requests g where g.proposal_id = p.proposal_id and g.quantity > (
          select count(*) from held h where h.collection_id = g.collection_id
            and case g.target ->> 'kind' when 'all' then true
              when 'inscriptions' then g.target -> 'inscriptionIds' ? h.inscription_id
              else matches_target(g.target, h.traits) end))
    order by p.created_at desc, p.proposal_id desc limit 50`
  return rows.map((row) => row.proposalId)
}
