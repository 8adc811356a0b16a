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
 * Injects every fault at each step of a purchase, an offer and a swap, with two servers on a database under load. No process may restart,
 * no response may be late or a 500, and no trade may settle twice.
 */
const THOROUGH = sampled(0, 1) === 1
const HOLD = sampled(3000, 20_000)
/** Tolerated excess over a response's deadline on a loaded machine, in milliseconds. */
const SLACK = 5000
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
  // Use one coin per trade, because change is unconfirmed when the next trade starts.
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

/** Injects a fault just after a write. */
async function round(fault: ChaosFault, kind: Kind, step: number): Promise<void> {
  const name = `${fault.name}, at write ${step} of ${STEPS[kind]} of a ${kind}`
  const processes = chaos.servers.map(({ process }) => process.child.pid)
  isExcused = fault.server !== undefined
  let failing: Promise<void> | null = null
  const fail = async () => {
    await sleep(Math.random() * 20)
    await fault.run(chaos, HOLD)
  }
  const trades = pairs.map(async (pair) => {
    let writes = 0
    const outcome = await trade(chaos, pair, () => {
      writes++
      if (pair.kind === kind && writes === step) failing ??= fail()
    })
    outcomes.push({ ...outcome, pair })
    return outcome
  })
  const ended = await Promise.allSettled(trades)
  await failing!
  const results = ended.map((each) => {
    if (each.status === 'rejected') throw each.reason
    return each.value
  })
  const height = await chaos.mine()
  await until(
    `the live event of block ${height}`,
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
  console.log(
    `${name}: ${results.map((result) => ('txid' in result ? 'settled' : result.refused)).join(', ')}`,
  )
}

const places = KINDS.flatMap((kind) => Array.from({ length: STEPS[kind] }, (_, n) => [kind, n + 1] as const))
const faults = [...databaseFaults, ...otherFaults]
const plan = THOROUGH
  ? faults.flatMap((fault) => places.map(([kind, step]) => [fault, kind, step] as const))
  : faults.map((fault, n) => {
      const [kind, step] = places[(n * 5 + Math.floor(Math.random() * places.length)) % places.length]!
      return [fault, kind, step] as const
    })

it(`settles each trade at most once in ${plan.length} outages`, async () => {
  for (const [fault, kind, step] of plan) await round(fault, kind, step)
  await settled()
})

it(`keeps all trades intact in ${sampled(5, 50)} database restarts`, async () => {
  for (let n = 0; n < sampled(5, 50); n++) {
    const fault = databaseFaults[n % databaseFaults.length]!
    const [kind, step] = places[Math.floor(Math.random() * places.length)]!
    await round(fault, kind, step)
  }
  await settled()
})

it('replaces a hanging follower', async () => {
  const { market, servers } = chaos
  isExcused = true
  for (const [n, { process }] of servers.entries()) {
    process.child.kill('SIGSTOP')
    const stopped = performance.now()
    try {
      const height = await chaos.mine()
      const elapsedMs = performance.now() - stopped
      console.log(`block ${height} indexed ${Math.round(elapsedMs)} ms after server ${n} hung`)
      expect(elapsedMs).toBeLessThan(10_000 + SLACK)
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

async function settled(): Promise<void> {
  const { market } = chaos
  await until('a market without pending transactions', async () => {
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
    const expected = 'txid' in outcome && kind !== 'swap' ? [outcome.txid] : []
    expect(found.map(({ txid }) => txid)).toEqual(expected)
    const holder = 'txid' in outcome ? buyer : seller
    expect(equalBytes(ownerOf.get(outcome.id)!, holder.wallet.ordinalsScript), outcome.id).toBe(true)
    if ('txid' in outcome) txids.add(outcome.txid)
  }
  // A trade has settled only if its response has a settlement.
  const confirmed = await market.sql<{ settlementTxid: string }[]>`
    select settlement_txid from settlements where state = 'confirmed'`
  expect(confirmed.map(({ settlementTxid }) => settlementTxid).sort()).toEqual([...txids].sort())
  const balanceChanges = new Map<TestTrader, number>()
  for (const txid of txids) {
    const { tx, spent, confirmations } = await onChain(market, txid)
    expect(confirmations).toBeGreaterThan(0)
    for (const trader of before.keys()) {
      const { paymentScript } = trader.wallet
      const sum = (outputs: typeof spent) =>
        sumSats(
          outputs.filter(({ script }) => equalBytes(script, paymentScript)).map((each) => each.valueSats),
        )
      balanceChanges.set(trader, (balanceChanges.get(trader) ?? 0) + sum(tx.outputs) - sum(spent))
    }
  }
  for (const [trader, sats] of before)
    expect(await balanceOf(market, trader.wallet.paymentScript)).toBe(
      sats + (balanceChanges.get(trader) ?? 0),
    )
  // Jobs release the coins of failed attempts.
  await until('a clean market', () =>
    assertClean(market).then(
      () => true,
      () => false,
    ),
  ).catch(() => {})
  await assertClean(market)
  expect(await checkRollups({ ...market.server.context, sql: market.sql })).toEqual([])
  for (const { heights } of listeners) {
    const receivedHeights = [...new Set(heights)].sort((a, b) => a - b)
    expect(receivedHeights).toEqual(
      Array.from({ length: receivedHeights.length }, (_, n) => receivedHeights[0]! + n),
    )
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
