import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildPayment } from '@ordbook/bitcoin/inscribe.ts'
import { hexOfTransaction } from '@ordbook/bitcoin/transaction.ts'
import { compareLogs, verifyLog } from '@ordbook/operations/order-log/compare.ts'
import { exportLog } from '@ordbook/operations/order-log/export.ts'
import { inBatches, PRUNED } from '@ordbook/operations/pruning.ts'
import { buy, delist } from '@ordbook/sdk/index.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { reclaim, rested } from '../../../e2e/escrows/support/escrow-market.ts'
import { type Asked, everyRequest } from '../../../e2e/operations/support/every-request.ts'
import {
  agreementFor,
  enter,
  keyHolder,
  listAll,
  type Overrides,
  serveAgain,
  setUpMarket,
  setUpTrader,
  until,
} from '../../../e2e/support/market.ts'
import { signInAtStorefront, traderAtStorefront } from '../../../e2e/support/storefront.ts'

const market = setUpMarket({ ANCHOR_POOL: '80' })
const seller = setUpTrader(market)
const buyer = setUpTrader(market)
let slug: string
let ids: string[]
let sold: string
/** An inscription that its owner sends to the same wallet. */
let sent: string
let settlementTxid: string
let reclaimTxid: string
const folder = mkdtempSync(join(tmpdir(), 'ordbook-pruning-'))
const fileOf = (name: string) => join(folder, name)
/** Enough rows for several DELETE statements. */
const MANY = 12_000
/** Blocks whose moves are kept; a reorg of this depth can be undone. */
const KEPT = 10

beforeAll(async () => {
  ;({ slug, ids } = await market.collection(seller.wallet, 4))
  sold = ids[0]!
  const listed = await listAll(market, seller, slug, [sold, ids[1]!], 60_000)
  ;({ settlementTxid } = await buy(buyer, slug, await agreementFor(market, buyer, [sold])))
  const { trader, keys } = await keyHolder(market)
  sent = (await market.collection(trader.wallet, 1)).ids[0]!
  const move = buildPayment([await market.coinOf(sent)], [], { privateKey: keys.ordinals, feeRateSatVb: 2 })
  await market.regtest.call('sendrawtransaction', hexOfTransaction(move))
  await market.mine()
  await delist(seller, slug, [{ inscriptionId: ids[1]!, listingId: listed.get(ids[1]!)! }])
  reclaimTxid = await reclaim(seller, await rested(market, seller, slug, [ids[2]!]))
  await market.mine()
})
afterAll(() => rmSync(folder, { recursive: true }))

/** Restarts the server with other settings, and without the response cache. */
async function serveWith({ tuning, ...settings }: Overrides): Promise<void> {
  await market.sql.end()
  await market.server.close()
  await serveAgain(market, market.databaseUrl, {
    ANCHOR_POOL: '80',
    tuning: { responseCacheMegabytes: 0, ...tuning },
    ...settings,
  })
  seller.client = (await enter(market.base, seller.wallet)).client
  buyer.client = (await enter(market.base, buyer.wallet)).client
}

/** Adds expired rows to every table that is pruned by time. */
async function addOld(): Promise<void> {
  const profile = market.sql`(select profile_id from profiles limit 1)`
  const each = market.sql`generate_series(1, ${MANY}) as n`
  const text = market.sql`'old ' || n`
  await market.sql`
    insert into sessions (token_sha256, profile_id, expires_at)
    select sha256((${text})::bytea), ${profile}, now() - interval '1 minute' from ${each}`
  await market.sql`
    insert into auth_requests (auth_request_id, host, ordinals_script, payment_script, ordinals_challenge_id, surface, nonce,
      issued_at, expires_at, client)
    select gen_random_uuid(), '', '', '', gen_random_uuid(), 'api', '', now(), now() - interval '61 minutes', '' from ${each}`
  await market.sql`
    insert into live_events (kind, data, occurred_at)
    select 'block', '{"old": true}', now() - interval '25 hours' from ${each}`
  await market.sql`
    insert into inbox (profile_id, kind, subject, at, is_read)
    select ${profile}, 'sold', ${text}, now() - interval '91 days', true from ${each}`
  await market.sql`
    insert into idempotency_keys (profile_id, key_sha256, request_sha256, claim_id, began_at)
    select ${profile}, sha256((${text})::bytea), '', ${randomUUID()}, now() - interval '25 hours' from ${each}`
  await market.sql`
    insert into preflights (handle, kind, wallet_binding_id, request, prepared, expires_at, answer)
    select ${text}, 'listing', (select wallet_binding_id from wallet_bindings limit 1), '{}', '{}',
      now() - interval '25 hours', case n % 2 when 0 then '{}'::jsonb end from ${each}`
}

const countOld = () =>
  market.sql<{ table: string; rows: number }[]>`
    select 'sessions' as table, count(*) as rows from sessions where expires_at < now()
    union all select 'auth_requests', count(*) from auth_requests where expires_at < now() - interval '1 hour'
    union all select 'live_events', count(*) from live_events where data ? 'old'
    union all select 'inbox', count(*) from inbox where subject like 'old %'
    union all select 'idempotency_keys', count(*) from idempotency_keys where began_at < now() - interval '1 day'
    union all select 'preflights', count(*) from preflights where handle like 'old %'`

/** Exports the order log once each change has a position. */
async function exported(name: string) {
  await until('the positions of all changes', async () => {
    const waiting = await market.sql`select 1 from order_log_queue`
    return waiting.length === 0
  })
  await exportLog(market.databaseUrl, fileOf(name), new Date())
  return verifyLog(fileOf(name))
}

