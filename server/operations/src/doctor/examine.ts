import { connect, type Sql } from '@ordbook/db/driver/connect.ts'
import { findIdentity } from '@ordbook/db/schema/identity.ts'
import type { Config } from '@ordbook/db/settings/config.ts'
import { findTip } from '@ordbook/indexer/inscriptions/queries.ts'
import { findTime } from '../status/queries.ts'
import { coinsCheck } from './coins.ts'
import { databaseCheck, noDatabase } from './database.ts'
import { type Check, type Finding, fault, type Installation } from './finding.ts'
import { followerCheck } from './follower.ts'
import { guardianCheck, signerCheck } from './keys.ts'
import { diskCheck, previewsCheck, processesCheck, redisCheck } from './machine.ts'
import { maintenanceCheck } from './maintenance.ts'
import { ledgerCheck, marketCoinsCheck, settlementsCheck } from './market-coins.ts'
import { nodeCheck } from './node.ts'
import { ordCheck } from './ord.ts'
import { publicCertificateCheck } from './public-certificate.ts'
import { replicaCheck } from './replica.ts'
import { settingsCheck } from './settings.ts'

const CHECKS: readonly Check[] = [
  settingsCheck,
  publicCertificateCheck,
  databaseCheck,
  replicaCheck,
  nodeCheck,
  followerCheck,
  ordCheck,
  coinsCheck,
  signerCheck,
  guardianCheck,
  marketCoinsCheck,
  ledgerCheck,
  settlementsCheck,
  maintenanceCheck,
  diskCheck,
  redisCheck,
  previewsCheck,
  processesCheck,
]

/** Timeout of a check, in milliseconds. */
const TIMEOUT_MS = 20_000

/** Placeholder for a missing URL. Never connected to. */
const NOWHERE = 'postgres://127.0.0.1'

/**
 * Runs all checks, without changing anything. Never throws. `databaseUrl` is null if there is no database.
 */
export async function* examine(config: Config, databaseUrl: string | null): AsyncGenerator<Finding> {
  const sql = connect(databaseUrl ?? NOWHERE, { as: 'requests', max: 2, name: 'ordbook doctor' })
  if (databaseUrl === null) yield noDatabase(config)
  try {
    let isThere = databaseUrl !== null && (await isReachable(sql))
    const installed = isThere ? await findKnown(sql) : { identity: null, tip: null }
    const installation = { config, sql, isDatabaseUp: isThere, ...installed }
    const checks = databaseUrl === null ? CHECKS.filter((check) => check !== databaseCheck) : CHECKS
    for (const check of checks) {
      if (!isThere && check.byDatabase) continue
      const findings = await findingsOf(check, installation)
      yield* findings
      // A replica does not have all tables.
      if (findings.some(({ fault }) => fault === 'database-read-only')) isThere = false
    }
  } finally {
    await sql.end({ timeout: 1 })
  }
}

const isReachable = (sql: Sql): Promise<boolean> =>
  findTime(sql).then(
    () => true,
    () => false,
  )

/** Returns nulls if the database fails, which its own check reports. */
async function findKnown(sql: Sql): Promise<Pick<Installation, 'identity' | 'tip'>> {
  try {
    return { identity: await findIdentity(sql), tip: (await findTip(sql)) ?? null }
  } catch {
    return { identity: null, tip: null }
  }
}

async function findingsOf(check: Check, installation: Installation): Promise<Finding[]> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no response within ${TIMEOUT_MS / 1000} seconds`)), TIMEOUT_MS)
  })
  try {
    return await Promise.race([check.examine(installation), timeout])
  } catch (error) {
    return [fault(check.failure, reasonOf(error), check.mend)]
  } finally {
    clearTimeout(timer)
  }
}

/** Returns the messages of an error and its causes, without the stack. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const words = error.message || ((error as NodeJS.ErrnoException).code ?? error.name)
  return error.cause instanceof Error ? `${words} (${reasonOf(error.cause)})` : words
}
