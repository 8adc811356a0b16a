import type { Holdings } from './holdings.ts'
import type { Outpoint } from './outpoint.ts'
import type { BlockTransaction } from './raw-block.ts'
import { landings } from './sat-flow.ts'

/** An uncommon or rarer sat: the first sat of a block (ord handbook, "Ordinal Theory"). */
interface RareSat {
  /** Height of its block. */
  bornHeight: number
  /** Null if the sat was lost. */
  at: (Outpoint & { offset: number }) | null
}

export interface RareMove {
  bornHeight: number
  /** Null if the block created the sat. */
  from: RareSat['at']
  to: RareSat['at']
}

/** Returns the moves of rare sats in a block. Updates `located`, the rare sats of spent outputs, in place. */
export function flowRareSats(
  transactions: readonly BlockTransaction[],
  options: { height: number; subsidySats: number; located: Holdings<{ bornHeight: number; offset: number }> },
): RareMove[] {
  const { height, subsidySats, located } = options
  const moves = new Map<number, RareMove>()
  const put = (bornHeight: number, from: RareSat['at'], to: RareSat['at']) => {
    moves.set(bornHeight, { bornHeight, from: moves.get(bornHeight)?.from ?? from, to })
    if (to) located.put(to, { bornHeight, offset: to.offset })
  }
  const reward: { bornHeight: number; from: RareSat['at']; position: number }[] = []
  if (subsidySats > 0) reward.push({ bornHeight: height, from: null, position: 0 })
  let rewardSats = subsidySats

  const [coinbase, ...rest] = transactions
  for (const transaction of rest) {
    if (transaction.spendsOf(located)) {
      const { tx, prevouts } = transaction
      const landing = landings(tx.outputs)
      let start = 0
      for (const [index, { txid: parent, vout }] of tx.inputs.entries()) {
        for (const { bornHeight, offset } of located.take({ txid: parent, vout })) {
          const destination = landing(start + offset)
          const from = { txid: parent, vout, offset }
          if ('vout' in destination) put(bornHeight, from, { txid: transaction.txid, ...destination })
          else reward.push({ bornHeight, from, position: rewardSats + destination.feeOffset })
        }
        start += prevouts[index]!.valueSats
      }
    }
    rewardSats += transaction.feeSats
  }
  const landing = landings(coinbase!.tx.outputs)
  for (const { bornHeight, from, position } of reward) {
    const destination = landing(position)
    put(bornHeight, from, 'vout' in destination ? { txid: coinbase!.txid, ...destination } : null)
  }
  return [...moves.values()]
}
