import { type TProperties, Type } from 'typebox'
import { Nullable } from './choices.ts'
import { Cursor } from './scalars.ts'

const next = { hasNext: Type.Boolean(), nextCursor: Nullable(Cursor) }

export const Pagination = Type.Object(
  {
    pageSize: Type.Integer({ minimum: 0, description: 'Number of rows in this page.', examples: [1] }),
    ...next,
  },
  { title: 'Pagination' },
)

export const RequestedPage = Type.Object(
  {
    pageSize: Type.Integer({ minimum: 1, description: 'The requested number of rows.', examples: [50] }),
    ...next,
  },
  { title: 'RequestedPage' },
)

export const pageQuery = (defaultLimit: number) => ({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: defaultLimit })),
  cursor: Type.Optional(Cursor),
})

/** Rows and the cursor of the next page. */
export const pageOf = <const Rows extends TProperties>(title: string, rows: Rows) =>
  Type.Object({ ...rows, pagination: Pagination }, { title })
