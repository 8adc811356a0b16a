import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import type { KeyConfig } from './config.ts'
import { type Guardian, type IsIn, localGuardian } from './guardian/guardian.ts'
import { hasJournal, makeJournal } from './journal.ts'
import { keyFilesOf } from './key-files.ts'
import { localSigner } from './local.ts'
import { memoryIn } from './memory.ts'
import type { Signer } from './requests.ts'
import { revocationsIn } from './revocations.ts'
import { readSecret } from './secret.ts'
import { ConfigError } from './variables.ts'

/** Keys that were opened, and whether this start made them. */
export interface Opened<Keys> {
  keys: Keys
  made: boolean
}

/** The market's knowledge of its keys before they are opened. */
export interface Origin {
  /** The way to mend missing keys, for the message; null where they may be made. */
  missing: string | null
  /** Nothing was ever signed for this market: a journal may be made for keys that are there already. */
  isFirst: boolean
}

/** The market's keys of this host. Throws ConfigError. */
export function openSignerHere(config: KeyConfig, origin: Origin): Opened<Signer> {
  const { cosign: cosignFile, coins: coinsFile } = keyFilesOf(config)
  const files = [cosignFile, coinsFile]
  const file = join(config.dataDir, 'signer.journal')
  const made = prepare(config, files, file, origin)
  const [cosign, coins] = files.map((each) => readSecret(each))
  if (equalBytes(cosign!, coins!))
    throw new ConfigError(
      `${files.join(' and ')} hold the same seed: each key has its own, so that who learns one has not both`,
    )
  const policy = { maxFeeRateSatVb: config.feeRateMaxSatVb, mostCallSats: config.signerCallSats }
  const signer = localSigner({ cosign: cosign!, coins: coins! }, policy, memoryIn(file, config.signerDaySats))
  return { keys: signer, made }
}

/** The guardian's key of this host. Throws ConfigError. */
export function openGuardianHere(config: KeyConfig, isIn: IsIn, origin: Origin): Opened<Guardian> {
  const { guardian: key } = keyFilesOf(config)
  const file = join(config.dataDir, 'guardian.journal')
  const made = prepare(config, [key], file, origin)
  return { keys: localGuardian(readSecret(key), isIn, revocationsIn(file)), made }
}

/**
 * Keys and their journal are made together, the journal last. Afterwards it belongs to them: a host that has the keys without
 * it would sign what was revoked, and is refused.
 */
function prepare(config: KeyConfig, keyFiles: readonly string[], journal: string, origin: Origin): boolean {
  const absent = keyFiles.filter((file) => !existsSync(file))
  if (absent.length > 0 && origin.missing)
    throw new ConfigError(`found no ${absent.join(', ')}: ${origin.missing}`)
  if (absent.length > 0 && hasJournal(journal))
    throw new ConfigError(
      `found ${journal}, but no ${absent.join(', ')}: restore the keys of this journal from their backup`,
    )
  if (absent.length === 0 && !hasJournal(journal) && !origin.isFirst && config.newJournal === 'off')
    throw new ConfigError(
      `found ${keyFiles.join(', ')}, but no ${journal}, which says what these keys may no longer sign: restore it from ` +
        'its backup. If it is lost for good, or these keys never signed, start once with NEW_JOURNAL=on',
    )
  for (const file of absent) readSecret(file)
  if (!hasJournal(journal)) makeJournal(journal)
  return absent.length > 0
}
