import { buildRevealScript } from '@ordbook/bitcoin/envelope.ts'
import { type Tx, txidOf } from '@ordbook/bitcoin/transaction.ts'
import { expect, it } from 'vitest'
import { CheckFailed } from './errors.ts'
import { proveCoins } from './plain-coins.ts'

/** A node with three transactions: a coinbase, a payment and a reveal. */
const script = new Uint8Array([0x51])
const transaction = (
  txid: string,
  vout: number,
  values: readonly number[],
  witness: Uint8Array[] = [],
): Tx => ({
  version: 2,
  locktime: 0,
  inputs: [{ txid, vout, scriptSig: new Uint8Array(), sequence: 0, witness }],
  outputs: values.map((valueSats) => ({ valueSats, script })),
})
const coinbase = transaction('0'.repeat(64), 0xffffffff, [5_000_000_000])
const payment = transaction(txidOf(coinbase), 0, [60_000, 40_000])
/** Reveals an inscription 50,000 sats behind the first sat of its only output. */
const reveal = transaction(
  txidOf(payment),
  0,
  [60_000],
  [
    new Uint8Array(64),
    buildRevealScript(new Uint8Array(32).fill(2), [
      { contentType: 'text/plain', body: new Uint8Array([97]), pointer: 50_000 },
    ]),
    new Uint8Array(33).fill(0xc0),
  ],
)
const node = {
  reads: 0,
  height: async () => 20,
  async transaction(txid: string) {
    this.reads++
    const tx = [coinbase, payment, reveal].find((candidate) => txidOf(candidate) === txid)
    if (!tx) throw new CheckFailed(`the node cannot find ${txid}`)
    return { tx, confirmations: 10 }
  },
}
const coin = (vout: number, valueSats: number) => ({ txid: txidOf(payment), vout, valueSats })

it('classifies coins with the node', async () => {
  const known = new Set<string>()
  const unknown = { ...coin(0, 1000), txid: 'ab'.repeat(32) }
  const coins = [coin(0, 60_000), coin(1, 40_000), unknown, coin(7, 1000)]
  const { plain, unproven } = await proveCoins(node, coins, { network: 'regtest', known })
  expect(plain).toEqual(coins.slice(0, 2))
  expect(unproven.map(({ reason }) => reason)).toEqual([
    expect.stringContaining('cannot find'),
    expect.stringContaining('has no output 7'),
  ])
  expect([...known]).toEqual([0, 1].map((vout) => `${txidOf(payment)}:${vout}`))
})

it('traces the whole coin', async () => {
  const known = new Set<string>()
  for (const valueSats of [546, 60_000]) {
    const found = await proveCoins(node, [{ txid: txidOf(reveal), vout: 0, valueSats }], {
      network: 'regtest',
      known,
    })
    expect(found).toMatchObject({ plain: [], inscribed: [{ offset: 50_000 }], unproven: [] })
  }
  expect(known.size).toBe(0)
})

it('applies one time limit to all coins', async () => {
  node.reads = 0
  const coins = Array.from({ length: 50 }, (_, vout) => coin(vout, 1000))
  const { plain, unproven } = await proveCoins(node, coins, { network: 'regtest', mostMillisecondsInAll: -1 })
  expect([plain.length, unproven.length, node.reads]).toEqual([0, 50, 0])
})
