import { chain, heldOf, leafOf, OPEN, spend, times } from '../hostile.ts'
import {
  type Attack,
  dealt,
  EMPTY_LEAF,
  inscribing,
  merged,
  ONE,
  ORD,
  outputs,
  POSTAGE,
  repeated,
  shredded,
} from './attack.ts'

const UNBOUND = Uint8Array.of(...ORD, 1, 66, 0, 0x68)

const toOneScript: Attack = {
  sizes: [19_500, 500],
  make: (n) => ({
    name: `${n} inscriptions in ${n} outputs of one script`,
    coins: [inscribing(n)],
    blocks: ([coin]) => [
      [
        spend(
          [coin!],
          outputs(n, () => ONE(POSTAGE)),
        ),
      ],
    ],
  }),
}

const movedSingly: Attack = {
  sizes: [9000, 500],
  make: (n) => ({
    name: `${n} inscribed coins moved in ${n} transactions`,
    coins: [inscribing(n)],
    prepared: 1,
    blocks: ([coin]) => {
      const deal = dealt(coin!, n)
      return [[deal], heldOf(deal).map((held) => spend([held], [ONE(POSTAGE)]))]
    },
  }),
}

const mergedIntoOne: Attack = {
  sizes: [19_500, 500],
  make: (n) => ({
    name: `${n} inscribed coins merged into one`,
    coins: [inscribing(n)],
    prepared: 1,
    blocks: ([coin]) => {
      const deal = dealt(coin!, n)
      return [[deal], [merged(heldOf(deal))]]
    },
  }),
}

const splitAgain: Attack = {
  sizes: [19_500, 500],
  make: (n) => ({
    name: `a coin of ${n} inscribed sats split into ${n} outputs`,
    coins: [inscribing(n)],
    prepared: 2,
    blocks: ([coin]) => {
      const deal = dealt(coin!, n)
      const merge = merged(heldOf(deal))
      return [[deal], [merge], [dealt(heldOf(merge)[0]!, n)]]
    },
  }),
}

const reinscribed: Attack = {
  sizes: [6000, 200],
  make: (n) => ({
    name: `${n} reinscriptions of one sat in a chain`,
    coins: [{ leaf: EMPTY_LEAF, valueSats: 10_000 }],
    blocks: ([coin]) => [repeated(coin!, n)],
  }),
}

const reinscribedMoved: Attack = {
  sizes: [8000, 200],
  make: (n) => ({
    name: `a coin of 300 reinscriptions moved ${n} times`,
    coins: [{ leaf: EMPTY_LEAF, valueSats: 10_000 }],
    prepared: 1,
    blocks: ([coin]) => {
      const start = repeated(coin!, 300)
      const last = spend([{ ...coin!, ...heldOf(start.at(-1)!)[0]!, witness: coin!.witness }], [10_000])
      return [[...start, last], chain(heldOf(last)[0]!, n)]
    },
  }),
}

const shredsOf = (n: number) => Math.ceil(n * 1.0625)
const shreddedMoved: Attack = {
  sizes: [8000, 100],
  make: (n) => ({
    name: `a coin of ${4 * shredsOf(n)} sat ranges moved ${n} times`,
    coins: [{ leaf: OPEN, valueSats: 20_000_000 }],
    prepared: 4,
    blocks: ([coin]) => {
      const shred = shredded(coin!, shredsOf(n), 4)
      return [...shred.blocks, chain(shred.coin, n)]
    },
  }),
}

const shredding: Attack = {
  sizes: [8500, 500],
  make: (n) => ({
    name: `a coin split into ${n} and merged in reverse, four times`,
    coins: [{ leaf: OPEN, valueSats: 20_000_000 }],
    blocks: ([coin]) => shredded(coin!, n, 4).blocks,
  }),
}

const unbound: Attack = {
  sizes: [40_000, 1000],
  make: (n) => ({
    name: `${n} unbound inscriptions`,
    coins: [{ leaf: leafOf(times(UNBOUND, n)), valueSats: 10_000 }],
    blocks: (coins) => [[spend(coins, [10_000])]],
  }),
}

const plain: Attack = {
  sizes: [3000, 300],
  make: (n) => ({
    name: `${3 * n} coins moved in ${n} transactions`,
    coins: [{ leaf: OPEN, valueSats: 3 * n * POSTAGE }],
    prepared: 1,
    blocks: ([coin]) => {
      const deal = dealt(coin!, 3 * n)
      const coins = heldOf(deal)
      return [[deal], outputs(n).map((_, i) => spend(coins.slice(3 * i, 3 * i + 3), outputs(3)))]
    },
  }),
}

/** The scripts of `attacks/chain` in the review of the index. */
export const reviewed: readonly Attack[] = [
  plain,
  toOneScript,
  movedSingly,
  mergedIntoOne,
  splitAgain,
  reinscribed,
  reinscribedMoved,
  shredding,
  shreddedMoved,
  unbound,
]
