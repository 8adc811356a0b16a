import { bytesToHex } from '@ordbook/bitcoin/bytes.ts'
import type { Guardian } from '@ordbook/signer/guardian/guardian.ts'
import type { Signer } from '@ordbook/signer/requests.ts'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import type { Sql } from '../db/connect.ts'
import { assertIdentity, claimDatabase, findIdentity } from '../db/identity.ts'
import { byIndex } from './by-index.ts'
import { openGuardian } from './open-guardian.ts'
import { openSigner } from './open-signer.ts'

/**
 * The market's signer and guardian, with the keys that the database belongs to. Only for a database that belongs to no
 * market yet they may be made. Throws ConfigError.
 */
export async function openKeys(
  config: Config,
  sql: Sql,
  log: Logger,
): Promise<{ signer: Signer; guardian: Guardian }> {
  const known = await findIdentity(sql)
  if (known) assertIdentity(known, { chain: config.chain })
  const signer = await openSigner(config, known?.marketKey ?? null, () =>
    log.warn('made a new market key: back up market.key, the coins of the market are lost without it'),
  )
  const guardian = await openGuardian(config, byIndex(sql), known?.guardianKey ?? null)
  await claimDatabase(sql, {
    chain: config.chain,
    marketKey: bytesToHex(signer.keys.cosignKey),
    marketCoins: bytesToHex(signer.keys.coinScript),
    guardianKey: bytesToHex(guardian.key),
  })
  return { signer, guardian }
}
