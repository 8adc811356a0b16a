/**
 * The imports allowed between packages, and between the modules of `market` and `web`. A module is a folder of `src`, or a file
 * directly in `src`. Each row lists only packages or modules from rows above it, so a cycle cannot be declared.
 */
export type Rooms = readonly (readonly [rooms: string, mayImport: string])[]

/** By package, the packages that it may import. */
export const PACKAGES: Rooms = [
  ['bitcoin, contract, process', ''],
  ['devnet', 'bitcoin'],
  ['sdk', 'bitcoin, contract'],
  ['web', 'bitcoin, contract, sdk'],
  ['previews', 'process'],
  ['signer', 'bitcoin, process'],
  ['signer-host', 'bitcoin, process, signer'],
  ['db', 'bitcoin, contract, process, signer-host'],
  ['http', 'bitcoin, contract, db'],
  ['indexer', 'bitcoin, process, db, http'],
  ['market', 'bitcoin, contract, signer, signer-host, db, http, indexer'],
  ['site', 'bitcoin, contract, db, http, indexer, market'],
  ['operations', 'bitcoin, contract, process, signer, signer-host, db, http, indexer, market'],
  ['app', 'bitcoin, contract, process, signer, db, http, indexer, market, site, operations'],
]

/** Names for several modules, to keep the table short. */
export const GROUPS: Readonly<Record<string, string>> = {
  base: 'context.ts, use-case.ts, rendered-rows, auth, escrows, market-coins, preflight',
}

/** Packages that are divided into modules, and by module what it may import. */
export const ROOMS: Readonly<Record<string, Rooms>> = {
  market: [
    ['context.ts, keys, rendered-rows', ''],
    ['use-case.ts, auth, escrows, market-coins, preflight', 'context.ts'],
    ['collections', 'base'],
    ['settlements', 'base, collections'],
    ['sales', 'base, collections, settlements'],
    ['listings', 'base, collections, settlements'],
    ['purchases, offers, escrow-trades', 'base, collections, settlements, sales, listings'],
    ['collection-offers, proposals', 'base, collections, settlements, sales, listings, offers'],
    ['receipts', 'base, settlements, listings, purchases, collection-offers'],
    ['settlement-kinds.ts', 'settlements, purchases, offers, collection-offers, proposals'],
    ['journal-recovery.ts', 'context.ts, keys, escrows, listings, offers, collection-offers, proposals'],
  ],
  web: [
    [
      'money, guards.ts, names.ts, stored.ts, cart-lines.ts, title.ts, first-answers.ts, create-store.ts, live',
      '',
    ],
    ['routing', 'create-store.ts'],
    ['format.ts', 'money'],
    ['words', 'format.ts, money, guards.ts, cart-lines.ts'],
    ['client.ts', 'first-answers.ts, words'],
    ['watchlist.ts', 'stored.ts, create-store.ts'],
    ['settings.tsx', 'format.ts, stored.ts, client.ts'],
    ['live.ts', 'first-answers.ts, create-store.ts, client.ts, live'],
    ['error-text.ts', 'words'],
    ['ui', 'money, words, format.ts, stored.ts, create-store.ts, error-text.ts, settings.tsx'],
    ['cart.tsx', 'stored.ts, cart-lines.ts, ui, words'],
    ['wallet', 'words, stored.ts, create-store.ts, settings.tsx, ui'],
    ['session.tsx', 'stored.ts, client.ts, settings.tsx, wallet, ui'],
    [
      'ticket',
      'routing, create-store.ts, format.ts, error-text.ts, money, cart-lines.ts, client.ts, settings.tsx, session.tsx, ui, words, guards.ts',
    ],
    [
      'signing',
      'money, words, format.ts, stored.ts, create-store.ts, error-text.ts, client.ts, settings.tsx, ui, wallet, ticket',
    ],
    ['act.tsx', 'error-text.ts, words, live.ts, settings.tsx, session.tsx, ui, signing, ticket'],
    ['connect-dialog.tsx', 'error-text.ts, settings.tsx, session.tsx, ui, wallet'],
    ['account-switch.tsx', 'error-text.ts, stored.ts, settings.tsx, session.tsx, ui, words, wallet'],
    [
      'cart-dialog.tsx',
      'routing, client.ts, cart.tsx, cart-lines.ts, session.tsx, ticket, words, ui, act.tsx',
    ],
    [
      'pages',
      'routing, format.ts, money, names.ts, stored.ts, watchlist.ts, title.ts, words, client.ts, live.ts, settings.tsx, cart.tsx, ui, session.tsx, signing, act.tsx, ticket, guards.ts',
    ],
    ['palette', 'routing, format.ts, names.ts, stored.ts, watchlist.ts, client.ts, settings.tsx, words, ui'],
    [
      'frame',
      'palette, stored.ts, routing, title.ts, words, format.ts, client.ts, live.ts, settings.tsx, cart.tsx, ui, session.tsx, signing, wallet, ticket, connect-dialog.tsx, account-switch.tsx, cart-dialog.tsx',
    ],
    ['router.tsx', 'routing, pages, frame, words'],
    ['first-view.ts', 'router.tsx'],
    ['main.tsx', 'client.ts, settings.tsx, cart.tsx, session.tsx, act.tsx, router.tsx, first-view.ts'],
  ],
}

/** Third-party packages, and the packages of `server/` that may import them, as types too. */
export const FOREIGN: Readonly<Record<string, string>> = {
  fastify: 'http, indexer, site, operations, app',
  pg: 'db',
}

/** Packages of which another may import types only. */
export const TYPES_ONLY: readonly (readonly [from: string, to: string])[] = [['web', 'contract']]

/** Files in `server/` that may hold SQL. */
export const HOLDS_SQL = /^server\/(db\/src\/.*|.*\/([a-z-]+-)?queries\.ts)$/
export const HOLDS_SQL_IN_WORDS = '`server/db` and files named `queries.ts` or `…-queries.ts`'
