import { inTransaction, type Sql } from '@ordbook/db/driver/connect.ts'

/** Moves an inscription to another coin by SQL. It must be the only one in its coin. */
export async function moveItem(sql: Sql, inscriptionId: string, txid: string): Promise<void> {
  await inTransaction(sql, async (tx) => {
    await tx`
      update inscribed_sats set txid = ${txid}
      where sat_id = (select sat_id from inscription_rows where inscription_id = ${inscriptionId})`
    await tx`select update_watched_inscriptions(array[${inscriptionId}]::text[])`
  })
}
