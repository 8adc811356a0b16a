import { parse } from '@ordbook/process/parse.ts'
import { type Static, type TSchema, Type } from 'typebox'
import { damagedArchive } from './frames.ts'

const Name = Type.String({ minLength: 1, maxLength: 63 })
const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

/** The first frame of an archive. */
export const Header = Type.Object({
  format: Type.Literal('ordbook backup'),
  version: Type.Literal(1),
  madeAt: Type.String({ maxLength: 40 }),
  /** Null if the database is not initialized. */
  chain: Type.Union([Type.String({ maxLength: 20 }), Type.Null()]),
  migrations: Type.Array(Type.Object({ name: Name, checksum: Type.String({ pattern: '^[0-9a-f]{64}$' }) }), {
    minItems: 1,
    maxItems: 10_000,
  }),
})
export type Header = Static<typeof Header>

export const TableHead = Type.Object({ name: Name, columns: Type.Array(Name, { maxItems: 1600 }) })

export const TableDone = Type.Object({ rows: Count })

/** Last values of sequences. */
export const Sequences = Type.Array(Type.Object({ name: Name, last: Count }), { maxItems: 10_000 })

/** Parses a JSON frame. Throws ConfigError. */
export function read<S extends TSchema>(schema: S, body: Buffer, what: string): Static<S> {
  try {
    return parse(schema, JSON.parse(body.toString()), what)
  } catch (error) {
    throw damagedArchive((error as Error).message, error)
  }
}
