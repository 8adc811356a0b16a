import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Sql } from '@ordbook/db/driver/connect.ts'
import { DumpReader } from '@ordbook/indexer/utxos/dump-reader.ts'
import { findUtxoTip } from '@ordbook/indexer/utxos/utxo-queries.ts'
import { headOf, scriptHasher } from '@ordbook/indexer/utxos/utxo-row.ts'
import type { TestNode } from '../../support/node.ts'

/** Returns the rows in which the table of UTXOs and a new dump of the node differ, heights included. */
export async function differencesFromNode(sql: Sql, node: TestNode): Promise<string[]> {
  const tip = await findUtxoTip(sql)
  if (!tip) return ['no UTXOs']
  const path = join(node.directory, 'compared.dump')
  rmSync(path, { force: true })
  await node.regtest.call('dumptxoutset', path, 'latest')
  const hashOf = scriptHasher(tip.scriptKey)
  const expected = new Map<string, number>()
  const reader = new DumpReader(({ txid, vout, height, valueSats, script }) => {
    const rest = Buffer.from(txid.subarray(6)).toString('hex')
    expected.set([hashOf(script), headOf(txid, vout), valueSats, vout, height, rest].join(' '), 1)
  })
  reader.push(readFileSync(path))
  const { blockHash } = reader.finish()
  const rows = await sql<{ row: string }[]>`
    select concat_ws(' ', script, head, value_sats, vout, height, encode(txid_rest, 'hex')) as row from utxos`
  for (const { row } of rows) expected.set(row, (expected.get(row) ?? 0) - 1)
  return [
    ...(blockHash === tip.blockHash ? [] : [`the tip is ${tip.blockHash}`]),
    ...[...expected].filter(([, count]) => count !== 0).map(([row, count]) => `${count} ${row}`),
  ]
}
