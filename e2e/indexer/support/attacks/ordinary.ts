import { sumSats } from '@ordbook/bitcoin/sats.ts'
import type { Tx } from '@ordbook/bitcoin/transaction.ts'
import { anyone, type Bomb, body, envelope, type Held, heldOf, leafOf, OPEN, spend } from '../hostile.ts'
import { committed, dealt, inscribing, POSTAGE } from './attack.ts'

/** What the blocks of a bomb contain. `moves`: rows of `coin_moves`. */
export interface Contents {
  bytes: number
  inputs: number
  inscriptions: number
  moves: number
}

/** Bytes of a transaction with one input and one output, without witness, and of a reveal without its body. */
const PLAIN_BYTES = 65
const REVEAL_BYTES = 150
/** Bytes of a block that witnesses fill to the limit of 4,000,000 weight units. */
const PADDING_BYTES = 3_500_000
const BLOCK_WEIGHT = 3_900_000
/** Most outputs of a transaction that prepares coins. */
const PREPARED = 9000

/** Returns blocks with the same contents as a bomb's: each inscription, each move and each other input in a separate transaction. */
export function ordinary(bomb: Bomb, { bytes, inputs, inscriptions, moves }: Contents): Bomb {
  const plain = Math.max(0, inputs - inscriptions - moves)
  const rest = bytes - PLAIN_BYTES * (moves + plain) - REVEAL_BYTES * inscriptions
  const bodyBytes = inscriptions > 0 ? Math.max(1, Math.floor(rest / inscriptions)) : 0
  const leaf = envelope(body(new Uint8Array(bodyBytes).fill(0x41)))
  const [reveals, moved, others] = [inscriptions, moves, plain].map((count) => parts(count, PREPARED)) as [
    number[],
    number[],
    number[],
  ]
  const padding = inscriptions === 0 ? parts(rest, PADDING_BYTES) : []
  return {
    name: `ordinary: ${bomb.name}`,
    ...(bomb.market === 'items' || bomb.market === 'listings' ? { market: bomb.market } : {}),
    coins: [
      ...reveals.map((n) => ({ leaf: OPEN, valueSats: n * POSTAGE })),
      ...moved.map(inscribing),
      ...others.map((n) => ({ leaf: OPEN, valueSats: n * POSTAGE })),
      ...padding.map((length) => ({ leaf: paddingOf(length), valueSats: POSTAGE })),
    ],
    prepared: reveals.length + moved.length + others.length,
    blocks(coins) {
      const commits = reveals.map((n, i) => committed(coins[i]!, leaf, n, POSTAGE))
      const deals = [...moved, ...others].map((n, i) => dealt(coins[reveals.length + i]!, n))
      const singly = (held: readonly Held[]) =>
        held.map((coin, owner) => spend([coin], [anyone(owner + 7, POSTAGE)]))
      return [
        ...[...commits.map((commit) => commit.tx), ...deals].map((tx) => [tx]),
        ...packed([
          ...commits.flatMap((commit) => singly(commit.coins)),
          ...deals.flatMap((deal) => singly(heldOf(deal))),
          ...singly(coins.slice(reveals.length + deals.length)),
        ]),
      ]
    },
  }
}

const parts = (count: number, most: number): number[] =>
  Array.from({ length: Math.max(0, Math.ceil(count / most)) }, (_, n) => Math.min(most, count - n * most))

/** A leaf of about `length` bytes that is not an envelope. */
const paddingOf = (length: number) => leafOf([0x00, 0x63], body(new Uint8Array(length)), [0x68])

/** Divides transactions into blocks. */
function packed(transactions: readonly Tx[]): Tx[][] {
  const blocks: Tx[][] = [[]]
  let weight = 0
  for (const tx of transactions) {
    const witness = sumSats(tx.inputs.flatMap((input) => input.witness.map((item) => item.length + 5)))
    const size = 4 * PLAIN_BYTES + witness
    if (weight + size > BLOCK_WEIGHT) {
      blocks.push([])
      weight = 0
    }
    blocks.at(-1)!.push(tx)
    weight += size
  }
  return blocks
}
