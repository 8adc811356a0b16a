/**
 * Imports allowed between packages, and between the modules of `market`, `web-ui` and `web`. A module is a folder or a file directly in
 * `src`. Each row lists only modules from rows above it, which rules out cycles.
 */
export type Layers = readonly (readonly [rooms: string, mayImport: string])[]

/** Packages that each package may import. */
export const PACKAGES: Layers = [
  ['bitcoin, contract, process', ''],
  ['devnet', 'bitcoin'],
  ['sdk', 'bitcoin, contract'],
  ['web-ui', 'bitcoin, contract, sdk'],
  ['web', 'contract, sdk, web-ui'],
  ['previews', 'process'],
  ['signer', 'bitcoin, process'],
  ['signer-host', 'bitcoin, process, signer'],
  ['db', 'bitcoin, contract, process, signer-host'],
  ['http', 'bitcoin, contract, db'],
  ['indexer', 'bitcoin, process, db, http'],
  ['market', 'bitcoin, contract, signer, signer-host, db, http, indexer'],
  ['site', 'bitcoin, contract, process, db, http, indexer, market'],
  ['operations', 'bitcoin, contract, process, signer, signer-host, db, http, indexer, market'],
  ['app', 'bitcoin, contract, process, signer, db, http, indexer, market, site, operations'],
]

export const GROUPS: Readonly<Record<string, string>> = {
  base: 'context.ts, use-case.ts, rendered-rows, auth, escrows, market-coins, preflight',
}

/** Modules that each module may import, by package. */
export const MODULES: Readonly<Record<string, Layers>> = {
  market: [
    ['context.ts, keys, rendered-rows, inbox', ''],
    ['use-case.ts, auth, escrows, market-coins, preflight', 'context.ts'],
    ['collections', 'base'],
    ['registry', 'collections'],
    ['settlements', 'base, collections'],
    ['sales', 'base, collections, settlements'],
    ['listings', 'base, collections, settlements'],
    ['purchases, offers, escrow-trades', 'base, collections, settlements, sales, listings'],
    ['collection-offers, proposals', 'base, collections, settlements, sales, listings, offers'],
    ['receipts', 'base, settlements, listings, purchases, collection-offers'],
    ['blocked-order-queries.ts', ''],
    ['settlement-kinds.ts', 'settlements, purchases, offers, collection-offers, proposals'],
    [
      'journal-recovery.ts, blocked-orders.ts',
      'context.ts, blocked-order-queries.ts, auth, keys, escrows, settlements, listings, offers, collection-offers, proposals',
    ],
  ],
  'web-ui': [
    ['state, money, rules', ''],
    ['format', 'money'],
    ['strings', 'format, money, rules'],
    ['routing', 'state'],
    ['api', 'state, money, format, strings'],
    ['live', 'state, api'],
    ['ui', 'state, money, format, strings, api'],
    ['wallet', 'state, strings, api, ui'],
    ['session', 'state, rules, format, strings, api, ui, wallet'],
    ['ticket', 'state, money, rules, format, strings, routing, api, ui, session'],
    ['review', 'money, format, strings, api, ui, ticket'],
    ['signing', 'state, money, format, strings, api, live, ui, wallet, session, ticket, review'],
    ['cart', 'state, rules, strings, routing, api, ui, wallet, session, ticket, signing'],
  ],
  web: [
    ['palette, inbox', ''],
    ['pages', 'inbox'],
    ['frame', 'palette, inbox'],
    ['router.tsx', 'pages, frame'],
    ['first-view.ts', 'router.tsx'],
    ['main.tsx', 'router.tsx, first-view.ts'],
  ],
}

/** Third-party packages that only some packages of `server/` may import. */
export const FOREIGN: Readonly<Record<string, string>> = {
  fastify: 'http, indexer, site, operations, app',
  pg: 'db',
}

/** Packages from which another package may import only types. */
export const TYPES_ONLY: readonly (readonly [from: string, to: string])[] = [
  ['web', 'contract'],
  ['web-ui', 'contract'],
]

export const MAY_CONTAIN_SQL = /^server\/(db\/src\/.*|.*\/([a-z-]+-)?queries\.ts)$/
export const MAY_CONTAIN_SQL_TEXT = '`server/db` and files named `queries.ts` or `…-queries.ts`'
