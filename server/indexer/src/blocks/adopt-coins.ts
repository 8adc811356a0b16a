import type { Transaction } from '@ordbook/db/driver/connect.ts'
import {
  type AdoptedRow,
  deleteAdopted,
  listAdoptedFrom,
  listUnknown,
} from '../inscriptions/adopt-queries.ts'
import { coinKeysOf, saveSatChanges } from '../inscriptions/coin-queries.ts'
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
  const coins = await IndexedCoins.load(tx, { spent: coinKeysOf(newRows) })
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
  const changes = coins.takeChanges()
  await coins.write(tx)
  const height = newRows[0]?.adoptedHeight
  if (height !== undefined)
    await saveSatChanges(
      tx,
      changes.map((change) => ({ height, ...change })),
    )
  return placed
}

/** Deletes inscriptions adopted at or after a height, after a reorg. Returns their ids, and the sats to delete with `undoSatChanges`. */
export async function forgetAdopted(
  tx: Transaction,
  fromHeight: number,
): Promise<{ inscriptionIds: string[]; satIds: number[] }> {
  const adopted = await listAdoptedFrom(tx, fromHeight)
  if (adopted.length > 0) await deleteAdopted(tx, fromHeight)
  return {
    inscriptionIds: adopted.map((row) => row.inscriptionId),
    satIds: [...new Set(adopted.filter((row) => row.isAlone).map((row) => row.satId))],
  }
}
