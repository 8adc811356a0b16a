import { type TProperties, Type } from 'typebox'
import { Nullable } from './choices.ts'
import { Cursor } from './scalars.ts'

const next = { hasNext: Type.Boolean(), nextCursor: Nullable(Cursor) }

/** `pageSize` is the number of returned rows. */
export const Pagination = Type.Object(
  { pageSize: Type.Integer({ minimum: 0 }), ...next },
  { title: 'Pagination' },
)

/** `pageSize` is the requested number of rows. */
export const RequestedPage = Type.Object(
  { pageSize: Type.Integer({ minimum: 1 }), ...next },
  { title: 'RequestedPage' },
)

export const pageQuery = (defaultLimit: number) => ({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: defaultLimit })),
  cursor: Type.Optional(Cursor),
})

/** Rows and the cursor of the next page. */
export const pageOf = <const Rows extends TProperties>(title: string, rows: Rows) =>
  Type.Object({ ...rows, pagination: Pagination }, { title })
