import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { verifyLogHead } from '@ordbook/bitcoin/log-head.ts'
import { ConfigError } from '@ordbook/db/settings/config.ts'
import { Exactly, parse } from '@ordbook/process/parse.ts'
import { type Static, Type } from 'typebox'
import { Count, Hash } from './line.ts'

/** Files of a mirror's copy. The signed head replaces the last line of an export. */
export const LOG_FILE = 'log.jsonl'
export const HEAD_FILE = 'head.json'

export const SignedHead = Exactly({
  position: Count,
  hash: Hash,
  signature: Type.String({ pattern: '^[0-9a-f]{128}$' }),
})
export type SignedHead = Static<typeof SignedHead>

/** Verifies the market's signature of a head. */
export const isSigned = (
  { position, hash, signature }: SignedHead,
  { network, market }: { network: string; market: string },
): boolean => verifyLogHead({ network, position, hash }, hexToBytes(signature), hexToBytes(market).slice(-32))

/** Returns the signed head of a copy, or null. Throws ConfigError if the signature is invalid. */
export function readHeadOf(folder: string, identity: { network: string; market: string }): SignedHead | null {
  const file = join(folder, HEAD_FILE)
  if (!existsSync(file)) return null
  let head: SignedHead
  try {
    head = parse(SignedHead, JSON.parse(readFileSync(file, 'utf8')), file)
  } catch (cause) {
    throw new ConfigError(`${file}: not a signed head: ${(cause as Error).message}`, { cause })
  }
  if (!isSigned(head, identity)) throw new ConfigError(`${file}: the market did not sign this head`)
  return head
}
