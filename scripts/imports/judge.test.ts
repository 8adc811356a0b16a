import { expect, it } from 'vitest'
import { judge } from './judge.ts'

/** A file of each room that the cases name, so that their imports lead somewhere. */
const HOUSE: Record<string, string> = {
  'server/src/main.ts': 'export {}',
  'server/src/chain/rules.ts': 'export {}',
  'server/src/listings/lifecycle.ts': 'export {}',
  'server/src/db/connect.ts': 'export {}',
  'bitcoin/src/sats.ts': 'export {}',
  'web/src/ui/basics.tsx': 'export {}',
}
const found = (file: string, text: string) => judge(new Map(Object.entries({ ...HOUSE, [file]: text })))

it('finds nothing in a house that keeps to the law', () => {
  expect(found('server/src/listings/create.ts', "import { bps } from '@ordbook/bitcoin/sats.ts'")).toEqual([])
  expect(found('server/src/listings/book-queries.ts', 'export const all = (sql) => sql`select 1`')).toEqual(
    [],
  )
})

it.each([
  ['a file at the root', "import { startServer } from '../main.ts'", 'chain may not import main.ts'],
  ['a type', "import type { Server } from '../main.ts'", 'chain may not import main.ts'],
  ['a type in an expression', "type Row = import('../main.ts').Row", 'chain may not import main.ts'],
  ['a re-export', "export * from '../listings/lifecycle.ts'", 'chain may not import listings'],
  [
    'a dynamic import',
    "export const load = () => import('../listings/lifecycle.ts')",
    'chain may not import listings',
  ],
  [
    'a framework',
    "import type { FastifyRequest } from 'fastify'",
    'only http, previews, app.ts may import fastify',
  ],
  ['a driver', "import pg from 'pg'", 'only db may import pg'],
  [
    'a package that stands above',
    "import { Client } from '@ordbook/sdk/client.ts'",
    'server may not import sdk',
  ],
  [
    'a published entry point',
    "import { Client } from '@ordbook/sdk'",
    '@ordbook/sdk is a name for users of the packages: import the file, by its .ts name',
  ],
])('refuses %s', (_, text, problem) => {
  expect(found('server/src/chain/hole.ts', text)).toEqual([`server/src/chain/hole.ts:1: ${problem}`])
})

it('refuses an import whose name is computed', () => {
  const problems = found('server/src/chain/hole.ts', 'export const load = (name: string) => import(name)')
  expect(problems).toEqual([expect.stringContaining('computed name')])
})

it.each([
  ['under another name', 'export const all = (query) => query`delete from listings`'],
  ['typed', 'export const all = (tx) => tx<{ id: string }[]>`select id from listings`'],
  ['by unsafe', "export const all = (sql) => sql.unsafe('delete from listings')"],
  ['of a member', 'export const all = (context) => context.sql`delete from listings`'],
])('refuses SQL %s outside of the files for it', (_, text) => {
  expect(found('server/src/listings/hole.ts', text)).toEqual([
    'server/src/listings/hole.ts:1: only `db/` and files named `queries.ts` or `…-queries.ts` hold SQL',
  ])
})

it('refuses a file in a room that the law does not know', () => {
  expect(found('server/src/helpers/hole.ts', 'export {}')).toEqual([
    'server/src/helpers/hole.ts: the law does not know helpers',
  ])
})

it('refuses a circle of files, of types too', () => {
  const problems = judge(
    new Map([
      ['bitcoin/src/a.ts', "import type { B } from './b.ts'\nexport interface A { b: B }"],
      ['bitcoin/src/b.ts', "import type { A } from './a.ts'\nexport interface B { a: A }"],
    ]),
  )
  expect(problems).toEqual(['circle: bitcoin/src/a.ts > bitcoin/src/b.ts > bitcoin/src/a.ts'])
})

it('refuses values of a package of which types alone are allowed', () => {
  expect(found('web/src/ui/hole.tsx', "import { schema } from '@ordbook/contract/scalars.ts'")).toEqual([
    'web/src/ui/hole.tsx:1: web may import types alone of contract',
  ])
  expect(found('web/src/ui/fine.tsx', "import type { Schema } from '@ordbook/contract/scalars.ts'")).toEqual(
    [],
  )
})
