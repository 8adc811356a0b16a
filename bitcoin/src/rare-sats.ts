import { formatOutpoint, type Outpoint } from './outpoint.ts'
import { landingOf, offsetOfInput } from './sat-flow.ts'
import { sumSats } from './sats.ts'
import { type Tx, type TxOutput, txidOf } from './transaction.ts'

/**
 * The sats that are uncommon or better (ord handbook, "Ordinal Theory", rarity): the first sat of each block. They are
 * named by the height of the block that made them, and followed through blocks first in, first out.
 */
export interface RareSat {
  /** Height of the block that made it. */
  bornHeight: number
  /** Where it sits; null once it is lost to fees that no coinbase claimed. */
  at: (Outpoint & { offset: number }) | null
}

export interface RareMove {
  bornHeight: number
  /** Null when this block made it. */
  from: RareSat['at']
  to: RareSat['at']
}

/**
 * Where the rare sats of a block go, the one that it makes included. `locate` gives those in an output as of before the
 * block. A sat that moves several times in the block has one entry, from before to after.
 */
export function flowRareSats(
  transactions: readonly { tx: Tx; prevouts: readonly TxOutput[] }[],
  options: {
    height: number
    subsidySats: number
    locate: (outpoint: Outpoint) => readonly { bornHeight: number; offset: number }[]
  },
): RareMove[] {
  const { height, subsidySats, locate } = options
  const moves = new Map<number, RareMove>()
  /** Outputs that this block has filled or emptied. */
  const touched = new Map<string, { bornHeight: number; offset: number }[]>()
  const put = (bornHeight: number, from: RareSat['at'], to: RareSat['at']) => {
    moves.set(bornHeight, { bornHeight, from: moves.get(bornHeight)?.from ?? from, to })
    if (!to) return
    const key = formatOutpoint(to)
    touched.set(key, [...(touched.get(key) ?? []), { bornHeight, offset: to.offset }])
  }
  const reward: { bornHeight: number; from: RareSat['at']; position: number }[] = []
  if (subsidySats > 0) reward.push({ bornHeight: height, from: null, position: 0 })
  let rewardSats = subsidySats

  for (const { tx, prevouts } of transactions.slice(1)) {
    const values = prevouts.map((output) => output.valueSats)
    let txid: string | undefined
    for (const [index, { txid: parent, vout }] of tx.inputs.entries()) {
      const outpoint = { txid: parent, vout }
      const key = formatOutpoint(outpoint)
      for (const { bornHeight, offset } of touched.get(key) ?? locate(outpoint)) {
        const landing = landingOf(offsetOfInput(index, values) + offset, tx.outputs)
        const from = { ...outpoint, offset }
        if ('vout' in landing) {
          txid ??= txidOf(tx)
          put(bornHeight, from, { txid, vout: landing.vout, offset: landing.offset })
        } else reward.push({ bornHeight, from, position: rewardSats + landing.feeOffset })
      }
      if (touched.has(key)) touched.set(key, [])
    }
    rewardSats += sumSats(values) - sumSats(tx.outputs.map((output) => output.valueSats))
  }
  const coinbase = transactions[0]!.tx
  const coinbaseTxid = txidOf(coinbase)
  for (const { bornHeight, from, position } of reward) {
    const landing = landingOf(position, coinbase.outputs)
    put(
      bornHeight,
      from,
      'vout' in landing ? { txid: coinbaseTxid, vout: landing.vout, offset: landing.offset } : null,
    )
  }
  return [...moves.values()]
}
