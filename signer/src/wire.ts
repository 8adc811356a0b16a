import { encodeBytes, reviveBytes } from '@ordbook/bitcoin/byte-json.ts'

/** Deepest nesting that a message may have: the terms of a fill need eight levels. */
const MOST_DEPTH = 12

export const encode = encodeBytes

/** The inverse of `encode`. A schema checks the result (`parse.ts`). Throws SyntaxError or RangeError for any other text. */
export const decode = (text: string): unknown => reviveBytes(JSON.parse(text), MOST_DEPTH)
