import type { Queryable, Transaction } from '../db/connect.ts'

/** An inscription as an ord server tells of it. */
export interface AdoptedRow {
  sequence: number
  inscriptionId: string
  inscriptionNumber: number
  height: number
  inscribedAt: Date
  cursed: boolean
  vindicated: boolean
  unbound: boolean
  reinscription: boolean
  parentIds: string[]
  feeSats: number
  bornIn: 'op_return' | 'lost' | null
  contentType: string | null
  metaprotocol: string | null
  properties: Uint8Array | null
  sat: number | null
  txid: string
  vout: number
  satOffset: number
  outputValueSats: number | null
  ownerScript: Uint8Array | null
  adoptedHeight: number
}

export async function insertAdopted(tx: Transaction, rows: readonly AdoptedRow[]): Promise<void> {
  if (rows.length === 0) return
  await tx`
    insert into inscriptions ${tx(
      rows.map((row) => ({
        sequence: row.sequence,
        inscription_id: row.inscriptionId,
        inscription_number: row.inscriptionNumber,
        height: row.height,
        inscribed_at: row.inscribedAt,
        cursed: row.cursed,
        vindicated: row.vindicated,
        unbound: row.unbound,
        reinscription: row.reinscription,
        parent_ids: row.parentIds,
        fee_sats: row.feeSats,
        born_in: row.bornIn,
        content_type: row.contentType,
        metaprotocol: row.metaprotocol,
        properties: row.properties,
        sat: row.sat,
        txid: row.txid,
        vout: row.vout,
        sat_offset: row.satOffset,
        output_value_sats: row.outputValueSats,
        owner_script: row.ownerScript,
        adopted_height: row.adoptedHeight,
      })),
    )} on conflict (inscription_id) do nothing`
}

/** Forgets what ord told at or after a height: the chain has turned since. Gives the ids. */
export async function deleteAdopted(tx: Transaction, fromHeight: number): Promise<string[]> {
  const rows = await tx<{ inscriptionId: string }[]>`
    delete from inscriptions where adopted_height >= ${fromHeight} returning inscription_id`
  return rows.map((row) => row.inscriptionId)
}

/** Members of collections that the index has not seen (index collection_items_unseen), but for some. */
export async function listUnseenItems(
  sql: Queryable,
  except: readonly string[],
  rows: number,
): Promise<string[]> {
  const found = await sql<{ inscriptionId: string }[]>`
    select distinct inscription_id from collection_items
    where sort_key >= 4503599627370496 and not inscription_id = any(${except as string[]}::text[]) limit ${rows}`
  return found.map((row) => row.inscriptionId)
}

/** The height at which an index began that was not read from the first block; null for one that was. */
export async function findBase(sql: Queryable): Promise<number | null> {
  const [row] = await sql<{ height: number }[]>`select value::int as height from settings where name = 'base'`
  return row?.height ?? null
}

export async function setBase(tx: Transaction, height: number): Promise<void> {
  await tx`insert into settings (name, value) values ('base', ${String(height)}), ('sats', 'off')`
}
