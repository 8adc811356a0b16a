import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { Transaction } from '@ordbook/db/driver/connect.ts'

export interface NewTransfer {
  inscriptionId: string
  from: Outpoint
  /** Hex. */
  fromScript: string
  to: Outpoint
  /** Hex. Null if the inscription was lost. */
  toScript: string | null
  txid: string
}

/** Returns the transactions that settle or contain a sale. */
export async function listTrades(tx: Transaction, txids: readonly string[]): Promise<string[]> {
  const rows = await tx<{ txid: string }[]>`
    select txid from unnest(${txids as string[]}::text[]) as t (txid)
    where exists (select 1 from settlements s where s.settlement_txid = t.txid)
      or exists (select 1 from sales s where s.txid = t.txid)`
  return rows.map((row) => row.txid)
}

/** Records moves of collection items between owners. The owner of an item in escrow is its seller. */
export async function insertTransfers(
  tx: Transaction,
  transfers: readonly NewTransfer[],
  { height, at }: { height: number; at: Date },
): Promise<void> {
  const column = (of: (transfer: NewTransfer) => unknown) => transfers.map(of) as string[]
  await tx`
    insert into item_transfers (inscription_id, height, at, from_script, to_script, txid)
    select t.inscription_id, ${height}, ${at}, h.from_script, h.to_script, t.txid
    from unnest(${column((each) => each.inscriptionId)}::text[], ${column((each) => each.from.txid)}::text[],
        ${column((each) => each.from.vout)}::bigint[], ${column((each) => each.fromScript)}::text[],
        ${column((each) => each.to.txid)}::text[], ${column((each) => each.to.vout)}::bigint[],
        ${column((each) => each.toScript)}::text[], ${column((each) => each.txid)}::text[])
        with ordinality as t (inscription_id, from_txid, from_vout, from_script, to_txid, to_vout, to_script, txid, n)
      left join escrows o on o.txid = t.from_txid and o.vout = t.from_vout
      left join escrows i on i.txid = t.to_txid and i.vout = t.to_vout,
      lateral (select coalesce(o.seller_script, decode(t.from_script, 'hex')) as from_script,
        coalesce(i.seller_script, decode(t.to_script, 'hex')) as to_script) h
    where h.from_script is distinct from h.to_script
      and exists (select 1 from collection_items m where m.inscription_id = t.inscription_id)
    order by t.n`
}

/** Deletes a block's transfers. Rows without `from_script` are deleted with their inscription. */
export async function deleteTransfersAt(tx: Transaction, height: number): Promise<void> {
  await tx`delete from item_transfers where height = ${height} and from_script is not null`
}
