import { type TSchema, Type } from 'typebox'

/** The items of one request, and of its answer: 1 to 20. */
export const batchOf = <const Item extends TSchema>(item: Item) =>
  Type.Array(item, { minItems: 1, maxItems: 20 })