/** Lists the reads of API and pages, except streams and status endpoints. */
async function readsOf(): Promise<Asked[]> {
  const { url } = market.server
  const { cookie } = await signInAtStorefront(url, seller.wallet)
  const requests = await everyRequest(market, url, { trader: seller, cookie, otherCookie: '' })
  return requests.filter(
    ({ name, method }) =>
      method === 'GET' && /\/(api|web)\/v1\//.test(name) && !/events|status|sessions|inbox/.test(name),
  )
}

async function answersOf(asked: readonly Asked[]): Promise<Record<string, string>> {
  const answers: Record<string, string> = {}
  for (const { name, path, headers } of asked) {
    const answer = await fetch(market.server.url + path, { headers })
    answers[name] = `${answer.status} ${await answer.text()}`
  }
  return answers
}

const moves = () =>
  market.sql<{ height: number; position: number; toTxid: string }[]>`
    select height, position, to_txid from coin_moves order by 1, 2`

it('pruning does not change responses', async () => {
  const log = await exported('before.jsonl')
  expect(log.changes).toBeGreaterThan(4)
  // Without the jobs role, which would delete the rows.
  await serveWith({ ROLES: 'api,follower' })
  const requests = await readsOf()
  await addOld()
  const { context } = market.server
  const now = new Date()
  context.clock = () => now
  const kept = await moves()
  const before = await answersOf(requests)
  expect(Object.values(before).filter((answer) => answer.startsWith('200 ')).length).toBeGreaterThan(40)
  const deleted: Record<string, number> = {}
  for (const [table, deleteSome] of Object.entries(PRUNED))
    deleted[table] = await inBatches((most) => deleteSome(context, context.clock(), most))
  for (const { table, rows } of await countOld()) {
    expect([table, rows]).toEqual([table, 0])
    expect(deleted[table]).toBeGreaterThanOrEqual(MANY)
  }
  const after = await answersOf(requests)
  expect(Object.keys(before).filter((name) => after[name] !== before[name])).toEqual([])
  expect(deleted.coin_moves).toBe(0)
  expect(await moves()).toEqual(kept)
  expect(await exported('after.jsonl')).toMatchObject({ head: log.head })
}, 300_000)

it('MOVES_RETENTION_BLOCKS keeps recent moves', async () => {
  await serveWith({})
  const recent = ids[1]!
  await market.mine(KEPT)
  await listAll(market, seller, slug, [recent], 60_000)
  await buy(buyer, slug, await agreementFor(market, buyer, [recent]))
  await market.mine(2)
  const log = await exported('earlier.jsonl')
  // Without the jobs role, so that only the next server deletes rows.
  await serveWith({ ROLES: 'api,follower' })
  await addOld()
  const reader = async () => (await traderAtStorefront(market.server.url, buyer.wallet)).client
  const of = async (id: string) => (await reader()).call('getInscription', { params: { id } })
  const settlementOf = async (txid: string) => (await reader()).call('getSettlement', { params: { txid } })
  const sale = await of(sold)
  expect(sale).toMatchObject({ movesFrom: null, moves: [{ priceSats: 60_000 }] })
  expect(await of(sent)).toMatchObject({ movesFrom: null, moves: [{ priceSats: null }] })
  const reclaimed = await settlementOf(reclaimTxid)
  expect(reclaimed).toMatchObject({ kind: 'reclaim', state: 'confirmed' })
  const tip = await market.regtest.call<number>('getblockcount')
  const forgotten = tip - KEPT
  const kept = (await moves()).filter(({ height }) => height > forgotten)
  expect(kept.length).toBeGreaterThan(0)

  await serveWith({ MOVES_RETENTION_BLOCKS: String(KEPT), tuning: { undoBlocks: KEPT } })
  const metrics = await until(
    'the first run of the jobs',
    async () => {
      const remaining = (await countOld()).reduce((sum, { rows }) => sum + rows, 0)
      const [mark] = await market.sql`select 1 from settings where name = 'moves forgotten to'`
      return remaining === 0 && mark && (await fetch(`${market.server.url}/metrics`)).text()
    },
    150,
  )
  for (const table of Object.keys(PRUNED))
    expect(metrics).toMatch(new RegExp(`^ordbook_deleted_rows_total\\{table="${table}"\\} [1-9]`, 'm'))
  expect(metrics).toMatch(/^ordbook_table_bytes\{table="coin_moves"\} [1-9]/m)
  const remainingMoves = await moves()
  expect(remainingMoves.filter(({ height }) => height > forgotten)).toEqual(kept)
  const old = remainingMoves.filter(({ height }) => height <= forgotten)
  expect(old.map(({ toTxid }) => toTxid)).toEqual([settlementTxid, reclaimTxid])
  expect(await settlementOf(reclaimTxid)).toEqual(reclaimed)
  expect(await of(sold)).toEqual({ ...sale, movesFrom: forgotten + 1 })
  expect(await of(sent)).toMatchObject({ movesFrom: forgotten + 1, moves: [] })
  expect(await of(recent)).toMatchObject({ movesFrom: forgotten + 1, moves: [{ priceSats: 60_000 }] })
  expect(await exported('later.jsonl')).toMatchObject({ head: log.head })

  // The deepest supported reorg finds its moves, and the log continues.
  const deep = await market.regtest.call<string>('getblockhash', tip - KEPT + 2)
  await market.regtest.call('invalidateblock', deep)
  await market.server.sync()
  await market.regtest.call('reconsiderblock', deep)
  await market.server.sync()
  expect(await moves()).toEqual(remainingMoves)
  await listAll(market, buyer, slug, [sold], 70_000)
  await exported('last.jsonl')
  expect(await compareLogs(fileOf('before.jsonl'), fileOf('last.jsonl'))).toMatchObject({
    differing: null,
    more: { ours: 0 },
  })
}, 300_000)
