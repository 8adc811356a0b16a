import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { bytesToHex, hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { makeFile } from '@ordbook/process/make-file.ts'
import { Exactly, ParseError, parse } from '@ordbook/process/parse.ts'
import { ConfigError } from '@ordbook/process/variables.ts'
import { Hash } from '@ordbook/signer/scalars.ts'
import { readSecret } from '@ordbook/signer/secret.ts'
import { type Static, Type } from 'typebox'
import type { KeyConfig } from './config.ts'
import { type KeyName, keyFilesOf } from './key-files.ts'

/**
 * A host's seeds in one file, encrypted with a passphrase: scrypt (RFC 7914, 128 MB) and AES-256-GCM.
 *
 * The journal is not included, because with an old journal the signer would sign orders that were revoked later. Keys without a journal
 * sign nothing until RESET_JOURNAL=on has ended all orders.
 */
const TITLE = 'ordbook keys 1'
const Sealed = Exactly({
  title: Type.Literal(TITLE),
  salt: Type.String({ pattern: '^[0-9a-f]{32}$' }),
  nonce: Type.String({ pattern: '^[0-9a-f]{24}$' }),
  /** Encrypted seeds, followed by the 16-byte authentication tag. */
  sealed: Type.String({ pattern: '^(?:[0-9a-f]{2}){16,1024}$' }),
})
const Seeds = Exactly({
  cosign: Type.Optional(Hash),
  coins: Type.Optional(Hash),
  guardian: Type.Optional(Hash),
})
type Seeds = Static<typeof Seeds>

const MAX_BYTES = 4096
const TAG_BYTES = 16
/** Shorter passphrases can be brute-forced despite scrypt. */
const MIN_LETTERS = 12

/** Writes the keys to a new file and returns their names. Throws ConfigError. */
export function backUpKeys(config: KeyConfig, file: string, passphrase: string): KeyName[] {
  if (existsSync(file)) throw new ConfigError(`${file} already exists. Choose a new file for the backup`)
  if (passphrase.length < MIN_LETTERS)
    throw new ConfigError(`expected a passphrase of at least ${MIN_LETTERS} characters`)
  const existing = Object.entries(keyFilesOf(config)).filter(([, path]) => existsSync(path))
  if (existing.length === 0)
    throw new ConfigError(
      `cannot find ${Object.values(keyFilesOf(config)).join(', ')}. Run this on a host with keys`,
    )
  const seeds: Seeds = Object.fromEntries(
    existing.map(([name, path]) => [name, bytesToHex(readSecret(path))]),
  )
  makeFile(file, `${JSON.stringify(seal(seeds, passphrase), null, 2)}\n`)
  return Object.keys(seeds) as KeyName[]
}

/** Restores the keys of a backup and returns their names. Throws ConfigError, also if a key already exists. */
export function restoreKeys(config: KeyConfig, file: string, passphrase: string): KeyName[] {
  const seeds = unseal(readSealed(file), passphrase)
  const files = keyFilesOf(config)
  const names = Object.keys(seeds) as KeyName[]
  const existing = names.map((name) => files[name]).filter((path) => existsSync(path))
  if (existing.length > 0)
    throw new ConfigError(`${existing.join(', ')} already exists. Existing keys are never overwritten`)
  for (const name of names) makeFile(files[name], `${seeds[name]}\n`)
  return names
}

function seal(seeds: Seeds, passphrase: string): Static<typeof Sealed> {
  const [salt, nonce] = [randomBytes(16), randomBytes(12)]
  const cipher = createCipheriv('aes-256-gcm', keyOf(passphrase, salt), nonce).setAAD(Buffer.from(TITLE))
  const encrypted = Buffer.concat([cipher.update(JSON.stringify(seeds)), cipher.final(), cipher.getAuthTag()])
  return { title: TITLE, salt: bytesToHex(salt), nonce: bytesToHex(nonce), sealed: bytesToHex(encrypted) }
}

function unseal({ salt, nonce, sealed }: Static<typeof Sealed>, passphrase: string): Seeds {
  const bytes = hexToBytes(sealed)
  const decipher = createDecipheriv('aes-256-gcm', keyOf(passphrase, hexToBytes(salt)), hexToBytes(nonce))
    .setAAD(Buffer.from(TITLE))
    .setAuthTag(bytes.subarray(-TAG_BYTES))
  let text: string
  try {
    text = Buffer.concat([decipher.update(bytes.subarray(0, -TAG_BYTES)), decipher.final()]).toString('utf8')
  } catch (error) {
    throw new ConfigError('the passphrase is wrong, or the file was modified', { cause: error })
  }
  return parse(Seeds, JSON.parse(text), 'the keys')
}

function readSealed(file: string): Static<typeof Sealed> {
  if (!existsSync(file)) throw new ConfigError(`cannot find ${file}`)
  try {
    if (statSync(file).size > MAX_BYTES) throw new ParseError('the file is too large')
    return parse(Sealed, JSON.parse(readFileSync(file, 'utf8')), 'the content')
  } catch (error) {
    throw new ConfigError(`${file} is not a backup of keys: ${(error as Error).message}`, { cause: error })
  }
}

/** Normalizes the passphrase to NFC, so that all keyboards yield the same key. */
const keyOf = (passphrase: string, salt: Uint8Array) =>
  scryptSync(passphrase.normalize('NFC'), salt, 32, { N: 2 ** 17, r: 8, p: 1, maxmem: 2 ** 28 })
