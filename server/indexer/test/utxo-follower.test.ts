import { connect } from '@ordbook/db/driver/connect.ts'
import { migrate } from '@ordbook/db/schema/migrate.ts'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { freshDatabase } from '../../../e2e/support/market.ts'
import { BlockReader } from '../src/blocks/block-reader.ts'
import { CoreSource } from '../src/node/core.ts'
import { findUtxoState } from '../src/utxos/load-queries.ts'
import { LoadReport } from '../src/utxos/load-report.ts'
import { UtxoFollower } from '../src/utxos/utxo-follower.ts'
import { insertUtxoBlock } from '../src/utxos/utxo-queries.ts'

const blockHash = 'ab'.repeat(32)

it('clears the failure that another process reported', async () => {
  const databaseUrl = await freshDatabase()
  const sql = connect(databaseUrl, { max: 2 })
  try {
    await migrate(sql)
    await insertUtxoBlock(sql, { height: 1, blockHash, scriptKey: new Uint8Array(16) })
    const node = new CoreSource('http://127.0.0.1:1')
    node.blockchainInfo = async () => ({ blocks: 1, bestblockhash: blockHash }) as never
    const log = pino({ level: 'silent' })
    const follower = new UtxoFollower({
      ...{ sql, databaseUrl, node, log, reader: new BlockReader(node, null) },
      ...{ folder: '/none', undoBlocks: 100, loadPauseMilliseconds: 0 },
    })
    await follower.sync(new AbortController().signal)
    await new LoadReport(sql, log).fail(new Error('the node is down'))
    expect((await findUtxoState(sql)).failure).toMatchObject({ detail: 'the node is down' })
    await follower.sync(new AbortController().signal)
    expect((await findUtxoState(sql)).failure).toBeNull()
  } finally {
    await sql.end()
  }
})
