import { keyOfTxid } from '@ordbook/bitcoin/raw-block.ts'
import type { Transaction } from '@ordbook/db/driver/connect.ts'
import {
  type AdoptedRow,
  deleteAdopted,
  listAdoptedFrom,
  listUnknown,
} from '../inscriptions/adopt-queries.ts'
import { IndexedCoins } from '../inscriptions/indexed-coins.ts'

/** Places adopted inscriptions on their sats. Returns the new inscriptions with the ids of their sats. */
export async function placeAdopted(
  tx: Transaction,
  rows: readonly AdoptedRow[],
): Promise<(AdoptedRow & { satId: number })[]> {
  const unknownIds = await listUnknown(
    tx,
    rows.map((row) => row.inscriptionId),
  )
  const newRows = rows.filter((row) => unknownIds.has(row.inscriptionId))
  const coins = await IndexedCoins.load(tx, { keys: new Set(newRows.map((row) => keyOfTxid(row.txid))) })
  const placed: (AdoptedRow & { satId: number })[] = []
  for (const row of newRows.toSorted((a, b) => a.sequence - b.sequence)) {
    const { txid, vout, satOffset, outputValueSats, ownerScript } = row
    const output =
      ownerScript && outputValueSats !== null ? { valueSats: outputValueSats, script: ownerScript } : null
    const node = await coins.run(
      coins.adopt(
        { outpoint: { txid, vout }, offset: satOffset, output },
        { id: row.sequence, isCursed: row.cursed || row.vindicated },
      ),
    )
    placed.push({ ...row, satId: node.id })
  }
  await coins.write(tx)
  return placed
}

/** Deletes inscriptions adopted at or after a height, after a reorg. Returns their ids. */
export async function forgetAdopted(tx: Transaction, fromHeight: number): Promise<string[]> {
  const adopted = await listAdoptedFrom(tx, fromHeight)
  if (adopted.length === 0) return []
  const alone = adopted.filter((row) => row.isAlone).map((row) => row.inscriptionId)
  const coins = await IndexedCoins.load(tx, { keys: [], inscriptionIds: alone })
  await coins.removeAdopted(tx, alone)
  await deleteAdopted(tx, fromHeight)
  return adopted.map((row) => row.inscriptionId)
}
