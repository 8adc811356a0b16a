import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { guide } from '@ordbook/process/guide.ts'
import { ConfigError } from '@ordbook/process/variables.ts'
import { type Guardian, type IsIn, localGuardian } from '@ordbook/signer/guardian/guardian.ts'
import type { Journal } from '@ordbook/signer/journal.ts'
import { hasJournal, makeJournal } from '@ordbook/signer/journal-files.ts'
import type { Holder } from '@ordbook/signer/link.ts'
import { localSigner } from '@ordbook/signer/local.ts'
import type { Signer } from '@ordbook/signer/requests.ts'
import { revocationsIn } from '@ordbook/signer/revocations.ts'
import { readSecret } from '@ordbook/signer/secret.ts'
import { memoryIn } from '@ordbook/signer/signer-state.ts'
import type { KeyConfig } from './config.ts'
import { keyFilesOf } from './key-files.ts'

/** `made` is true if this start created the keys. */
export interface Opened<Keys> {
  keys: Keys
  journal: Journal
  made: boolean
}

/** Facts about the keys from the market's database. */
export interface Origin {
  /** How to restore missing keys; null if they can be created. */
  missing: string | null
  /** Nothing was ever signed, so a journal can be created for existing keys. */
  isFirst: boolean
}

/** Opens the market's keys on this host. Throws ConfigError. */
export function openSignerHere(config: KeyConfig, origin: Origin): Opened<Signer> {
  const { cosign: cosignFile, coins: coinsFile } = keyFilesOf(config)
  const files = [cosignFile, coinsFile]
  const file = join(config.dataDir, 'signer.journal')
  const made = prepare(config, 'signer', { keyFiles: files, journal: file }, origin)
  const [cosign, coins] = files.map((path) => readSecret(path))
  if (equalBytes(cosign!, coins!))
    throw new ConfigError(
      `${files.join(' and ')} contain the same seed. Use different seeds, so that a leaked seed exposes only one key`,
    )
  const policy = { maxFeeRateSatVb: config.feeRateMaxSatVb, mostCallSats: config.signerMaxFeePerCallSats }
  const memory = memoryIn(file, config.signerMaxFeePerDaySats)
  assertPair(config, 'signer', memory.journal)
  const keys = localSigner({ cosign: cosign!, coins: coins! }, policy, memory)
  return { keys, journal: memory.journal, made }
}

/** Opens the guardian's key on this host. Throws ConfigError. */
export function openGuardianHere(config: KeyConfig, isIn: IsIn, origin: Origin): Opened<Guardian> {
  const { guardian: key } = keyFilesOf(config)
  const file = join(config.dataDir, 'guardian.journal')
  const made = prepare(config, 'guardian', { keyFiles: [key], journal: file }, origin)
  const revocations = revocationsIn(file)
  assertPair(config, 'guardian', revocations.journal)
  const keys = localGuardian(readSecret(key), isIn, revocations)
  return { keys, journal: revocations.journal, made }
}

/** Throws ConfigError if the journal belongs to a pair but this process does not. The other host may be signing. */
function assertPair(config: KeyConfig, holder: Holder, { log }: Journal): void {
  if (config[`${holder}Host`] === null && log.standing().term > 0)
    throw new ConfigError(
      `the journal of the ${holder} belongs to a pair: expected ${holder.toUpperCase()}_HOST (${guide('docs/how-to/run-keys-on-other-hosts.md')})`,
    )
}

/**
 * Creates missing keys, then the journal. Rejects existing keys without a journal, because they would sign revoked orders. Returns whether
 * keys were created.
 */
function prepare(
  config: KeyConfig,
  holder: Holder,
  { keyFiles, journal }: { keyFiles: readonly string[]; journal: string },
  origin: Origin,
): boolean {
  const missingFiles = keyFiles.filter((file) => !existsSync(file))
  if (config[`${holder}Host`] && config[`${holder}ForceTerm`] === null && !hasJournal(journal))
    throw new ConfigError(
      `cannot find ${journal}. Copy keys and journal from the other host of the pair, or start the first host once with ${holder.toUpperCase()}_FORCE_TERM=0`,
    )
  if (missingFiles.length > 0 && origin.missing)
    throw new ConfigError(`cannot find ${missingFiles.join(', ')}: ${origin.missing}`)
  if (missingFiles.length > 0 && hasJournal(journal))
    throw new ConfigError(
      `found ${journal}, but no ${missingFiles.join(', ')}: restore the keys of this journal from their backup`,
    )
  if (missingFiles.length === 0 && !hasJournal(journal) && !origin.isFirst && config.resetJournal === 'off')
    throw new ConfigError(
      `found ${keyFiles.join(', ')}, but no ${journal}, which records what these keys must not sign. Restore it from ` +
        'its backup. If there is no backup, or these keys never signed, start once with RESET_JOURNAL=on',
    )
  for (const file of missingFiles) readSecret(file)
  if (!hasJournal(journal)) makeJournal(journal)
  return missingFiles.length > 0
}
