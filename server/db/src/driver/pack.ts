import { encodeBytes, reviveBytes } from '@ordbook/bitcoin/byte-json.ts'

/** Converts a value with bytes to JSON for a jsonb column. */
export const pack = (value: object): any => JSON.parse(encodeBytes(value))

export const unpack = <T>(packed: unknown): T => reviveBytes(packed) as T
