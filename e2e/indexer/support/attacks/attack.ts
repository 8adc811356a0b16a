import { concatBytes, joinBytes } from '@ordbook/bitcoin/bytes.ts'
import { bytesOfInscriptionId } from '@ordbook/bitcoin/inscription-id.ts'
import { type Tx, type TxOutput, txidOf } from '@ordbook/bitcoin/transaction.ts'
import { anyone, type Bomb, EMPTY, type Held, heldOf, leafOf, lockOf, pointed, spend } from '../hostile.ts'

/** Bombs of a given size. Most prepare coins in earlier blocks. */
export interface Attack {
  make: (n: number) => Bomb
  /** Size in the benchmark, and in tests. */
  sizes: readonly [benchmark: number, test: number]
}

export const POSTAGE = 330
export const ONE = (valueSats: number): TxOutput => anyone(1, valueSats)
export const outputs = (n: number, of: (owner: number) => TxOutput = (owner) => anyone(owner, POSTAGE)) =>
  Array.from({ length: n }, (_, owner) => of(owner))
const sumOf = (coins: readonly { valueSats: number }[]) =>
  coins.reduce((sum, { valueSats }) => sum + valueSats, 0)

/** A coin that reveals `n` inscriptions, one every `POSTAGE` sats. */
export const inscribing = (n: number) => ({
  leaf: leafOf(joinBytes(Array.from({ length: n }, (_, i) => pointed(i * POSTAGE)))),
  valueSats: n * POSTAGE,
})
export const dealt = (coin: Held, n: number): Tx => spend([coin], outputs(n))
export const merged = (coins: readonly Held[]): Tx => spend(coins, [ONE(sumOf(coins))])

/** Pays a coin to `n` outputs with a leaf. Returns the transaction and the coins. */
export function committed(coin: Held, leaf: Uint8Array, n: number, valueSats: number) {
  const { script, witness } = lockOf(leaf)
  const tx = spend(
    [coin],
    outputs(n, () => ({ valueSats, script })),
  )
  return { tx, coins: heldOf(tx).map((held) => ({ ...held, witness })) }
}

export const id = (tx: Tx, index = 0) => bytesOfInscriptionId(`${txidOf(tx)}i${index}`)
export const field = (tag: number, value: Uint8Array) =>
  concatBytes(Uint8Array.of(1, tag, value.length), value)

/** Spends a coin, and each output in turn, with the coin's leaf. */
export function repeated(coin: Held, count: number): Tx[] {
  const moves: Tx[] = []
  for (let n = 0; n < count; n++) {
    const move = spend([coin], [{ valueSats: coin.valueSats, script: coin.script }])
    moves.push(move)
    coin = { ...heldOf(move)[0]!, witness: coin.witness }
  }
  return moves
}

/** Splits a coin into `pieces` outputs and merges them in reverse order, `rounds` times with other cuts. */
export function shredded(coin: Held, count: number, rounds: number): { blocks: Tx[][]; coin: Held } {
  const blocks: Tx[][] = []
  for (let round = 0; round < rounds; round++) {
    const size = Math.floor(coin.valueSats / count) - round * 3
    const rest = coin.valueSats - size * (count - 1)
    const split = spend(
      [coin],
      outputs(count, (n) => anyone(n, n < count - 1 ? size : rest)),
    )
    const merge = merged(heldOf(split).toReversed())
    blocks.push([split, merge])
    coin = heldOf(merge)[0]!
  }
  return { blocks, coin }
}

export const ORD = [0x00, 0x63, 3, 0x6f, 0x72, 0x64]
export const EMPTY_LEAF = leafOf(EMPTY)
