import fc from 'fast-check'
import { expect, it } from 'vitest'
import { formatOutpoint, type Outpoint } from './outpoint.ts'
import { flowRareSats, RareSats } from './rare-sats.ts'
import { blockTransactionOf } from './raw-block.ts'
import { type Tx, type TxOutput, txidOf } from './transaction.ts'

const script = Uint8Array.of(0x51)
const transaction = (inputs: Outpoint[], values: number[], locktime: number): Tx => ({
  version: 2,
  locktime,
  inputs: inputs.map(({ txid, vout }) => ({
    txid,
    vout,
    sequence: 0,
    scriptSig: new Uint8Array(),
    witness: [],
  })),
  outputs: values.map((valueSats) => ({ valueSats, script })),
})

/** A chain with so few sats that the test can move each one. */
it('flowRareSats matches a naive implementation', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(fc.nat(1000), { minLength: 8, maxLength: 8 }), { minLength: 1, maxLength: 12 }),
      (blocks) => {
        const coins = new Map<string, { outpoint: Outpoint; sats: number[] }>()
        const tracked = new Map<number, { key: string; offset: number } | null>()
        const places = new Map<number, (Outpoint & { offset: number }) | null>()
        let minted = 0
        const firsts: number[] = []
        let rare = new RareSats()
        for (const [height, dice] of blocks.entries()) {
          let throwAt = 0
          const die = (n: number) => dice[throwAt++ % dice.length]! % n
          const before = new Map(tracked)
          const subsidySats = 5 + die(5)
          const transactions: { tx: Tx; prevouts: TxOutput[] }[] = []
          const fees: number[] = []
          const firstSat = minted
          firsts.push(firstSat)
          for (let n = 0; n < die(4); n++) {
            const free = [...coins.values()].filter((coin) => coin.sats.length > 0)
            const spent = free.filter(() => die(3) === 0).slice(0, 3)
            if (spent.length === 0) continue
            const sats = spent.flatMap((coin) => coin.sats)
            const values: number[] = []
            for (let left = sats.length - die(3); left > 0 && values.length < 4; ) {
              const valueSats = 1 + die(left)
              values.push(valueSats)
              left -= valueSats
            }
            const tx = transaction(
              spent.map((coin) => coin.outpoint),
              values,
              height * 100 + n,
            )
            for (const coin of spent) coins.delete(formatOutpoint(coin.outpoint))
            let at = 0
            for (const [vout, valueSats] of values.entries()) {
              const outpoint = { txid: txidOf(tx), vout }
              coins.set(formatOutpoint(outpoint), { outpoint, sats: sats.slice(at, at + valueSats) })
              at += valueSats
            }
            fees.push(...sats.slice(at))
            transactions.push({
              tx,
              prevouts: spent.map((coin) => ({ valueSats: coin.sats.length, script })),
            })
          }
          const reward = [...Array.from({ length: subsidySats }, () => minted++), ...fees]
          const claimed = reward.length - die(3)
          const coinbase = transaction([{ txid: '0'.repeat(64), vout: 0 }], [claimed], height * 100 + 99)
          const outpoint = { txid: txidOf(coinbase), vout: 0 }
          coins.set(formatOutpoint(outpoint), { outpoint, sats: reward.slice(0, claimed) })

          const block = [{ tx: coinbase, prevouts: [] }, ...transactions].map(({ tx, prevouts }) =>
            blockTransactionOf(tx, prevouts),
          )
          const moves = flowRareSats(block, { height, subsidySats, rare })
          // Later blocks of a batch use the same trees; the next batch loads them in any order.
          const isNewBatch = die(2) === 0
          for (const { bornHeight, from, to } of moves) {
            const place = before.get(bornHeight)
            expect(from && { key: formatOutpoint(from), offset: from.offset }).toEqual(place ?? null)
            tracked.set(bornHeight, to && { key: formatOutpoint(to), offset: to.offset })
            places.set(bornHeight, to)
          }
          if (isNewBatch) {
            rare = new RareSats()
            const stored = [...places].sort(([a], [b]) => ((a * 7) % 5) - ((b * 7) % 5))
            for (const [bornHeight, to] of stored) if (to) rare.add(bornHeight, to)
          }
          for (const [born, first] of firsts.entries()) {
            const coin = [...coins].find(([, { sats }]) => sats.includes(first))
            expect(tracked.get(born)).toEqual(
              coin ? { key: coin[0], offset: coin[1].sats.indexOf(first) } : null,
            )
          }
        }
      },
    ),
    { numRuns: 300 },
  )
})

const HEIGHT = 500
const coinbase = () => blockTransactionOf(transaction([{ txid: '0'.repeat(64), vout: 0 }], [1000], 7), [])

/** Moves a coin with `sats` rare sats `moves` times, through `outputs` outputs. Returns the visited nodes. */
function stepsOf(sats: number, moves: number, outputs: (value: number) => number[]): number {
  const rare = new RareSats()
  const value = sats * 100
  let spent: Outpoint[] = [{ txid: 'ab'.repeat(32), vout: 0 }]
  for (let n = 0; n < sats; n++) rare.add(n, { ...spent[0]!, offset: n * 100 })
  const before = rare.trees.steps
  let values = [value]
  const block = [coinbase()]
  for (let n = 0; n < moves; n++) {
    const tx = transaction(spent, outputs(value), n)
    const prevouts = values.map((valueSats) => ({ valueSats, script }))
    block.push(blockTransactionOf(tx, prevouts))
    values = outputs(value)
    spent = values.map((_, vout) => ({ txid: txidOf(tx), vout }))
  }
  const moved = flowRareSats(block, { height: HEIGHT, subsidySats: 1000, rare })
  expect(moved).toHaveLength(sats + 1)
  return rare.trees.steps - before
}

it('moves many rare sats of a coin together', () => {
  expect(stepsOf(200, 400, (value) => [value])).toBe(0)
  const cut = (value: number) => [value / 2, value / 2]
  const few = stepsOf(10, 400, cut)
  expect(few).toBeGreaterThan(0)
  expect(stepsOf(1000, 400, cut)).toBeLessThan(5 * few)
})
