import { setTimeout as sleep } from 'node:timers/promises'
import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { sumSats } from '@ordbook/bitcoin/sats.ts'
import { checkRollups } from '@ordbook/operations/audit/check.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { assertClean } from '../purchases/support/doomed.ts'
import { balanceOf, onChain } from '../support/chain.ts'
import { sampled } from '../support/effort.ts'
import { type TestTrader, until } from '../support/market.ts'
import { Listener, Observed, startReaders } from './support/clients.ts'
import {
  type ChaosFault,
  type ChaosMarket,
  databaseFaults,
  otherFaults,
  RECOVERY_SECONDS,
  REQUEST_SECONDS,
  startChaosMarket,
} from './support/market.ts'
import { KINDS, type Kind, type Outcome, type Pair, patient, STEPS, trade } from './support/trades.ts'

/**
 * Every dependency of the servers fails in every known way, at each step of a purchase, an offer and a swap, under load, with two server
 * processes on one database. Afterwards: the same processes, no 500, no late response, every trade settled once or not at all, every sat
 * where the responses say, and uninterrupted live events.
 */
const THOROUGH = sampled(0, 1) === 1
const HOLD = sampled(3000, 20_000)
/** Time in milliseconds by which a response may exceed its deadline on a loaded machine. */
const SLACK = 5000
/** Enough to retry every test. */
const ITEMS = sampled(60, 300)

let chaos: ChaosMarket
let pairs: Pair[]
let observed: Observed
let listeners: Listener[]
let readers: { stop(): Promise<void> }
let before: Map<TestTrader, number>
let isExcused = false
const outcomes: (Outcome & { pair: Pair })[] = []

beforeAll(async () => {
  chaos = await startChaosMarket()
  const { market, servers } = chaos
  const people: { kind: Kind; seller: TestTrader; buyer: TestTrader }[] = []
  for (const kind of KINDS)
    people.push({
      kind,
      seller: await market.trader('p2wpkh', 10_000_000),
      buyer: await market.trader('p2wpkh', 10_000_000),
    })
  // A coin per trade: the change of a trade is still unconfirmed when the next trade starts.
  const collections = []
  for (const { seller } of people) collections.push(await market.collection(seller.wallet, ITEMS))
  await market.anchors(60)
  await market.server.close()
  await chaos.restart(0)
  await chaos.restart(1)
  pairs = []
  for (const [n, { kind, seller, buyer }] of people.entries()) {
    const surface = kind === 'swap' ? 'web' : 'api'
    pairs.push({
      kind,
      ...collections[n]!,
      seller: await patient(seller, servers[0]!.url, surface),
      buyer: await patient(buyer, servers[1]!.url, surface),
    })
  }
  before = new Map()
  for (const { seller, buyer } of pairs)
    for (const each of [seller, buyer]) before.set(each, await balanceOf(market, each.wallet.paymentScript))
  observed = new Observed(
    servers.map(({ port }) => port),
    () => isExcused,
  )
  listeners = servers.map(({ url }) => new Listener(url))
  readers = startReaders(
    servers.map(({ url }) => url),
    people[0]!.seller.client.token!,
    collections[0]!.slug,
  )
}, 300_000)
afterAll(async () => {
  await readers?.stop()
  for (const each of listeners ?? []) each.stop()
  observed?.stop()
  await chaos?.stop()
})

/** Injects a fault just after a write of one trade is sent, while the other trades are at any step. */
async function round(fault: ChaosFault, kind: Kind, step: number): Promise<void> {
  const name = `${fault.name}, at write ${step} of ${STEPS[kind]} of a ${kind}`
  const processes = chaos.servers.map(({ process }) => process.child.pid)
  isExcused = fault.server !== undefined
  let failing: Promise<void> | null = null
  const fail = async () => {
    await sleep(Math.random() * 20)
    await fault.run(chaos, HOLD)
  }
  const made = pairs.map(async (pair) => {
    let writes = 0
    const outcome = await trade(chaos, pair, () => {
      writes++
      if (pair.kind === kind && writes === step) failing ??= fail()
    })
    outcomes.push({ ...outcome, pair })
    return outcome
  })
  // Wait for all trades before reporting a failure, so that a retry starts clean.
  const ended = await Promise.allSettled(made)
  await failing!
  const results = ended.map((each) => {
    if (each.status === 'rejected') throw each.reason
    return each.value
  })
  const height = await chaos.mine()
  await until(
    `block ${height} told to all who listen`,
    async () => listeners.every(({ heights }) => heights.includes(height)),
    RECOVERY_SECONDS,
  )
  const statusAt = (url: string): Promise<any> => fetch(`${url}/status`).then((answer) => answer.json())
  await until(
    'open trading on both servers',
    async () => {
      const all = await Promise.all(chaos.servers.map(({ url }) => statusAt(url).catch(() => null)))
      return all.every((status) => status?.trading === 'open')
    },
    RECOVERY_SECONDS,
  )
  isExcused = false
  if (fault.server !== 'killed')
    expect(
      chaos.servers.map(({ process }) => process.child.pid),
      name,
    ).toEqual(processes)
  for (const { process } of chaos.servers) expect(process.child.exitCode, name).toBeNull()
  expect(observed.wrong.splice(0), name).toEqual([])
  console.log(`${name}: ${results.map((each) => ('txid' in each ? 'settled' : each.refused)).join(', ')}`)
}

/** Steps at which faults are injected: in turn all writes of all kinds. */
const places = KINDS.flatMap((kind) => Array.from({ length: STEPS[kind] }, (_, n) => [kind, n + 1] as const))
const faults = [...databaseFaults, ...otherFaults]
const plan = THOROUGH
  ? faults.flatMap((fault) => places.map(([kind, step]) => [fault, kind, step] as const))
  : faults.map((fault, n) => {
      const [kind, step] = places[(n * 5 + Math.floor(Math.random() * places.length)) % places.length]!
      return [fault, kind, step] as const
    })

