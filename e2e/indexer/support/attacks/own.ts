import { concatBytes, joinBytes } from '@ordbook/bitcoin/bytes.ts'
import type { Tx } from '@ordbook/bitcoin/transaction.ts'
import {
  anyone,
  body,
  chain,
  envelope,
  heldOf,
  leafOf,
  lockOf,
  OPEN,
  pieces,
  reveal,
  spend,
  times,
} from '../hostile.ts'
import {
  type Attack,
  committed,
  dealt,
  EMPTY_LEAF,
  field,
  id,
  inscribing,
  merged,
  ONE,
  ORD,
  outputs,
  POSTAGE,
} from './attack.ts'

/** The follower must not load the other outputs of a transaction. */
const oneOfMany: Attack = {
  sizes: [25, 3],
  make: (n) => ({
    name: `one output of each of ${n} transactions with 2,000 inscribed outputs`,
    coins: [{ ...inscribing(2000), count: n }],
    prepared: 1,
    blocks: (coins) => {
      const deals = coins.map((coin) => dealt(coin, 2000))
      return [deals, [merged(deals.map((deal) => heldOf(deal)[0]!))]]
    },
  }),
}

const itemsInAChain: Attack = {
  sizes: [2000, 100],
  make: (n) => ({
    name: `a coin of 300 items of a collection moved ${n} times`,
    coins: [inscribing(300)],
    prepared: 1,
    market: 'items',
    blocks: ([coin]) => {
      const start = spend([coin!], [ONE(coin!.valueSats)])
      return [[start], chain(heldOf(start)[0]!, n)]
    },
  }),
}

const listedMerged: Attack = {
  sizes: [1000, 100],
  make: (n) => ({
    name: `${n} listed coins of one collection merged into one`,
    coins: [inscribing(n)],
    prepared: 1,
    market: 'listings',
    blocks: ([coin]) => {
      const deal = dealt(coin!, n)
      return [[deal], [merged(heldOf(deal))]]
    },
  }),
}

export const anotherChild: Attack = {
  sizes: [5000, 200],
  make: (n) => ({
    name: `another child in a collection of ${n} children`,
    coins: [
      { leaf: EMPTY_LEAF, valueSats: POSTAGE },
      { leaf: OPEN, valueSats: 10_000 },
    ],
    prepared: 3,
    market: 'children',
    blocks: ([first, funds]) => {
      const parent = spend([first!], [POSTAGE])
      const child = childOf(parent)
      const many = committed(funds!, leafOf(times(child, n)), 1, funds!.valueSats)
      const one = lockOf(leafOf(child))
      const children = spend(
        [heldOf(parent)[0]!, ...many.coins],
        [{ valueSats: POSTAGE, script: one.script }, ONE(funds!.valueSats)],
      )
      const last = spend([{ ...heldOf(children)[0]!, witness: one.witness }], [POSTAGE])
      return [[parent], [many.tx], [children], [last]]
    },
  }),
}

const cutCoins: Attack = {
  sizes: [500, 20],
  make: (n) => ({
    name: `${n} coins of 127 inscriptions, each cut in half`,
    coins: [inscribing(127 * n)],
    prepared: 1,
    blocks: ([coin]) => {
      const half = 64 * POSTAGE
      const whole = 127 * POSTAGE
      const deal = spend(
        [coin!],
        outputs(n, (owner) => anyone(owner, whole)),
      )
      return [
        [deal],
        heldOf(deal).map((held, owner) => spend([held], [anyone(owner, half), anyone(owner, whole - half)])),
      ]
    },
  }),
}

const rareSats: Attack = {
  sizes: [8000, 100],
  make: (n) => ({
    name: `a coin of 100 rare sats moved ${n} times`,
    coins: [],
    coinbases: 100,
    prepared: 1,
    blocks: (coins) => {
      const merge = merged(coins)
      return [[merge], chain(heldOf(merge)[0]!, n)]
    },
  }),
}

