import { bytesToHex } from '@ordbook/bitcoin/bytes.ts'
import { sha256 } from '@ordbook/bitcoin/keys.ts'
import { limitOf, type Queryable } from '@ordbook/db/driver/connect.ts'
import { inscriptionsOnHeld } from './holding-queries.ts'

/** Lists collection items of the scripts, including those in their escrows, at most `most`. */
export async function listHeldItems(
  sql: Queryable,
  scripts: readonly Uint8Array[],
  most: number,
): Promise<string[]> {
  const rows = await sql<{ inscriptionId: string }[]>`
    select inscription_id from (
      select i.inscription_id from unnest(${scripts.map((script) => bytesToHex(sha256(script)))}::text[]) as s (hash),
        lateral sats_held_by(decode(s.hash, 'hex')) h, ${inscriptionsOnHeld(sql)}
      union
      select c.inscription_id from escrows c join inscriptions i on i.inscription_id = c.inscription_id and i.txid = c.txid and i.vout = c.vout
      where c.seller_script = any(${scripts as Uint8Array[]}::bytea[])) held
    where exists (select from collection_items m where m.inscription_id = held.inscription_id)
    limit ${limitOf(sql, most)}`
  return rows.map((row) => row.inscriptionId)
}

export interface OwnTransferRow {
  inscriptionId: string
  at: Date
  /** From one of the scripts; otherwise to one of them. */
  isAway: boolean
}

/**
 * Lists the latest `most` transfers, sales and swaps of the scripts since a time, latest first (indexes item_transfers_from,
 * item_transfers_to, sales_seller, sales_buyer, proposals_creator, acceptances_acceptor).
 */
export function listOwnTransfers(
  sql: Queryable,
  { scripts, since, most }: { scripts: readonly Uint8Array[]; since: Date; most: number },
): Promise<OwnTransferRow[]> {
  const mine = sql`any(${scripts as Uint8Array[]}::bytea[])`
  const hashes = sql`any(array(select decode(hash, 'hex') from unnest(${scripts.map((script) => bytesToHex(sha256(script)))}::text[]) as s (hash)))`
  const latest = sql`order by at desc limit ${limitOf(sql, most)}`
  return sql<OwnTransferRow[]>`
    select inscription_id, at, is_away from (
      (select inscription_id, at, true as is_away from item_transfers
        where from_script is not null and sha256(from_script) = ${hashes} and at >= ${since} ${latest})
      union all
      (select inscription_id, at, false from item_transfers
        where to_script is not null and sha256(to_script) = ${hashes} and at >= ${since} ${latest})
      union all
      (select inscription_id, sold_at as at, true from sales where seller_script = ${mine} and sold_at >= ${since} ${latest})
      union all
      (select inscription_id, sold_at as at, false from sales where buyer_script = ${mine} and sold_at >= ${since} ${latest})
      union all
      (select i."inscriptionId", b.mined_at as at, (i."from" = 'proposer') = o.is_proposer
        from (
          select a.items, a.settlement_id, true as is_proposer from proposals p join acceptances a using (proposal_id)
            where p.creator_script = ${mine}
          union all select items, settlement_id, false from acceptances where acceptor_script = ${mine}) o
        join settlements t on t.settlement_id = o.settlement_id and t.state = 'confirmed' join blocks b on b.height = t.confirmed_height
        cross join lateral jsonb_to_recordset(o.items) as i ("inscriptionId" text, "from" text)
        where b.mined_at >= ${since} ${latest})) t
    order by at desc limit ${limitOf(sql, most)}`
}

export interface PastValueRow {
  inscriptionId: string
  /** Index of the time, from 1. */
  n: number
  sats: number
}

/**
 * Lists the estimated values of items at ascending times: the trait floor in the collection in which the item trades, otherwise the floor of
 * the collection. Omits times without either.
 */
export function listPastValues(
  sql: Queryable,
  { inscriptionIds, times }: { inscriptionIds: readonly string[]; times: readonly Date[] },
): Promise<PastValueRow[]> {
  const isOpen = sql`e.opened_at <= t.at and (e.ended_at is null or e.ended_at > t.at)`
  return sql<PastValueRow[]>`
    with wanted as materialized (
      select w.id as inscription_id, m.collection_id, m.traits
      from unnest(${inscriptionIds as string[]}::text[]) as w (id), lateral (
        select m.collection_id, m.traits from collection_items m join collections c using (collection_id)
        where m.inscription_id = w.id order by c.slug limit 1) m
    ), times as materialized (
      select t.at, t.n::int as n from unnest(${times as Date[]}::timestamptz[]) with ordinality as t (at, n)
    ), entries as materialized (
      select e.collection_id, e.inscription_id, e.price_sats, e.opened_at, least(e.closed_at, e.expires_at) as ended_at
      from (select distinct collection_id from wanted) k join book_entries e using (collection_id)
      where e.closed_at is null or e.closed_at > ${times[0]!}
    ), floors as (
      select e.collection_id, t.n, min(e.price_sats) as sats from entries e join times t on ${isOpen} group by 1, 2
    ), item_traits as materialized (
      select w.inscription_id, w.collection_id, t.type, t.value
      from wanted w cross join lateral jsonb_to_recordset(w.traits) as t (type text, value text)
    ), listed as materialized (
      select e.collection_id, t.type, t.value, e.price_sats, e.opened_at, e.ended_at
      from entries e join collection_items m using (collection_id, inscription_id)
        cross join lateral jsonb_to_recordset(m.traits) as t (type text, value text)
      where (e.collection_id, t.type, t.value) in (select i.collection_id, i.type, i.value from item_traits i)
    ), trait_floors as (
      select e.collection_id, e.type, e.value, t.n, min(e.price_sats) as sats from listed e join times t on ${isOpen} group by 1, 2, 3, 4
    ), by_trait as (
      select i.inscription_id, f.n, max(f.sats) as sats from item_traits i join trait_floors f using (collection_id, type, value)
      group by 1, 2
    )
    select w.inscription_id, t.n, coalesce(b.sats, f.sats) as sats
    from wanted w cross join times t
      left join by_trait b on b.inscription_id = w.inscription_id and b.n = t.n
      left join floors f on f.collection_id = w.collection_id and f.n = t.n
    where coalesce(b.sats, f.sats) is not null`
}
