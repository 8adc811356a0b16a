import { bytesToHex } from '@ordbook/bitcoin/bytes.ts'
import type { Sql } from '@ordbook/db/driver/connect.ts'
import { assertIdentity, claimDatabase, findIdentity } from '@ordbook/db/schema/identity.ts'
import { type Config, ConfigError } from '@ordbook/db/settings/config.ts'
import { JournalError, type Mark } from '@ordbook/signer/checkpoint.ts'
import type { Guardian } from '@ordbook/signer/guardian/guardian.ts'
import type { CertificateEnd } from '@ordbook/signer/link.ts'
import { guardianCalls, type Signer, signerCalls } from '@ordbook/signer/requests.ts'
import { linkOf } from '@ordbook/signer-host/link-of.ts'
import type { Logger } from 'pino'
import { answeringFaults } from './answers.ts'
import { byIndex } from './by-index.ts'
import { findCheckpoint, isForgotten, type JournalName, saveCheckpoint } from './checkpoint-queries.ts'
import { openGuardian } from './open-guardian.ts'
import { openSigner } from './open-signer.ts'

export interface Keys {
  signer: Signer
  guardian: Guardian
  /** Journals that were replaced. Their orders must end before `keepMarks` (journal-recovery.ts). */
  lost: JournalName[]
  /** Stores journal checkpoints outside any transaction. Signing must not wait for a connection. */
  keepMarks(): Promise<void>
  /** Expiry times of TLS certificates. May contain duplicates. */
  certificates(): CertificateEnd[]
}

/**
 * Opens the market's signer and guardian. Generates keys only for a new database. Throws ConfigError if keys or journals do not match the
 * database.
 */
export async function openKeys(config: Config, sql: Sql, log: Logger): Promise<Keys> {
  const identity = await findIdentity(sql)
  if (identity) assertIdentity(identity, { chain: config.chain })
  const marks = {
    'signer journal': await findCheckpoint(sql, 'signer journal'),
    'guardian journal': await findCheckpoint(sql, 'guardian journal'),
  }
  if (config.resetJournal === 'off' && Object.values(marks).some((mark) => mark && isForgotten(mark)))
    throw new ConfigError(
      'the database was restored from a backup, and the journals may be outdated or missing. Start signer, guardian and servers once with RESET_JOURNAL=on. This ends all orders, because any of them may have been cancelled. If the journals are current, restore again with --journals-kept',
    )
  const seen = (name: JournalName) => (config.resetJournal === 'on' ? null : marks[name])
  const links = {
    signer: linkOf(config, 'signer', 'server', log),
    guardian: linkOf(config, 'guardian', 'server', log),
  }
  const { signer, guardian } = await openBoth(
    { link: links.signer, known: identity?.marketKey ?? null, seen: seen('signer journal') },
    { link: links.guardian, known: identity?.guardianKey ?? null, seen: seen('guardian journal') },
  )
  const current = { 'signer journal': signer.mark(), 'guardian journal': guardian.mark() }
  const lost = (Object.keys(marks) as JournalName[]).filter(
    (name) =>
      marks[name] &&
      (marks[name].journal !== current[name].journal || marks[name].lines > current[name].lines),
  )
  await claimDatabase(sql, {
    chain: config.chain,
    marketKey: bytesToHex(signer.keys.cosignKey),
    marketCoins: bytesToHex(signer.keys.coinScript),
    guardianKey: bytesToHex(guardian.key),
  })
  const replaced = new Set<JournalName>(lost)
  const saved = new Map<JournalName, string>()
  const keepMark = async (name: JournalName, mark: Mark) => {
    const text = `${mark.journal} ${mark.lines}`
    if (saved.get(name) === text) return
    await saveCheckpoint(sql, name, mark, replaced.has(name))
    replaced.delete(name)
    saved.set(name, text)
  }
  const keepMarks = async () => {
    await keepMark('signer journal', signer.mark())
    await keepMark('guardian journal', guardian.mark())
  }
  return {
    signer: answeringFaults('signer', signerCalls, signer, log),
    guardian: answeringFaults('guardian', guardianCalls, guardian, log),
    lost,
    keepMarks,
    certificates: () => Object.values(links).flatMap((link) => link?.certificates() ?? []),
  }

  async function openBoth(
    ofSigner: Parameters<typeof openSigner>[1],
    ofGuardian: Parameters<typeof openGuardian>[2],
  ): Promise<{ signer: Signer; guardian: Guardian }> {
    try {
      return {
        signer: await openSigner(config, ofSigner, () =>
          log.warn(
            'generated new keys: back up cosign.key, coins.key and guardian.key, because the market cannot settle without them',
          ),
        ),
        guardian: await openGuardian(config, byIndex(sql), ofGuardian),
      }
    } catch (error) {
      const reason = error instanceof Error && error.cause instanceof JournalError ? error.cause : error
      if (!(reason instanceof JournalError)) throw error
      throw new ConfigError(
        `${reason.message}. If the journal cannot be restored, start signer, guardian and servers once with RESET_JOURNAL=on`,
      )
    }
  }
}
