import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import type { KeyConfig } from './config.ts'
import { ConfigError } from './variables.ts'

/**
 * Reads 32 bytes in hex from a file, making them for the owner's eyes alone where there are none. `missing` says what to
 * do about a file that must be there. Throws ConfigError.
 */
export function readSecret(
  file: string,
  missing: string | null = null,
): { secret: Uint8Array; made: boolean } {
  const made = !existsSync(file)
  if (made && missing !== null) throw new ConfigError(`found no ${file}: ${missing}`)
  if (made) makeSecret(file)
  const text = readFileSync(file, 'utf8').trim()
  if (!/^[0-9a-f]{64}$/.test(text)) throw new ConfigError(`${file} must hold 64 lower-case hex digits`)
  return { secret: hexToBytes(text), made }
}

/** The file appears whole and on the disk, or not at all: of two processes at a first start one makes it. */
function makeSecret(file: string): void {
  mkdirSync(dirname(file), { recursive: true })
  const draft = `${file}.${process.pid}.new`
  writeFileSync(draft, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flush: true })
  try {
    linkSync(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    unlinkSync(draft)
  }
}

/** The market's seed, from the environment or its file. `missing` as for `readSecret`. */
export function readSeed(config: KeyConfig, missing: string | null): { seed: Uint8Array; made: boolean } {
  if (config.marketKey) return { seed: hexToBytes(config.marketKey), made: false }
  const { secret, made } = readSecret(config.marketKeyFile ?? join(config.dataDir, 'market.key'), missing)
  return { seed: secret, made }
}

/** What the signer and the server share. */
export function readSignerSecret(config: KeyConfig): Uint8Array {
  return readSecret(config.signerSecretFile ?? join(config.dataDir, 'signer.secret')).secret
}

/** What only the guardian may read. */
export function readGuardianSeed(config: KeyConfig, missing: string | null = null): Uint8Array {
  return readSecret(config.guardianKeyFile ?? join(config.dataDir, 'guardian.key'), missing).secret
}

/** What the guardian and the server share. */
export function readGuardianSecret(config: KeyConfig): Uint8Array {
  return readSecret(config.guardianSecretFile ?? join(config.dataDir, 'guardian.secret')).secret
}
