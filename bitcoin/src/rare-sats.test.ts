import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Holdings } from './holdings.ts'
import { formatOutpoint, type Outpoint } from './outpoint.ts'
import { flowRareSats } from './rare-sats.ts'
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
        let minted = 0
        const firsts: number[] = []
        const located = new Holdings<{ bornHeight: number; offset: number }>()
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
          const moves = flowRareSats(block, { height, subsidySats, located })
          for (const { bornHeight, from, to } of moves) {
            const place = before.get(bornHeight)
            expect(from && { key: formatOutpoint(from), offset: from.offset }).toEqual(place ?? null)
            tracked.set(bornHeight, to && { key: formatOutpoint(to), offset: to.offset })
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
