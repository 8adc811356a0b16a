import { encodeBytes, reviveBytes } from '@ordbook/bitcoin/byte-json.ts'

/** Packs a value with bytes for a jsonb column. */
export const pack = (value: object): any => JSON.parse(encodeBytes(value))

/** The inverse of `pack`. The caller names the type that it packed. */
export const unpack = <T>(packed: unknown): T => reviveBytes(packed) as T
