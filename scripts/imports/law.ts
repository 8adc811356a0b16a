/**
 * The law of imports as data: the one source of the check (`judge.ts`) and of the tables in ARCHITECTURE.md (`table.ts`).
 * A room is a folder of `src`, or a file that stands in `src` itself. Rooms are listed from the ground up, and a room may
 * import the rooms that it names, which all stand above its own line, and itself: so no circle of rooms can be written.
 */
export type Rooms = readonly (readonly [rooms: string, mayImport: string])[]

/** By package, the packages that it may import. */
export const PACKAGES: Rooms = [
  ['bitcoin, contract', ''],
  ['devnet, signer', 'bitcoin'],
  ['previews', 'signer'],
  ['sdk', 'bitcoin, contract'],
  ['cli', 'bitcoin, sdk'],
  ['server', 'bitcoin, contract, signer'],
  ['web', 'bitcoin, contract, sdk'],
]

/** Names that stand for several rooms, to keep the table short. */
export const GROUPS: Readonly<Record<string, string>> = {
  ground: 'errors.ts, config.ts, db, base-context.ts, chain, http, context.ts',
  base: 'ground, content, derived, escrows, market-coins, preflight, previews, use-case.ts',
  features:
    'auth, collections, settlements, listings, sales, from-escrow, purchases, offers, collection-offers, proposals, storefront, quotes, record',
}

/** Packages that are divided into rooms, and by room what it may import. */
export const ROOMS: Readonly<Record<string, Rooms>> = {
  server: [
    ['errors.ts, span.ts, trusted-proxies.ts, database-hosts.ts', ''],
    ['config', 'trusted-proxies.ts, database-hosts.ts'],
    ['config.ts', 'config'],
    ['clock.ts, log.ts, free-port.ts', 'config.ts, span.ts'],
    ['db', 'errors.ts, span.ts, config.ts, free-port.ts, database-hosts.ts'],
    ['traces.ts', 'config.ts, span.ts, db'],
    ['loop.ts', 'db'],
    ['base-context.ts', 'config.ts, db'],
    ['chain', 'errors.ts, span.ts, config.ts, db, base-context.ts'],
    ['content', 'errors.ts, db, chain'],
    ['http', 'errors.ts, config.ts, db, base-context.ts, chain, content, trusted-proxies.ts'],
    ['context.ts', 'db, chain, http'],
    ['use-case.ts', 'context.ts, http'],
    ['keys', 'errors.ts, span.ts, config.ts, db, chain'],
    ['escrows', 'ground'],
    ['market-coins', 'ground'],
    ['preflight', 'ground, escrows'],
    ['previews', 'ground, content'],
    ['derived', 'ground'],
    ['status', 'ground, market-coins'],
    ['auth, collections', 'base'],
    ['settlements', 'base, auth, collections'],
    ['listings', 'base, auth, collections, settlements'],
    ['sales', 'base, auth, collections, settlements, listings'],
    ['from-escrow, purchases, offers', 'base, auth, collections, settlements, listings, sales'],
    ['collection-offers, proposals', 'base, auth, collections, settlements, listings, sales, offers'],
    ['storefront', 'base, auth, collections, settlements, proposals'],
    [
      'quotes',
      'base, auth, collections, settlements, listings, from-escrow, purchases, offers, collection-offers, proposals, storefront',
    ],
    ['record', 'base, status, settlements, listings, purchases, collection-offers'],
    ['audit', 'base, collections, listings, sales, offers, collection-offers, proposals'],
    ['backup', 'errors.ts, config.ts, db'],
    ['order-log', 'config.ts, db, http, backup'],
    ['mirror', 'errors.ts, config.ts, log.ts, http, order-log'],
    ['doctor', 'config.ts, db, chain, keys, status, order-log, mirror'],
    ['settlement-kinds.ts', 'features'],
    ['app.ts', 'base, status, features, order-log'],
    ['follow.ts', 'base, features, log.ts, loop.ts, settlement-kinds.ts'],
    ['pruning.ts', 'base, auth'],
    ['jobs.ts', 'base, features, order-log, span.ts, loop.ts, settlement-kinds.ts, pruning.ts'],
    ['lost-journals.ts', 'base, features'],
    ['follower-thread.ts', 'follow.ts, traces.ts'],
    ['start-follower.ts', 'log.ts, follow.ts, follower-thread.ts'],
    [
      'server.ts',
      'base, keys, status, features, clock.ts, log.ts, free-port.ts, settlement-kinds.ts, app.ts, jobs.ts, lost-journals.ts, start-follower.ts, traces.ts',
    ],
    ['main.ts', 'config.ts, db, server.ts'],
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

/** Packages of others, and the rooms of the server that may name them, as types too. */
export const FOREIGN: Readonly<Record<string, string>> = {
  fastify: 'http, previews, app.ts',
  pg: 'db',
}

/** Packages of ours of which a package may take types alone. */
export const TYPES_ONLY: readonly (readonly [from: string, to: string])[] = [['web', 'contract']]

/** Files of the server that may hold SQL. */
export const HOLDS_SQL = /^server\/src\/(db\/.*|.*\/([a-z-]+-)?queries\.ts)$/
export const HOLDS_SQL_IN_WORDS = '`db/` and files named `queries.ts` or `…-queries.ts`'
