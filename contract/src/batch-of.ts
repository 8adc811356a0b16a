import { type TSchema, Type } from 'typebox'

export const batchOf = <const Item extends TSchema>(item: Item) =>
  Type.Array(item, { minItems: 1, maxItems: 20 })
