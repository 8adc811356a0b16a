import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { buildPayment, taprootScriptOf } from '@ordbook/bitcoin/inscribe.ts'
import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { sumSats } from '@ordbook/bitcoin/sats.ts'
import { type Tx, type TxOutput, txidOf } from '@ordbook/bitcoin/transaction.ts'
import { connect, type Sql } from '@ordbook/db/driver/connect.ts'
import type { Fault } from '@ordbook/db/process/errors.ts'
import { openLog } from '@ordbook/db/process/log.ts'
import { migrate } from '@ordbook/db/schema/migrate.ts'
import { FAUCET_KEY } from '@ordbook/devnet/regtest.ts'
import { BlockReader } from '@ordbook/indexer/blocks/block-reader.ts'
import { unspentOf } from '@ordbook/indexer/coins/coins.ts'
import { CoreSource } from '@ordbook/indexer/node/core.ts'
import { RpcFault } from '@ordbook/indexer/node/rpc.ts'
import { UtxoFollower } from '@ordbook/indexer/utxos/utxo-follower.ts'
import { forgetUtxos } from '@ordbook/indexer/utxos/utxo-queries.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Crowd, Dice, JsonChain } from '../indexer/support/random-chain.ts'
import { recompute } from '../indexer/support/slow-index.ts'
import { differencesFromNode } from '../indexer/support/utxo-dump.ts'
import { sampled } from '../support/effort.ts'
import { freshDatabase, freshWallet, testConfig } from '../support/market.ts'
import { startNode, type TestNode } from '../support/node.ts'

/** The table of UTXOs, compared with dumps of the node. */
const UNDO_BLOCKS = 12
const STEPS = sampled(30, 400, 10)
const seed = Number(process.env.ORDBOOK_SEED ?? Math.floor(Math.random() * 1e9))

let node: TestNode
let folder: string
let sql: Sql
let databaseUrl: string
let source: CoreSource
let loads = 0

beforeAll(async () => {
  node = await startNode('bitcoind')
  folder = mkdtempSync(join(tmpdir(), 'ordbook-utxos-'))
  await node.regtest.mine(130)
}, 120_000)
afterAll(async () => {
  await node?.stop()
  rmSync(folder, { recursive: true, force: true })
})
beforeEach(async () => {
  databaseUrl = await freshDatabase()
  sql = connect(databaseUrl)
  await migrate(sql)
  source = new CoreSource(node.url)
  loads = 0
  const dumpUtxos = source.dumpUtxos
  source.dumpUtxos = function (this: CoreSource, path) {
    loads++
    return dumpUtxos.call(this, path)
  }
  return () => sql.end()
})

const open = () =>
  new UtxoFollower({
    sql,
    databaseUrl,
    node: source,
    reader: new BlockReader(source, null),
    folder,
    log: openLog(testConfig({ LOG_LEVEL: 'silent' })),
    undoBlocks: UNDO_BLOCKS,
    loadPauseMilliseconds: 0,
  })
const sync = (follower: UtxoFollower) => follower.sync(new AbortController().signal)
const differences = () => differencesFromNode(sql, node)

const lookUp = (script: Uint8Array) => {
  const config = testConfig({ ADDRESS_INDEX_URL: `node://${folder}` })
  return unspentOf({ sql, node: source, ord: null, config }, script)
}

/** Mines a block with a payment from the faucet. */
async function mine(outputs: readonly TxOutput[]): Promise<Tx> {
  const { regtest } = node
  const coins = (await regtest.coinsOf(taprootScriptOf(FAUCET_KEY))).toSorted(
    (a, b) => b.valueSats - a.valueSats,
  )
  const value = sumSats(outputs.map(({ valueSats }) => valueSats))
  const coin = coins.find(({ valueSats }) => valueSats > value + 5_000_000)!
  const tx = buildPayment([coin], [...outputs], { privateKey: FAUCET_KEY, feeRateSatVb: 2 })
  await regtest.mineExactly([tx])
  return tx
}

/** Spends outputs that anyone can spend. */
const spend = (outpoints: readonly Outpoint[], outputs: TxOutput[]): Tx => ({
  version: 2,
  locktime: 0,
  inputs: outpoints.map((outpoint) => ({
    ...outpoint,
    scriptSig: new Uint8Array(),
    sequence: 0xffffffff,
    witness: [],
  })),
  outputs,
})

/** Leaves `depth` blocks for `count` others. */
async function reorganize(depth: number, count: number): Promise<void> {
  const { regtest } = node
  const tip = await regtest.call<number>('getblockcount')
  await regtest.call('invalidateblock', await regtest.call<string>('getblockhash', tip - depth + 1))
  // Another coinbase script, so that no block is mined again.
  const address = freshWallet().paymentAddress
  await regtest.call('generatetoaddress', count, address)
}