it(`${plan.length} outages at steps of trades leave every trade settled once or not at all`, async () => {
  for (const [fault, kind, step] of plan) await round(fault, kind, step)
  await settled()
})

it(`${sampled(5, 50)} restarts of the database under load leave the same processes and every trade whole`, async () => {
  for (let n = 0; n < sampled(5, 50); n++) {
    const fault = databaseFaults[n % databaseFaults.length]!
    const [kind, step] = places[Math.floor(Math.random() * places.length)]!
    await round(fault, kind, step)
  }
  await settled()
})

it('replaces a hanging follower, which does no harm when it resumes', async () => {
  const { market, servers } = chaos
  isExcused = true
  for (const [n, { process }] of servers.entries()) {
    process.child.kill('SIGSTOP')
    const stopped = performance.now()
    try {
      const height = await chaos.mine()
      const took = performance.now() - stopped
      console.log(`block ${height} indexed ${Math.round(took)} ms after server ${n} hung`)
      // Promised are ten seconds.
      expect(took).toBeLessThan(10_000 + SLACK)
    } finally {
      process.child.kill('SIGCONT')
    }
    await chaos.mine()
    expect(process.child.exitCode).toBeNull()
  }
  isExcused = false
  const [row] = await market.sql<{ blocks: number; heights: number }[]>`
    select count(*) as blocks, max(height) + 1 as heights from blocks`
  expect(row!.blocks).toBe(row!.heights)
  await settled()
})

/** Waits until nothing is pending, then compares chain, responses and derived state with the trades. */
async function settled(): Promise<void> {
  const { market } = chaos
  await until('a quiet market', async () => {
    await chaos.mine()
    const [row] = await market.sql<{ live: number }[]>`
      select count(*) as live from settlements where state in ('intended', 'broadcast')`
    return row!.live === 0 && (await market.regtest.call<string[]>('getrawmempool')).length === 0
  })
  const index = await market.sql<{ inscriptionId: string; ownerScript: Uint8Array }[]>`
    select inscription_id, owner_script from inscriptions`
  const ownerOf = new Map(index.map(({ inscriptionId, ownerScript }) => [inscriptionId, ownerScript]))
  const sales = await market.sql<{ inscriptionId: string; txid: string }[]>`
    select inscription_id, txid from sales where inscription_id = any(${outcomes.map(({ id }) => id)})`
  const txids = new Set<string>()
  for (const outcome of outcomes) {
    const found = sales.filter(({ inscriptionId }) => inscriptionId === outcome.id)
    const { kind, seller, buyer } = outcome.pair
    // A swap is not a sale, and a rejected trade has no effect.
    const expected = 'txid' in outcome && kind !== 'swap' ? [outcome.txid] : []
    expect(found.map(({ txid }) => txid)).toEqual(expected)
    const holder = 'txid' in outcome ? buyer : seller
    expect(equalBytes(ownerOf.get(outcome.id)!, holder.wallet.ordinalsScript), outcome.id).toBe(true)
    if ('txid' in outcome) txids.add(outcome.txid)
  }
  // Only trades whose response reported a settlement were settled.
  const confirmed = await market.sql<{ settlementTxid: string }[]>`
    select settlement_txid from settlements where state = 'confirmed'`
  expect(confirmed.map(({ settlementTxid }) => settlementTxid).sort()).toEqual([...txids].sort())
  // Balances changed only by the settlements in the responses.
  const moved = new Map<TestTrader, number>()
  for (const txid of txids) {
    const { tx, spent, confirmations } = await onChain(market, txid)
    expect(confirmations).toBeGreaterThan(0)
    for (const trader of before.keys()) {
      const { paymentScript } = trader.wallet
      const sum = (outputs: typeof spent) =>
        sumSats(
          outputs.filter(({ script }) => equalBytes(script, paymentScript)).map((each) => each.valueSats),
        )
      moved.set(trader, (moved.get(trader) ?? 0) + sum(tx.outputs) - sum(spent))
    }
  }
  for (const [trader, sats] of before)
    expect(await balanceOf(market, trader.wallet.paymentScript)).toBe(sats + (moved.get(trader) ?? 0))
  // Jobs release the coins that failed attempts reserved.
  await until('a clean market', () =>
    assertClean(market).then(
      () => true,
      () => false,
    ),
  ).catch(() => {})
  await assertClean(market)
  expect(await checkRollups({ ...market.server.context, sql: market.sql })).toEqual([])
  // Live events skipped no block.
  for (const { heights } of listeners) {
    const told = [...new Set(heights)].sort((a, b) => a - b)
    expect(told).toEqual(Array.from({ length: told.length }, (_, n) => told[0]! + n))
  }
  expect(observed.wrong.splice(0)).toEqual([])
  expect(observed.slowest.milliseconds, observed.slowest.path).toBeLessThan(REQUEST_SECONDS * 1000 + SLACK)
  expect(observed.slowestStatus).toBeLessThan(1000 + SLACK)
  const count = outcomes.filter((outcome) => 'txid' in outcome).length
  console.log(
    [
      `${outcomes.length} trades: ${count} settled, ${outcomes.length - count} refused`,
      `answers: ${[...observed.statuses].map(([status, n]) => `${n} x ${status}`).join(', ')}`,
      `slowest ${Math.round(observed.slowest.milliseconds)} ms (${observed.slowest.path}), /status ${Math.round(observed.slowestStatus)} ms`,
    ].join('\n'),
  )
}
