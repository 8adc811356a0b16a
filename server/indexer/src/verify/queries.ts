import type { InscriptionCounters } from '@ordbook/bitcoin/inscription-events.ts'
import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { limitOf, type Queryable, type Transaction } from '@ordbook/db/driver/connect.ts'
import type { Facts } from '../adoption/facts.ts'
import type { AdoptedRow } from '../inscriptions/adopt-queries.ts'

/** A stored inscription. The location is null if its tree is broken, large fields are SHA-256 in hex. */
export interface StoredRow
  extends Omit<
    AdoptedRow,
    'txid' | 'vout' | 'satOffset' | 'feeSats' | 'metadata' | 'properties' | 'adoptedHeight'
  > {
  satId: number
  txid: string | null
  vout: number | null
  satOffset: number | null
  feeSats: number | null
  adoptedHeight: number | null
  bodyHash: string | null
  metadataHash: string | null
  propertiesHash: string | null
}

export function listStored(sql: Queryable, after: number, rows: number): Promise<StoredRow[]> {
  return sql<StoredRow[]>`
    select i.sequence, i.inscription_id, i.inscription_number, i.height, i.inscribed_at, i.cursed, i.vindicated, i.unbound,
      i.reinscription, i.parent_ids, i.fee_sats, i.born_in, i.delegate_id, i.pointer, i.content_type, i.content_encoding,
      i.content_length, i.metaprotocol, i.property_encoding, i.sat, i.sat_id, i.txid, i.vout, i.sat_offset,
      i.output_value_sats, i.owner_script, i.adopted_height, encode(sha256(i.body), 'hex') as body_hash,
      encode(sha256(i.metadata), 'hex') as metadata_hash, encode(sha256(i.properties), 'hex') as properties_hash
    from inscriptions i where i.sequence > ${after} order by i.sequence limit ${limitOf(sql, rows)}`
}

/** `before`: inscriptions up to `sequence`. */
export async function countInscriptions(
  sql: Queryable,
  sequence: number,
): Promise<{ all: number; before: number; fromBlocks: number; expected: number }> {
  const [row] = await sql<{ all: number; before: number; fromBlocks: number; expected: number }[]>`
    select count(*) as all, count(*) filter (where sequence <= ${sequence}) as before, count(*) filter (where adopted_height is null) as from_blocks,
      coalesce((select next_sequence from blocks order by height desc limit 1), 0)
        - coalesce((select b.next_sequence from blocks b join settings s on s.name = 'base' and s.value::int = b.height), 0)
        as expected
    from inscription_rows`
  return row!
}

/** Replaces all facts but location and body. Keeps the sat number if the source has none. */
export async function updateFacts(tx: Transaction, sequence: number, facts: Facts): Promise<void> {
  await tx`
    update inscription_rows set inscription_number = ${facts.inscriptionNumber}, height = ${facts.height},
      inscribed_at = ${facts.inscribedAt}, cursed = ${facts.cursed}, vindicated = ${facts.vindicated},
      unbound = ${facts.unbound}, reinscription = ${facts.reinscription}, parent_ids = ${facts.parentIds}::text[],
      fee_sats = ${facts.feeSats}, born_in = ${facts.bornIn}, delegate_id = ${facts.delegateId}, pointer = ${facts.pointer},
      content_type = ${facts.contentType}, content_encoding = ${facts.contentEncoding},
      content_length = ${facts.contentLength}, metaprotocol = ${facts.metaprotocol}, metadata = ${facts.metadata},
      properties = ${facts.properties}, property_encoding = ${facts.propertyEncoding},
      sat = coalesce(${facts.sat}::bigint, sat)
    where sequence = ${sequence}`
}

export async function updateBody(tx: Transaction, sequence: number, body: Uint8Array | null): Promise<void> {
  await tx`update inscription_rows set body = ${body} where sequence = ${sequence}`
}

export async function updateSatId(tx: Transaction, sequence: number, satId: number): Promise<void> {
  await tx`update inscription_rows set sat_id = ${satId} where sequence = ${sequence}`
}