it(`equals the node after random blocks and reorganizations (seed ${seed})`, async () => {
  const dice = new Dice(seed)
  const chain = new JsonChain(node.regtest)
  const crowd = new Crowd(dice, FAUCET_KEY, { isHostile: true })
  const follower = open()
  await sync(follower)
  let lowest = await node.regtest.call<number>('getblockcount')
  for (let step = 0; step < STEPS; step++) {
    for (let n = dice.roll(4); n >= 0; n--) {
      const blocks = await chain.read()
      await node.regtest.mineExactly(crowd.block(recompute(blocks), blocks.length, 3))
    }
    if (dice.chance(50)) await sync(follower)
    const height = await node.regtest.call<number>('getblockcount')
    lowest = Math.max(lowest, height - UNDO_BLOCKS)
    if (dice.chance(50) && height > lowest) {
      const depth = dice.chance(30) ? height - lowest : 1 + dice.roll(height - lowest)
      await reorganize(depth, dice.chance(30) ? 0 : 1 + dice.roll(depth + 2))
    }
    await sync(follower)
    expect(await differences()).toEqual([])
  }
  expect(loads).toBe(1)
}, 600_000)

it('equals the node after outputs of every form', async () => {
  const follower = open()
  await sync(follower)
  const hex = (text: string) => new Uint8Array(Buffer.from(text, 'hex'))
  const x = '79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'
  const y = '483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8'
  const scripts = [
    hex(`76a914${'11'.repeat(20)}88ac`),
    hex(`a914${'22'.repeat(20)}87`),
    hex(`2102${x}ac`),
    hex(`4104${x}${y}ac`),
    // A key that is not on the curve.
    hex(`4104${x}${'00'.repeat(32)}ac`),
    hex('6a0101'),
    hex(''),
    hex(`51${'61'.repeat(9999)}`),
    hex(`51${'61'.repeat(10_000)}`),
    ...Array.from({ length: 3 }, () => freshWallet().paymentScript),
  ]
  await mine(scripts.map((script) => ({ valueSats: 700, script })))
  await sync(follower)
  expect(await differences()).toEqual([])
  // The same after a load.
  await sql`delete from utxo_blocks`
  await sync(follower)
  expect(await differences()).toEqual([])
  expect(loads).toBe(2)
}, 120_000)

it('spends many outputs of one transaction and one script', async () => {
  const follower = open()
  await sync(follower)
  const anyone = Uint8Array.of(0x51)
  const paid = await mine([{ valueSats: 1_000_000, script: anyone }])
  const from = paid.outputs.findIndex(({ script }) => equalBytes(script, anyone))
  const outputs = Array.from({ length: 2 ** 16 + 2 }, () => ({ valueSats: 10, script: anyone }))
  const many = spend([{ txid: txidOf(paid), vout: from }], outputs)
  await node.regtest.mineExactly([many])
  await sync(follower)
  const txid = txidOf(many)
  // The low bits of the first and the last are equal.
  const spends = [...Array.from({ length: 5000 }, (_, vout) => ({ txid, vout })), { txid, vout: 2 ** 16 }]
  const script = freshWallet().paymentScript
  await node.regtest.mineExactly([spend(spends, [{ valueSats: 10 * spends.length, script }])])
  await sync(follower)
  expect(await differences()).toEqual([])
  expect((await lookUp(script)).coins).toMatchObject([{ vout: 0, valueSats: 10 * spends.length }])
  const { coins, isComplete } = await lookUp(anyone)
  expect([coins.length, isComplete]).toEqual([1000, false])
  await reorganize(2, 3)
  await sync(follower)
  expect(await differences()).toEqual([])
  expect(loads).toBe(1)
}, 300_000)

it('answers lookups while it loads', async () => {
  const follower = open()
  const answers: unknown[] = []
  const dumpUtxos = source.dumpUtxos
  source.dumpUtxos = async function (this: CoreSource, path) {
    answers.push(await lookUp(Uint8Array.of(0x51)).catch((error: Fault) => error.code))
    return dumpUtxos.call(this, path)
  }
  await sync(follower)
  await forgetUtxos(sql)
  await sync(follower)
  expect(answers).toEqual(['address-index-building', 'address-index-building'])
  expect(await differences()).toEqual([])
}, 120_000)

it('loads again after a reorganization below the undo data', async () => {
  const follower = open()
  await sync(follower)
  await node.regtest.mine(UNDO_BLOCKS + 5)
  await sync(follower)
  await reorganize(UNDO_BLOCKS, UNDO_BLOCKS + 1)
  await sync(follower)
  expect([loads, await differences()]).toEqual([1, []])
  await reorganize(UNDO_BLOCKS + 1, UNDO_BLOCKS + 2)
  await sync(follower)
  expect([loads, await differences()]).toEqual([2, []])
}, 120_000)

it('waits for a node that lacks the block', async () => {
  const follower = open()
  await sync(follower)
  const tip = await node.regtest.call<string>('getbestblockhash')
  await reorganize(3, 0)
  await sync(follower)
  await node.regtest.call('reconsiderblock', tip)
  await sync(follower)
  expect([loads, await differences()]).toEqual([1, []])
}, 120_000)

