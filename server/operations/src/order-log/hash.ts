import type { Queryable, Sql } from '@ordbook/db/driver/connect.ts'
import type { Config } from '@ordbook/db/settings/config.ts'
import type { Signer } from '@ordbook/signer/requests.ts'
import { hashOf, lineOf, startOf } from './chain.ts'
import { findLastHashed, findSignedHead, insertHashes, listLogged, saveSignedHead } from './queries.ts'

/** Changes per statement, and statements per run. Other jobs wait in the meantime. */
const ROWS = 200
const MAX_BATCHES = 100

/** Hashes all new changes. Must not run concurrently. */
export async function hashOrderLog(sql: Sql, network: string): Promise<void> {
  let head = (await findLastHashed(sql)) ?? { position: 0, hash: startOf(network) }
  for (let batch = 0; batch < MAX_BATCHES; batch++) {
    const changes = await listLogged(sql, head.position, ROWS)
    if (changes.length === 0) return
    const lines = []
    for (const { position, change } of changes) {
      const line = lineOf(position, head.hash, change)
      head = { position, hash: hashOf(line) }
      lines.push({ ...head, bytes: Buffer.byteLength(line) + 1 })
    }
    await insertHashes(sql, lines)
  }
}

/** Signs the newest change, unless it is signed. Must not run concurrently. */
export async function signHead({
  sql,
  signer,
  config,
}: {
  sql: Queryable
  signer: Pick<Signer, 'signLogHead'>
  config: Pick<Config, 'chain'>
}): Promise<void> {
  const head = await findLastHashed(sql)
  if (!head || head.position === (await findSignedHead(sql))?.position) return
  const signature = await signer.signLogHead({ network: config.chain, ...head })
  await saveSignedHead(sql, { ...head, signature })
}