export async function updateCounters(
  tx: Transaction,
  height: number,
  counters: Omit<InscriptionCounters, 'unbound'>,
): Promise<void> {
  await tx`
    update blocks set next_sequence = ${counters.nextSequence}, blessed_count = ${counters.blessed},
      cursed_count = ${counters.cursed}, lost_sats = ${counters.lostSats}
    where height = ${height}`
}

export interface TreeRow {
  root: number
  satId: number
  parentId: number | null
  inscriptionId: string | null
  sequence: number | null
  /** The sat that the inscription is on. */
  onSat: number | null
}

/** Returns all sats in the coins of some sats and outputs, with their inscriptions, also those that name the wrong sat. */
export function listTrees(
  sql: Queryable,
  { satIds, outpoints }: { satIds: readonly number[]; outpoints: readonly Outpoint[] },
  rows: number,
): Promise<TreeRow[]> {
  return sql<TreeRow[]>`
    with roots as (
      select root_of_sat(each) as root from unnest(${satIds as number[]}::bigint[]) each
      union
      select s.sat_id
      from unnest(${outpoints.map((each) => each.txid)}::text[], ${outpoints.map((each) => each.vout)}::bigint[]) as o (txid, vout)
      join inscribed_sats s on txid_key(s.txid) = txid_key(o.txid) and s.txid = o.txid and s.vout = o.vout
        and s.owner_script is not null)
    select r.root, n.sat_id, n.parent_id, i.inscription_id, i.sequence, i.sat_id as on_sat
    from roots r, lateral sats_in(r.root) s join inscribed_sats n on n.sat_id = s.sat_id
      left join inscription_rows i on i.sat_id = n.sat_id or i.sequence = n.sat_id
    where r.root is not null order by r.root, n.sat_id, i.sequence limit ${limitOf(sql, rows)}`
}

export interface PlacedNode {
  satId: number
  /** From the parent's sat, or from the start of the output. */
  satOffset: number
  /** Roots only. */
  place: {
    txid: string
    vout: number
    valueSats: number | null
    script: Uint8Array | null
    low: number
    high: number
  } | null
}

export async function updatePlace(tx: Transaction, { satId, satOffset, place }: PlacedNode): Promise<void> {
  await tx`
    update inscribed_sats set sat_offset = ${satOffset}, txid = ${place?.txid ?? null}, vout = ${place?.vout ?? null},
      output_value_sats = ${place?.valueSats ?? null}, owner_script = ${place?.script ?? null},
      low_offset = ${place?.low ?? null}, high_offset = ${place?.high ?? null}
    where sat_id = ${satId}`
}

/** Returns the next inscriptions after a sequence that were read from blocks and have children. */
export function listParents(
  sql: Queryable,
  after: number,
  rows: number,
): Promise<{ sequence: number; inscriptionId: string; childIds: string[] }[]> {
  return sql`
    select i.sequence, i.inscription_id, c.child_ids
    from (
      select sequence, inscription_id from inscription_rows
      where sequence > ${after} and adopted_height is null order by sequence limit ${limitOf(sql, rows)}) i,
      lateral (
        select coalesce(array_agg(c.inscription_id order by c.sequence), '{}') as child_ids from inscription_rows c
        where c.parent_ids <> '{}' and c.parent_ids @> array[i.inscription_id]::text[]) c
    order by i.sequence`
}

/** Returns the sequence up to which an interrupted verification against a server got, or null. */
export async function findProgress(sql: Queryable, server: string): Promise<number | null> {
  const [row] = await sql<{ value: string }[]>`select value from settings where name = 'verified'`
  const [sequence, of] = row?.value.split(' ') ?? []
  return of === server ? Number(sequence) : null
}

export async function saveProgress(sql: Queryable, server: string, sequence: number): Promise<void> {
  await sql`
    insert into settings (name, value) values ('verified', ${`${sequence} ${server}`})
    on conflict (name) do update set value = excluded.value`
}

export async function dropProgress(sql: Queryable): Promise<void> {
  await sql`delete from settings where name = 'verified'`
}
