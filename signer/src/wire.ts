import { encodeBytes, reviveBytes } from '@ordbook/bitcoin/byte-json.ts'

/** Maximum nesting of a message. The terms of a fill have eight levels. */
const MAX_DEPTH = 12

export const encode = encodeBytes

/** Decodes a message. Validate the result with a schema (`parse.ts`). Throws SyntaxError or RangeError for invalid text. */
export const decode = (text: string): unknown => reviveBytes(JSON.parse(text), MAX_DEPTH)
