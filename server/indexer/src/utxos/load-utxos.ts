import { randomBytes } from 'node:crypto'
import { pipeline } from 'node:stream/promises'
import { type Connection, connectForTools } from '@ordbook/db/driver/connect.ts'
import type { CoreSource } from '../node/core.ts'
import type { UtxoDump } from '../node/core-answers.ts'
import { CopyRows } from './copy-rows.ts'
import { DumpError, DumpReader } from './dump-reader.ts'
import type { LoadReport } from './load-report.ts'
import { readDump } from './node-dump.ts'
import { beginLoad, COPY_UTXOS, commitLoad, indexUtxos, insertUtxoBlock } from './utxo-queries.ts'
import { SCRIPT_KEY_BYTES, scriptHasher } from './utxo-row.ts'

export interface LoadOptions {
  databaseUrl: string
  node: CoreSource
  /** Folder for the dump, which the node can write to. */
  folder: string
}

/**
 * Replaces the UTXOs by the node's, without a time limit. The table is empty until the load ends. Throws DumpError if the dump differs from the
 * node's report.
 */
export async function loadUtxos(
  { databaseUrl, node, folder }: LoadOptions,
  report: LoadReport,
  signal: AbortSignal,
): Promise<void> {
  const connection = await connectForTools(databaseUrl, 'utxos')
  const stopping = new AbortController()
  const until = AbortSignal.any([signal, stopping.signal])
  // Also rolls back a statement that PostgreSQL is running.
  const destroy = () => connection.destroy()
  until.addEventListener('abort', destroy)
  void connection.lost.then((error) => stopping.abort(error))
  const scriptKey = new Uint8Array(randomBytes(SCRIPT_KEY_BYTES))
  try {
    await beginLoad(connection.sql)
    report.enter('waiting')
    const [dump, read] = await readDump(node, folder, until, (pieces) =>
      copy(connection, pieces, { scriptKey, report, until }),
    )
    await assertSame(node, dump, read)
    report.enter('indexing')
    await indexUtxos(connection.sql)
    await insertUtxoBlock(connection.sql, {
      height: dump.base_height,
      blockHash: dump.base_hash,
      scriptKey,
    })
    until.throwIfAborted()
    await commitLoad(connection.sql)
  } finally {
    until.removeEventListener('abort', destroy)
    connection.destroy()
  }
}

/** Copies a dump into the table. */
async function copy(
  connection: Connection,
  pieces: AsyncIterable<Uint8Array>,
  { scriptKey, report, until }: { scriptKey: Uint8Array; report: LoadReport; until: AbortSignal },
): Promise<ReturnType<DumpReader['finish']>> {
  const rows = new CopyRows(scriptHasher(scriptKey))
  const reader = new DumpReader((coin) => rows.add(coin))
  const finished = Promise.withResolvers<ReturnType<DumpReader['finish']>>()
  finished.promise.catch(() => {})
  async function* copied() {
    let isReading = false
    for await (const piece of pieces) {
      reader.push(piece)
      yield rows.take()
      if (!reader.header) continue
      report.read(reader.coins, reader.header.coins)
      if (!isReading) report.enter('reading')
      isReading = true
    }
    finished.resolve(reader.finish())
    yield Buffer.concat([rows.take(), CopyRows.end])
  }
  await pipeline(copied, connection.copyIn(COPY_UTXOS), { signal: until })
  return finished.promise
}

async function assertSame(
  node: CoreSource,
  dump: UtxoDump,
  { blockHash, coins, setHash }: ReturnType<DumpReader['finish']>,
): Promise<void> {
  if (blockHash !== dump.base_hash || (await node.blockHash(dump.base_height)) !== blockHash)
    throw new DumpError(`the dump is of block ${blockHash}, which is not the node's at ${dump.base_height}`)
  if (coins !== dump.coins_written || setHash !== dump.txoutset_hash)
    throw new DumpError('the coins of the dump differ from those of the node')
}
