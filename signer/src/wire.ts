import { encodeBytes, reviveBytes } from '@ordbook/bitcoin/byte-json.ts'

/** Maximum nesting of a message. The terms of a fill have eight levels. */
const MAX_DEPTH = 12

export const encode = encodeBytes

/** Decodes a message. Throws SyntaxError or RangeError. Validate the result with a schema (`parse.ts`). */
export const decode = (text: string): unknown => reviveBytes(JSON.parse(text), MAX_DEPTH)
