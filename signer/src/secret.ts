import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { makeFile } from '@ordbook/process/make-file.ts'
import { ConfigError } from '@ordbook/process/variables.ts'

/** Reads 32 bytes in hex. Creates the file with a random secret if it is missing. Throws ConfigError. */
export function readSecret(file: string): Uint8Array {
  if (!existsSync(file))
    try {
      makeFile(file, `${randomBytes(32).toString('hex')}\n`)
    } catch (error) {
      throw new ConfigError(`${file} does not exist, and cannot be created: ${(error as Error).message}`, {
        cause: error,
      })
    }
  const text = readFileSync(file, 'utf8').trim()
  if (!/^[0-9a-f]{64}$/.test(text)) throw new ConfigError(`${file} must contain 64 lower-case hex digits`)
  return hexToBytes(text)
}
