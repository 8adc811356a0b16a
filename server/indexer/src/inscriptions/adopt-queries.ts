import type { Queryable, Transaction } from '@ordbook/db/driver/connect.ts'
import { portions } from '../portions.ts'
import type { InscriptionRow } from './queries.ts'

/** Maximum rows per insert. */
const ROWS = 5000

export interface AdoptedRow extends InscriptionRow {
  height: number
  inscribedAt: Date
  cursed: boolean
  vindicated: boolean
  unbound: boolean
  reinscription: boolean
  parentIds: string[]
  feeSats: number
  bornIn: 'op_return' | 'lost' | null
  delegateId: string | null
  pointer: number | null
  contentType: string | null
  contentEncoding: string | null
  /** Size of the body, which stays at `ord`; null without a body. */
  contentLength: number | null
  metaprotocol: string | null
  metadata: Uint8Array | null
  properties: Uint8Array | null
  propertyEncoding: string | null
  sat: number | null
  adoptedHeight: number
}

export async function listUnknown(sql: Queryable, inscriptionIds: readonly string[]): Promise<Set<string>> {
  const rows = await sql<{ inscriptionId: string }[]>`
    select inscription_id from unnest(${inscriptionIds as string[]}::text[]) as each (inscription_id)
    where not exists (select 1 from inscription_rows i where i.inscription_id = each.inscription_id)`
  return new Set(rows.map((row) => row.inscriptionId))
}

export async function insertAdopted(
  tx: Transaction,
  rows: readonly (AdoptedRow & { satId: number })[],
): Promise<void> {
  const hexOf = (bytes: Uint8Array | null) => bytes && Buffer.from(bytes).toString('hex')
  const sizeOf = ({ metadata, properties }: AdoptedRow) =>
    2 * ((metadata?.length ?? 0) + (properties?.length ?? 0))
  for (const portion of portions(rows, ROWS, sizeOf)) {
    const column = (of: (row: AdoptedRow & { satId: number }) => unknown) => portion.map(of) as string[]
    // One array per column: a parameter per value took several times as long.
    await tx`
      insert into inscription_rows (sequence, inscription_id, inscription_number, height, inscribed_at, cursed, vindicated, unbound,
        reinscription, parent_ids, fee_sats, born_in, delegate_id, pointer, content_type, content_encoding, content_length,
        metaprotocol, metadata, properties, property_encoding, sat, sat_id, adopted_height)
      select sequence, inscription_id, inscription_number, height, to_timestamp(inscribed_at), cursed, vindicated, unbound,
        reinscription, parent_ids::text[], fee_sats, born_in, delegate_id, pointer, content_type, content_encoding, content_length,
        metaprotocol, decode(metadata, 'hex'), decode(properties, 'hex'), property_encoding, sat, sat_id, adopted_height
      from unnest(${column((row) => row.sequence)}::bigint[], ${column((row) => row.inscriptionId)}::text[],
        ${column((row) => row.inscriptionNumber)}::bigint[], ${column((row) => row.height)}::int[],
        ${column((row) => row.inscribedAt.getTime() / 1000)}::float8[], ${column((row) => row.cursed)}::boolean[],
        ${column((row) => row.vindicated)}::boolean[], ${column((row) => row.unbound)}::boolean[],
        ${column((row) => row.reinscription)}::boolean[], ${column((row) => `{${row.parentIds.map((id) => JSON.stringify(id))}}`)}::text[],
        ${column((row) => row.feeSats)}::bigint[], ${column((row) => row.bornIn)}::text[],
        ${column((row) => row.delegateId)}::text[], ${column((row) => row.pointer)}::bigint[],
        ${column((row) => row.contentType)}::text[], ${column((row) => row.contentEncoding)}::text[],
        ${column((row) => row.contentLength)}::int[], ${column((row) => row.metaprotocol)}::text[],
        ${column((row) => hexOf(row.metadata))}::text[], ${column((row) => hexOf(row.properties))}::text[],
        ${column((row) => row.propertyEncoding)}::text[], ${column((row) => row.sat)}::bigint[],
        ${column((row) => row.satId)}::bigint[], ${column((row) => row.adoptedHeight)}::int[])
        as r (sequence, inscription_id, inscription_number, height, inscribed_at, cursed, vindicated, unbound, reinscription,
          parent_ids, fee_sats, born_in, delegate_id, pointer, content_type, content_encoding, content_length, metaprotocol,
          metadata, properties, property_encoding, sat, sat_id, adopted_height)`
  }
}

/** Returns the inscriptions adopted at or after a height. `isAlone`: no other inscription is on the sat. */
export function listAdoptedFrom(
  tx: Transaction,
  fromHeight: number,
): Promise<{ inscriptionId: string; satId: number; isAlone: boolean }[]> {
  return tx`
    select i.inscription_id, i.sat_id, not exists (
      select 1 from inscription_rows o
      where o.sat_id = i.sat_id and (o.adopted_height is null or o.adopted_height < ${fromHeight})) as is_alone
    from inscription_rows i where i.adopted_height >= ${fromHeight}`
}

/** Deletes the inscriptions adopted at or after a height. Queues others that name them as delegates, so that these are adopted again. */
export async function deleteAdopted(tx: Transaction, fromHeight: number): Promise<void> {
  await tx`
    insert into incomplete_inscriptions (sequence, claims_parents)
    select i.sequence, false from inscription_rows d join inscription_rows i on i.delegate_id = d.inscription_id
    where d.adopted_height >= ${fromHeight} and (i.adopted_height is null or i.adopted_height < ${fromHeight})
    on conflict do nothing`
  await tx`delete from inscription_rows where adopted_height >= ${fromHeight}`
}

/** Returns collection members that the index lacks, except ids in `except` (index collection_items_unseen). */
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

/** Returns the number of transactions that changed the index, other than the follower's. */
export async function findChanges(sql: Queryable): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select value::bigint as count from settings where name = 'index changes'`
  return row?.count ?? 0
}

/** Counts a transaction that changes the index, so that the follower does not write blocks computed on its former state. */
export async function countChange(tx: Transaction): Promise<void> {
  await tx`
    insert into settings (name, value) values ('index changes', '1')
    on conflict (name) do update set value = (settings.value::bigint + 1)::text`
}

/** Returns the first height of an index begun at `ord`; null for other indexes. */
export async function findBase(sql: Queryable): Promise<number | null> {
  const [row] = await sql<{ height: number }[]>`select value::int as height from settings where name = 'base'`
  return row?.height ?? null
}

/** Returns the lowest height of the index. */
export async function findFirstHeight(sql: Queryable): Promise<number> {
  const [row] = await sql<{ height: number | null }[]>`select min(height) as height from blocks`
  return (await findBase(sql)) ?? row!.height ?? 0
}

export async function setBase(tx: Transaction, height: number): Promise<void> {
  await tx`insert into settings (name, value) values ('base', ${String(height)}), ('sats', 'off')`
}