it('notices a removed row when its coin is spent', async () => {
  const follower = open()
  await sync(follower)
  const anyone = Uint8Array.of(0x51, 0x51, 0x51)
  const paid = await mine([{ valueSats: 5000, script: anyone }])
  const vout = paid.outputs.findIndex(({ valueSats }) => valueSats === 5000)
  await sync(follower)
  await sql`delete from utxos where value_sats = 5000 and height = (select max(height) from utxo_blocks)`
  expect((await lookUp(anyone)).coins).toEqual([])
  await node.regtest.mine()
  await sync(follower)
  expect(loads).toBe(1)
  expect(await differences()).toHaveLength(1)
  const target = { valueSats: 5000, script: taprootScriptOf(FAUCET_KEY) }
  await node.regtest.mineExactly([spend([{ txid: txidOf(paid), vout }], [target])])
  await sync(follower)
  expect([loads, await differences()]).toEqual([2, []])
}, 120_000)

it('does not report an empty address while coins are unknown', async () => {
  const script = freshWallet().paymentScript
  await mine([{ valueSats: 9000, script }])
  const building = { kind: 'unavailable', code: 'address-index-building' }
  await expect(lookUp(script)).rejects.toMatchObject(building)
  await sync(open())
  expect(await lookUp(script)).toMatchObject({ coins: [{ valueSats: 9000 }], isComplete: true })
  // As after a failover.
  await sql`truncate utxos, utxo_blocks`
  await expect(lookUp(script)).rejects.toMatchObject(building)
  await sync(open())
  expect(await lookUp(script)).toMatchObject({ coins: [{ valueSats: 9000 }] })
}, 120_000)

describe('a dump', () => {
  /** Replaces what the node writes. */
  function alter(change: (dump: Buffer) => Buffer | Promise<Buffer>, { takesPipes = true } = {}): void {
    const { dumpUtxos } = source
    source.dumpUtxos = async function (this: CoreSource, path) {
      const original = join(folder, 'original')
      rmSync(original, { force: true })
      if (!takesPipes && loads === 0) {
        loads++
        throw new RpcFault(
          -8,
          `${path} already exists. If you are sure this is what you want, move it out of the way first`,
        )
      }
      const report = await dumpUtxos.call(this, original)
      await writeFile(path, await change(readFileSync(original)))
      return report
    }
  }
  const flip = (dump: Buffer) => {
    dump[dump.length >> 1]! ^= 4
    return dump
  }

  it.each<[string, RegExp, (dump: Buffer) => Buffer]>([
    ['that is cut', /the dump ends/, (dump) => dump.subarray(0, -40)],
    ['that ends in its header', /the dump ends/, (dump) => dump.subarray(0, 20)],
    ['with a flipped byte', /./, flip],
    ['with more bytes', /bytes follow/, (dump) => Buffer.concat([dump, Buffer.of(0)])],
    ['of another block', /which is not the node's/, (dump) => dump.fill(7, 11, 43)],
  ])(
    '%s is refused, and read again',
    async (_, message, change) => {
      await mine([{ valueSats: 900, script: freshWallet().paymentScript }])
      alter((dump) => (loads === 1 ? change(dump) : dump))
      const follower = open()
      await expect(sync(follower)).rejects.toThrow(message)
      await expect(lookUp(Uint8Array.of(0x51))).rejects.toMatchObject({ code: 'address-index-unavailable' })
      await sync(follower)
      expect([loads, await differences()]).toEqual([2, []])
    },
    120_000,
  )

  it('of another chain is refused', async () => {
    const other = await startNode('bitcoind')
    try {
      await other.regtest.mine(5)
      const path = join(folder, 'other')
      await other.regtest.call('dumptxoutset', path, 'latest')
      alter(() => readFileSync(path))
      await expect(sync(open())).rejects.toThrow(/which is not the node's/)
      expect(await sql`select from utxos`).toHaveLength(0)
    } finally {
      await other.stop()
    }
  }, 120_000)

  it('is a file if the node does not write into pipes', async () => {
    alter((dump) => dump, { takesPipes: false })
    await sync(open())
    expect([loads, await differences()]).toEqual([2, []])
  }, 120_000)

  it('replaces files of an earlier try', async () => {
    writeFileSync(join(folder, 'utxos.dump'), 'x')
    await sync(open())
    expect([loads, await differences()]).toEqual([1, []])
  }, 120_000)

  it('that fails waits before it is asked for again', async () => {
    alter(() => Buffer.of())
    const follower = new UtxoFollower({ ...(open() as any).options, loadPauseMilliseconds: 3_600_000 })
    for (let n = 0; n < 3; n++) await expect(sync(follower)).rejects.toThrow(/the dump ends/)
    expect(loads).toBe(1)
  }, 120_000)
})