const lateDelegate: Attack = {
  sizes: [5000, 200],
  make: (n) => ({
    name: `the delegate of ${n} earlier items of a collection`,
    coins: [
      { leaf: envelope(body(Uint8Array.of(1))), valueSats: POSTAGE },
      { leaf: OPEN, valueSats: n * POSTAGE },
    ],
    prepared: 1,
    market: 'items',
    blocks: ([first, funds]) => {
      const delegate = spend([first!], [POSTAGE])
      const item = (i: number) => [
        ...ORD,
        ...[1, 2, 4, i & 255, (i >> 8) & 255, (i >> 16) & 255, 0],
        ...field(11, id(delegate)),
        0x68,
      ]
      const leaf = leafOf(joinBytes(outputs(n).map((_, i) => Uint8Array.from(item(i * POSTAGE)))))
      const items = committed(funds!, leaf, 1, funds!.valueSats)
      return [[items.tx, dealt(items.coins[0]!, n)], [delegate]]
    },
  }),
}

const lostToFees: Attack = {
  sizes: [5000, 200],
  make: (n) => ({
    name: `${n} inscribed coins left to the fee`,
    leavesFees: true,
    coins: [inscribing(n)],
    prepared: 1,
    blocks: ([coin]) => {
      const deal = dealt(coin!, n)
      return [
        [deal],
        heldOf(deal).map((held) => spend([held], [{ valueSats: 0, script: Uint8Array.of(0x6a) }])),
      ]
    },
  }),
}

const absentParents: Attack = {
  sizes: [9000, 200],
  make: (n) => ({
    name: `an inscription that claims ${n} parents in other coins`,
    coins: [inscribing(n), { leaf: OPEN, valueSats: 10_000 }],
    prepared: 1,
    blocks: ([coin, funds]) => {
      const deal = dealt(coin!, n)
      const claims = outputs(n).map((_, i) => field(3, id(deal, i)))
      const child = committed(funds!, envelope(joinBytes(claims)), 1, 10_000)
      return [[deal, child.tx], [spend(child.coins, [10_000])]]
    },
  }),
}

const childrenInAChain: Attack = {
  sizes: [3000, 200],
  make: (n) => ({
    name: `${n} children of one parent, each moving it`,
    coins: [
      { leaf: EMPTY_LEAF, valueSats: POSTAGE },
      { leaf: OPEN, valueSats: n * POSTAGE },
    ],
    prepared: 1,
    market: 'children',
    blocks: ([first, funds]) => {
      const parent = spend([first!], [ONE(POSTAGE)])
      const commits = committed(funds!, leafOf(childOf(parent)), n, POSTAGE)
      let at = heldOf(parent)[0]!
      const children = commits.coins.map((commit) => {
        const child = spend([at, commit], [ONE(POSTAGE), ONE(POSTAGE)])
        at = heldOf(child)[0]!
        return child
      })
      return [[parent, commits.tx], children]
    },
  }),
}

/** CBOR of a gallery of `n` items: a map with an array of maps with an inscription id. */
const galleryOf = (n: number) =>
  concatBytes(
    Uint8Array.of(0xa1, 0x00, 0x99, n >> 8, n & 255),
    ...outputs(n).map((_, i) =>
      concatBytes(Uint8Array.of(0xa1, 0x00, 0x58, 36), new Uint8Array(34).fill(7), Uint8Array.of(i >> 8, 1)),
    ),
  )
const gallery: Attack = {
  sizes: [20_000, 500],
  make: (n) => reveal(`a gallery of ${n} items`, envelope(pieces(17, galleryOf(n)))),
}

/** Pushes and drops 520 bytes, several times. */
const LONG_SCRIPT = concatBytes(
  times([0x4d, 0x08, 0x02, ...new Uint8Array(520), 0x75], 19),
  Uint8Array.of(0x51),
)
const longScripts: Attack = {
  sizes: [90, 20],
  make: (n) => ({
    name: `${n} inscribed coins with scripts of 10,000 bytes merged into one`,
    needsBitcoind: true,
    coins: [inscribing(n)],
    prepared: 1,
    blocks: ([coin]) => {
      const deal = spend(
        [coin!],
        outputs(n, () => ({ valueSats: POSTAGE, script: LONG_SCRIPT })),
      )
      return [[deal], [merged(heldOf(deal))]]
    },
  }),
}

const childOf = (parent: Tx) => concatBytes(Uint8Array.from(ORD), field(3, id(parent)), Uint8Array.of(0x68))

export const own: readonly Attack[] = [
  oneOfMany,
  itemsInAChain,
  listedMerged,
  anotherChild,
  cutCoins,
  rareSats,
  lateDelegate,
  lostToFees,
  absentParents,
  childrenInAChain,
  gallery,
  longScripts,
]
