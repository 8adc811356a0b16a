import { bytesToHex } from '@ordbook/bitcoin/bytes.ts'
import { sha256 } from '@ordbook/bitcoin/keys.ts'
import { limitOf, type Queryable } from '../db/connect.ts'

import type { LiveListing } from './inscription-queries.ts'

/** The inscriptions of holders, and the proposals that these could fill. */

export interface HoldingRow {
  inscriptionId: string
  sequence: number
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
}

/**
 * The inscriptions `i` on the sats `h` of `sats_held_by`, one sat after the other. Its estimate of the sats is far too high, and a join
 * read the whole index for them.
 */
export const inscriptionsOnHeld = (sql: Queryable) => sql`
  lateral (select * from inscription_rows each where each.sat_id = h.sat_id offset 0) i`

/**
 * The inscriptions of an address, latest inscribed first (index inscribed_sats_owner). A filter looks through `looked` of them; the
 * place up to which it did is null where it saw the last.
 */
export async function listHoldingRows(
  sql: Queryable,
  page: {
    script: Uint8Array
    slug: string | null
    /** A part of the name of the item or of its collection. */
    q: string | null
    after: number | null
    rows: number
    looked: number
    now: Date
  },
): Promise<{ rows: HoldingRow[]; lookedTo: number | null }> {
  const { script, slug, q, after, rows, looked, now } = page
  const found = await sql<
    ({ [Column in keyof HoldingRow]: HoldingRow[Column] | null } & { lookedTo: number | null })[]
  >`
    with held as materialized (
      select h.txid, h.vout, h.output_value_sats, i.inscription_id, i.sequence, i.inscription_number, i.content_type, i.delegate_id
      from sats_held_by(sha256(${script})) h, ${inscriptionsOnHeld(sql)}
      where ${after === null ? sql`true` : sql`i.sequence < ${after}`}
      order by i.sequence desc limit ${limitOf(sql, looked)}),
    -- One sort of all: a look-up of the first collection sorted for each item.
    placed as (
      select distinct on (held.sequence) held.*, m.collection_id, m.item_name, m.traits, c.slug, c.name as collection_name,
        c.verification_status, c.image_rendering_hint
      from held left join collection_items m on m.inscription_id = held.inscription_id
        left join collections c on c.collection_id = m.collection_id
      where ${slug === null ? sql`true` : sql`c.slug = ${slug}`}
      order by held.sequence desc, c.slug),
    fitting as (
      select * from placed
      where ${
        q === null
          ? sql`true`
          : sql`strpos(lower(coalesce(item_name, 'Inscription ' || inscription_number) || ' '
          || coalesce(collection_name, '')), lower(${q})) > 0`
      }
      order by sequence desc limit ${limitOf(sql, rows)})
    select (select case when count(*) = ${looked} then min(sequence) end from held) as looked_to,
      h.inscription_id, h.sequence, h.inscription_number, coalesce(d.content_type, h.content_type) as content_type,
      h.txid, h.vout, h.output_value_sats, h.item_name, h.slug, h.collection_name, h.verification_status, h.image_rendering_hint,
      f.floor_sats as collection_floor_sats, coalesce(h.traits, '[]')::text as traits, l.listing_id, l.state as listing_state,
      l.price_sats,
      (select max(o.price_sats) from offers o where o.inscription_id = h.inscription_id and o.kind = 'buyer_offer'
        and o.state = 'active' and o.executable and o.expires_at > ${now}) as top_offer_sats
    -- The place that was looked to comes without a row that fits, too.
    from (select) once left join fitting h on true
    left join collection_floors f on f.collection_id = h.collection_id
    left join inscription_rows d on d.inscription_id = h.delegate_id
    left join listings l on l.inscription_id = h.inscription_id
      and l.state in ('buyable', 'hidden_locked', 'pending_public') and (l.expires_at is null or l.expires_at > ${now})
    order by h.sequence desc`
  return {
    rows: found.flatMap(({ lookedTo: _, ...row }) => (row.inscriptionId === null ? [] : (row as HoldingRow))),
    lookedTo: found[0]!.lookedTo,
  }
}

/** Public proposals whose wanted legs the holdings of these scripts could fill, newest first. */
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
      and exists (select 1 from wanted_legs g where g.proposal_id = p.proposal_id)
      and not exists (
        select 1 from wanted_legs g where g.proposal_id = p.proposal_id and g.quantity > (
          select count(*) from held h where h.collection_id = g.collection_id
            and case g.target ->> 'kind' when 'all' then true
              when 'inscriptions' then g.target -> 'inscriptionIds' ? h.inscription_id
              else matches_target(g.target, h.traits) end))
    order by p.created_at desc, p.proposal_id desc limit 50`
  return rows.map((row) => row.proposalId)
}
