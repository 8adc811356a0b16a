import type { Inscribed, InscriptionCounters, Moved } from '@ordbook/bitcoin/inscription-flow.ts'
import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { RareMove } from '@ordbook/bitcoin/rare-sats.ts'
import type { Queryable, Transaction } from '../db/connect.ts'

export interface BlockRow extends InscriptionCounters {
  height: number
  blockHash: string
  minedAt: Date
}

/** Any fixed number: whoever changes what is indexed, or reads it to store what follows from it, waits for the others. */
const INDEX_LOCK = 7_281_004

/** Holds the index still until the transaction ends: a block, and an import that joins with it, do not overlap. */
export async function lockIndex(tx: Transaction): Promise<void> {
  await tx`select pg_advisory_xact_lock(${INDEX_LOCK})`
}

/** The last block indexed; null on an empty index. */
export async function findTip(sql: Queryable): Promise<BlockRow | null> {
  const [row] = await sql<BlockRow[]>`
    select height, block_hash, mined_at, next_sequence, blessed_count as blessed, cursed_count as cursed,
      unbound_count as unbound, lost_sats
    from blocks order by height desc limit 1`
  return row ?? null
}

export async function insertBlock(tx: Transaction, block: BlockRow): Promise<void> {
  await tx`
    insert into blocks (height, block_hash, mined_at, next_sequence, blessed_count, cursed_count, unbound_count, lost_sats)
    values (${block.height}, ${block.blockHash}, ${block.minedAt}, ${block.nextSequence}, ${block.blessed},
      ${block.cursed}, ${block.unbound}, ${block.lostSats})`
}

export interface LocatedRow {
  txid: string
  vout: number
  satOffset: number
  sequence: number
  inscriptionId: string
  cursedOrVindicated: boolean
}

/** Inscriptions in any of these outputs (index inscriptions_outpoint). */
export function listLocated(sql: Queryable, outpoints: readonly Outpoint[]): Promise<LocatedRow[]> {
  return sql<LocatedRow[]>`
    select i.txid, i.vout, i.sat_offset, i.sequence, i.inscription_id, (i.cursed or i.vindicated) as cursed_or_vindicated
    from unnest(${outpoints.map((each) => each.txid)}::text[], ${outpoints.map((each) => each.vout)}::bigint[]) as o (txid, vout)
    join inscriptions i on i.txid = o.txid and i.vout = o.vout
    order by i.sequence`
}

export async function insertInscription(
  tx: Transaction,
  event: Inscribed,
  block: { height: number; minedAt: Date },
): Promise<void> {
  const { envelope, to } = event
  await tx`
    insert into inscriptions (sequence, inscription_id, inscription_number, height, inscribed_at, cursed, vindicated,
      unbound, reinscription, parent_ids, delegate_id, pointer, content_type, content_encoding, metaprotocol, metadata,
      body, txid, vout, sat_offset, output_value_sats, owner_script)
    values (${event.sequence}, ${event.inscriptionId}, ${event.number}, ${block.height}, ${block.minedAt},
      ${event.cursed}, ${event.vindicated}, ${event.unbound}, ${event.reinscription}, ${event.parents},
      ${envelope.delegate}, ${envelope.pointer}, ${envelope.contentType}, ${envelope.contentEncoding},
      ${envelope.metaprotocol}, ${envelope.metadata}, ${envelope.body}, ${to.outpoint.txid},
      ${to.outpoint.vout}, ${to.offset}, ${to.output?.valueSats ?? null}, ${to.output?.script ?? null})`
}

export async function insertMove(
  tx: Transaction,
  event: Moved,
  height: number,
  position: number,
): Promise<void> {
  const { from, to } = event
  await tx`
    insert into inscription_moves (height, position, sequence, txid, from_txid, from_vout, from_offset, from_value_sats,
      from_script, to_txid, to_vout, to_offset, to_value_sats, to_script)
    values (${height}, ${position}, ${event.sequence}, ${event.txid}, ${from.outpoint.txid}, ${from.outpoint.vout},
      ${from.offset}, ${from.output?.valueSats ?? null}, ${from.output?.script ?? null}, ${to.outpoint.txid},
      ${to.outpoint.vout}, ${to.offset}, ${to.output?.valueSats ?? null}, ${to.output?.script ?? null})`
  await tx`
    update inscriptions set txid = ${to.outpoint.txid}, vout = ${to.outpoint.vout}, sat_offset = ${to.offset},
      output_value_sats = ${to.output?.valueSats ?? null}, owner_script = ${to.output?.script ?? null}
    where sequence = ${event.sequence}`
}

