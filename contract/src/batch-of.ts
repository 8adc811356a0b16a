import { type TSchema, Type } from 'typebox'

/** The items of a request or response: 1 to 20. */
export const batchOf = <const Item extends TSchema>(item: Item) =>
  Type.Array(item, { minItems: 1, maxItems: 20 })
