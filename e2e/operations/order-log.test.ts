import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { backUp } from '@ordbook/operations/backup/backup.ts'
import { restore } from '@ordbook/operations/backup/restore.ts'
import { compareLogs } from '@ordbook/operations/order-log/compare.ts'
import { exportLog } from '@ordbook/operations/order-log/export.ts'
import {
  acceptOffer,
  acceptProposal,
  bid,
  buy,
  counter,
  delist,
  fill,
  offer,
  propose,
  settle,
} from '@ordbook/sdk/index.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { agreementFor, freshDatabase, listAll, setUpMarket, setUpTrader, until } from '../support/market.ts'
import { coinsOf, offering, selling } from '../support/offers.ts'
import { traderAtStorefront } from '../support/storefront.ts'

const market = setUpMarket({ ANCHOR_POOL: '120' })
const folder = mkdtempSync(join(tmpdir(), 'ordbook-order-log-'))
const fileOf = (name: string) => join(folder, name)
const ALL = { kind: 'all' } as const
const seller = setUpTrader(market)
const buyer = setUpTrader(market, 'p2wpkh', 40_000_000)
let slug: string
let ids: string[]
beforeAll(async () => {
  ;({ slug, ids } = await market.collection(seller.wallet, 8))
})
afterAll(() => rmSync(folder, { recursive: true }))

interface Change {
  kind: string
  id: string
  to: string
  [member: string]: unknown
}
interface Line {
  position: number
  previous: string
  change: Change
}

function linesOf(file: string): Line[] {
  const bytes = readFileSync(file)
  const text = file.endsWith('.gz') ? gunzipSync(bytes).toString() : bytes.toString()
  return text
    .trimEnd()
    .split('\n')
    .slice(1, -1)
    .map((line) => JSON.parse(line))
}

/** Exports the log once all changes have a position. */
async function exported(name: string): Promise<Line[]> {
  await until('all changes to have a position', async () => {
    const waiting = await market.sql`select 1 from order_log_queue`
    return waiting.length === 0
  })
  expect(await exportLog(market.databaseUrl, fileOf(name), new Date())).toMatchObject({ unsealed: 0 })
  return linesOf(fileOf(name))
}

const statesOf = (lines: readonly Line[], id: string) =>
  lines.filter(({ change }) => change.id === id).map(({ change }) => change.to)

async function trade(inscriptionId: string): Promise<string> {
  const [proposer, acceptor] = [
    await traderAtStorefront(market.server.url, buyer.wallet),
    await traderAtStorefront(market.server.url, seller.wallet),
  ]
  const coins = await coinsOf(market, proposer)
  const proposal = await propose(
    proposer,
    {
      visibility: 'public',
      offeredInscriptionIds: [],
      offeredBtcSats: 70_000,
      wantedLegs: [{ collectionSlug: slug, quantity: 1, target: ALL }],
      requestedBtcSats: 0,
    },
    coins,
  )
  const item = { inscriptionId, coin: await market.coinOf(inscriptionId) }
  const fills = [{ legId: proposal.wantedLegs[0]!.id, inscriptionId }]
  const accepted = await acceptProposal(acceptor, proposal.id, fills, {
    gives: [item],
    gets: [],
    netSats: 70_000,
    coins: await coinsOf(market, acceptor),
    maxMarketSats: 100_000,
    maxNetworkSats: 100_000,
  })
  await settle(proposer, accepted.acceptanceId, {
    gives: [],
    gets: [item],
    netSats: -70_000,
    coins,
  })
  await market.mine()
  return proposal.id
}