/** Takes a block out of the index: each inscription back to where its first move of the block took it from. */
export async function deleteBlock(tx: Transaction, height: number): Promise<void> {
  await tx`
    update inscriptions i set txid = m.from_txid, vout = m.from_vout, sat_offset = m.from_offset,
      output_value_sats = m.from_value_sats, owner_script = m.from_script
    from (select distinct on (sequence) * from inscription_moves where height = ${height} order by sequence, position) m
    where i.sequence = m.sequence`
  await tx`delete from inscription_moves where height = ${height}`
  await tx`delete from inscriptions where height = ${height}`
  await tx`delete from blocks where height = ${height}`
}

/** Ids of the inscriptions made in a block. */
export async function listInscribedAt(tx: Transaction, height: number): Promise<string[]> {
  const rows = await tx<
    { inscriptionId: string }[]
  >`select inscription_id from inscriptions where height = ${height}`
  return rows.map((row) => row.inscriptionId)
}

export async function findBlockHash(sql: Queryable, height: number): Promise<string | null> {
  const [row] = await sql<{ blockHash: string }[]>`select block_hash from blocks where height = ${height}`
  return row?.blockHash ?? null
}

export interface InscriptionRow {
  inscriptionId: string
  sequence: number
  inscriptionNumber: number
  txid: string
  vout: number
  satOffset: number
  outputValueSats: number | null
  ownerScript: Uint8Array | null
}

/** An inscription as the index knows it now. */
export async function findInscription(sql: Queryable, inscriptionId: string): Promise<InscriptionRow | null> {
  const [row] = await sql<InscriptionRow[]>`
    select inscription_id, sequence, inscription_number, txid, vout, sat_offset, output_value_sats, owner_script
    from inscriptions where inscription_id = ${inscriptionId}`
  return row ?? null
}

export interface ContentRow {
  contentType: string | null
  contentEncoding: string | null
  body: Uint8Array | null
}

/** The content of an inscription, or of the one it delegates to (one step, as ord does). */
export async function findContent(sql: Queryable, inscriptionId: string): Promise<ContentRow | null> {
  const [row] = await sql<ContentRow[]>`
    select c.content_type, c.content_encoding, c.body
    from inscriptions i join inscriptions c on c.inscription_id = coalesce(i.delegate_id, i.inscription_id)
    where i.inscription_id = ${inscriptionId}`
  return row ?? null
}

/** The rare sats in these outputs (index rare_sats_place). */
export function listRareSatsIn(
  sql: Queryable,
  outpoints: readonly Outpoint[],
): Promise<(Outpoint & { bornHeight: number; satOffset: number })[]> {
  return sql<(Outpoint & { bornHeight: number; satOffset: number })[]>`
    select r.txid, r.vout, r.sat_offset, r.born_height
    from unnest(${outpoints.map((each) => each.txid)}::text[], ${outpoints.map((each) => each.vout)}::bigint[]) as o (txid, vout)
    join rare_sats r on r.txid = o.txid and r.vout = o.vout`
}

export async function moveRareSats(
  tx: Transaction,
  height: number,
  moves: readonly RareMove[],
): Promise<void> {
  for (const { bornHeight, from, to } of moves) {
    await tx`
      insert into rare_sat_moves (height, born_height, from_txid, from_vout, from_offset)
      values (${height}, ${bornHeight}, ${from?.txid ?? null}, ${from?.vout ?? null}, ${from?.offset ?? null})`
    await tx`
      insert into rare_sats (born_height, txid, vout, sat_offset)
      values (${bornHeight}, ${to?.txid ?? null}, ${to?.vout ?? null}, ${to?.offset ?? null})
      on conflict (born_height) do update
        set txid = excluded.txid, vout = excluded.vout, sat_offset = excluded.sat_offset`
  }
}

export async function undoRareSats(tx: Transaction, height: number): Promise<void> {
  await tx`
    update rare_sats r set txid = m.from_txid, vout = m.from_vout, sat_offset = m.from_offset
    from rare_sat_moves m where m.height = ${height} and r.born_height = m.born_height`
  await tx`delete from rare_sats where born_height = ${height}`
  await tx`delete from rare_sat_moves where height = ${height}`
}
