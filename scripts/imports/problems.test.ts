import { expect, it } from 'vitest'
import { checkImports } from './problems.ts'

/** Files that the test sources import. */
const FILES: Record<string, string> = {
  'server/app/src/main.ts': 'export {}',
  'server/indexer/src/node/rules.ts': 'export {}',
  'server/market/src/listings/lifecycle.ts': 'export {}',
  'server/db/src/driver/connect.ts': 'export {}',
  'bitcoin/src/sats.ts': 'export {}',
  'web-ui/src/ui/basics.tsx': 'export {}',
}
const found = (file: string, text: string) =>
  checkImports(new Map(Object.entries({ ...FILES, [file]: text })))

it('judge accepts allowed imports', () => {
  expect(
    found('server/market/src/listings/create.ts', "import { bps } from '@ordbook/bitcoin/sats.ts'"),
  ).toEqual([])
  expect(
    found('server/market/src/listings/book-queries.ts', 'export const all = (sql) => sql`select 1`'),
  ).toEqual([])
})

it.each([
  ['a value', "import { startServer } from '@ordbook/app/main.ts'", 'indexer may not import app'],
  ['a type', "import type { Server } from '@ordbook/app/main.ts'", 'indexer may not import app'],
  ['a type in an expression', "type Row = import('@ordbook/app/main.ts').Row", 'indexer may not import app'],
  [
    'a path into another package',
    "import { Row } from '../../../app/src/main.ts'",
    'indexer may not import app',
  ],
  ['a re-export', "export * from '@ordbook/market/listings/lifecycle.ts'", 'indexer may not import market'],
  [
    'a dynamic import',
    "export const load = () => import('@ordbook/market/listings/lifecycle.ts')",
    'indexer may not import market',
  ],
  ['a database driver', "import pg from 'pg'", 'only db may import pg'],
  ['a higher-level package', "import { Client } from '@ordbook/sdk/client.ts'", 'indexer may not import sdk'],
  [
    'a published entry point',
    "import { Client } from '@ordbook/sdk'",
    '@ordbook/sdk is a published name: import the file by its .ts name',
  ],
])('judge rejects a forbidden import: %s', (_, text, problem) => {
  expect(found('server/indexer/src/node/hole.ts', text)).toEqual([
    `server/indexer/src/node/hole.ts:1: ${problem}`,
  ])
})

it('judge rejects a computed import', () => {
  const problems = found(
    'server/indexer/src/node/hole.ts',
    'export const load = (name: string) => import(name)',
  )
  expect(problems).toEqual([expect.stringContaining('computed import')])
})

it.each([
  ['under another name', 'export const all = (query) => query`delete from listings`'],
  ['typed', 'export const all = (tx) => tx<{ id: string }[]>`select id from listings`'],
  ['by unsafe', "export const all = (sql) => sql.unsafe('delete from listings')"],
  ['as a property', 'export const all = (context) => context.sql`delete from listings`'],
])('judge rejects SQL %s outside query files', (_, text) => {
  expect(found('server/market/src/listings/hole.ts', text)).toEqual([
    'server/market/src/listings/hole.ts:1: only `server/db` and files named `queries.ts` or `…-queries.ts` may contain SQL',
  ])
})

it('judge rejects unlisted modules', () => {
  expect(found('server/market/src/helpers/hole.ts', 'export {}')).toEqual([
    'server/market/src/helpers/hole.ts: scripts/imports/rules.ts does not list helpers',
  ])
  expect(found('server/extras/src/hole.ts', 'export {}')).toEqual([
    'server/extras/src/hole.ts: scripts/imports/rules.ts does not list this package',
  ])
})

it('judge rejects fastify in the market', () => {
  expect(
    found('server/market/src/listings/hole.ts', "import type { FastifyRequest } from 'fastify'"),
  ).toEqual([
    'server/market/src/listings/hole.ts:1: only http, indexer, site, operations, app may import fastify',
  ])
})

it('judge rejects imports from a higher module', () => {
  expect(found('server/market/src/auth/hole.ts', "import { x } from '../listings/lifecycle.ts'")).toEqual([
    'server/market/src/auth/hole.ts:1: auth may not import listings',
  ])
})

it('judge rejects value imports from a types-only package', () => {
  expect(found('web-ui/src/ui/hole.tsx', "import { schema } from '@ordbook/contract/scalars.ts'")).toEqual([
    'web-ui/src/ui/hole.tsx:1: web-ui may import only types from contract',
  ])
  expect(
    found('web-ui/src/ui/fine.tsx', "import type { Schema } from '@ordbook/contract/scalars.ts'"),
  ).toEqual([])
})