it('extends an earlier export without changing its hashes', async () => {
  const [bought, offered, bidOn, swapped, withdrawn, kept, wanted] = ids as [
    string,
    string,
    string,
    string,
    string,
    string,
    string,
  ]
  const first = await listAll(market, seller, slug, [bought, withdrawn, kept], 100_000)
  const raised = (await listAll(market, seller, slug, [bought], 120_000)).get(bought)!
  await buy(buyer, slug, await agreementFor(market, buyer, [bought]))
  await market.mine()
  await delist(seller, slug, [{ inscriptionId: withdrawn, listingId: first.get(withdrawn)! }])
  const before = await exported('before.jsonl')

  const offers = await offer(buyer, slug, await offering(market, buyer, [offered], 90_000))
  const offerId = offers.items[0]!.offerId
  await acceptOffer(seller, offerId, await selling(market, offered, 90_000))
  await market.mine()
  const created = await bid(buyer, slug, {
    target: ALL,
    priceSats: 60_000,
    coins: await coinsOf(market, buyer),
  })
  const bidId = created.offers[0]!.offerId
  await fill(seller, slug, bidId, await selling(market, bidOn, 60_000, 300))
  await market.mine()
  const proposalId = await trade(swapped)
  const open = await offer(buyer, slug, await offering(market, buyer, [wanted], 50_000))
  const openOffer = open.items[0]!.offerId
  const countered = await counter(seller, openOffer, await selling(market, wanted, 75_000))
  const after = await exported('after.jsonl.gz')

  expect(statesOf(after, first.get(bought)!)).toEqual(['buyable', 'replaced'])
  expect(statesOf(after, raised)).toEqual(['buyable', 'hidden_locked', 'sold'])
  expect(statesOf(after, first.get(withdrawn)!).slice(0, 2)).toEqual(['buyable', 'cancelled'])
  expect(statesOf(after, offerId)).toEqual(['active', 'accepted'])
  expect(statesOf(after, bidId)).toEqual(['active', 'filled'])
  expect(statesOf(after, proposalId)).toEqual(['active', 'accepted'])
  expect(statesOf(after, openOffer)).toEqual(['active'])
  const sales = after.filter(({ change }) => change.kind === 'sale').map(({ change }) => change)
  expect(sales.map(({ inscriptionId, priceSats }) => [inscriptionId, priceSats])).toEqual([
    [bought, 120_000],
    [offered, 90_000],
    [bidOn, 60_000],
  ])
  const trades = after.filter(({ change }) => change.kind === 'trade')
  expect(trades.map(({ change }) => change.inscriptionIds)).toEqual([[swapped]])

  expect(before.length).toBeGreaterThan(6)
  expect(after.slice(0, before.length)).toEqual(before)
  expect(await compareLogs(fileOf('before.jsonl'), fileOf('after.jsonl.gz'))).toMatchObject({
    alike: before.length,
    differing: null,
    more: { ours: 0, theirs: after.length - before.length },
  })
  // Counters, signatures and sellers' payment addresses are private.
  const text = JSON.stringify(after)
  expect(text).not.toContain(JSON.stringify(countered).match(/[0-9a-f]{8}-[0-9a-f-]{27}/)![0])
  const secrets = await market.sql<{ secret: string }[]>`
    select encode(leg_signature, 'hex') as secret from listings union all select encode(transfer_signature, 'hex') from listings
    union all select secret_hash from collection_offers union all select payment_script from (
      select encode(payment_script, 'hex') as payment_script from wallet_bindings
      where payment_script not in (select b.payment_script from collection_offers o join wallet_bindings b using (wallet_binding_id))) p`
  expect(secrets.length).toBeGreaterThan(8)
  for (const { secret } of secrets) expect(text).not.toContain(secret)
})

/** Mines to another address. Otherwise the block could be identical to the disconnected one. */
async function mineOthers(count: number): Promise<void> {
  await market.regtest.call('generatetoaddress', count, buyer.wallet.paymentAddress)
  await market.server.sync()
}

it('logs a sale again after a reorg', async () => {
  const { slug: own, ids: fresh } = await market.collection(seller.wallet, 1)
  const [id] = fresh as [string]
  await listAll(market, seller, own, [id], 55_000)
  await buy(buyer, own, await agreementFor(market, buyer, [id]))
  const [block] = await market.regtest.mine()
  await market.server.sync()
  await market.regtest.call('invalidateblock', block)
  await market.server.sync()
  await mineOthers(2)
  const lines = await exported('reorg.jsonl')
  const states = lines.filter(({ change }) => change.kind === 'sale' && change.inscriptionId === id)
  expect(states.map(({ change }) => change.to)).toEqual(['sold', 'undone', 'sold'])
})

it('rejects a modified export', async () => {
  const run = (...args: string[]) =>
    spawnSync(process.execPath, ['scripts/market/order-log.ts', ...args], {
      encoding: 'utf8',
      env: { ...process.env, DATABASE_URL: market.databaseUrl },
    })
  const file = fileOf('by-command.jsonl.gz')
  expect(run('export', file)).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/ changes, head [0-9a-f]{64}/),
  })
  expect(run('export', file)).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('already exists'),
  })
  expect(run('verify', file)).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('on regtest as of'),
  })
  const changed = fileOf('changed.jsonl')
  writeFileSync(
    changed,
    gunzipSync(readFileSync(file)).toString().replace('"priceSats":120000', '"priceSats":120001'),
  )
  expect(run('verify', changed)).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('does not follow'),
  })
  const cut = fileOf('cut.jsonl')
  writeFileSync(cut, readFileSync(fileOf('before.jsonl'), 'utf8').replace(/[^\n]*\n$/, ''))
  expect(run('verify', cut)).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('missing last line'),
  })
  expect(run('compare', file, changed)).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('does not follow'),
  })
  expect(run('compare', file, fileOf('before.jsonl'))).toMatchObject({ status: 0 })
  expect(run('verify')).toMatchObject({ status: 1, stderr: expect.stringContaining('expected one file') })
})

it('reports an empty database', async () => {
  await expect(exportLog(await freshDatabase(), fileOf('empty.log'), new Date())).rejects.toThrow(
    'The database is empty. Check DATABASE_URL',
  )
})

it('keeps positions and hashes in a backup', async () => {
  const lines = await exported('here.jsonl')
  await backUp(market.databaseUrl, fileOf('market.backup'), new Date())
  const databaseUrl = await freshDatabase()
  await restore(databaseUrl, fileOf('market.backup'), { areJournalsKept: true })
  await exportLog(databaseUrl, fileOf('restored.jsonl'), new Date())
  expect(await compareLogs(fileOf('here.jsonl'), fileOf('restored.jsonl'))).toMatchObject({
    alike: lines.length,
    differing: null,
    more: { ours: 0, theirs: 0 },
  })
})
