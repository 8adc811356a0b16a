import type { Holdings } from './holdings.ts'
import type { Outpoint } from './outpoint.ts'
import type { BlockTransaction } from './raw-block.ts'
import { landings } from './sat-flow.ts'

/**
 * Sats that are uncommon or rarer (ord handbook, "Ordinal Theory"): the first sat of each block. They are identified by the height of their
 * block and followed through blocks first in, first out.
 */
interface RareSat {
  /** Height of the block that created it. */
  bornHeight: number
  /** Where it sits; null once it is lost to fees that no coinbase claimed. */
  at: (Outpoint & { offset: number }) | null
}

export interface RareMove {
  bornHeight: number
  /** Null if this block created it. */
  from: RareSat['at']
  to: RareSat['at']
}

/**
 * Follows the rare sats of a block, including the one that it creates. `located` has the rare sats of the outputs that it spends, and is
 * updated in place. A sat that moves several times in the block has one entry, from its location before the block to the one after it.
 */
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
          const landed = landing(start + offset)
          const from = { txid: parent, vout, offset }
          if ('vout' in landed) put(bornHeight, from, { txid: transaction.txid, ...landed })
          else reward.push({ bornHeight, from, position: rewardSats + landed.feeOffset })
        }
        start += prevouts[index]!.valueSats
      }
    }
    rewardSats += transaction.feeSats
  }
  const landing = landings(coinbase!.tx.outputs)
  for (const { bornHeight, from, position } of reward) {
    const landed = landing(position)
    put(bornHeight, from, 'vout' in landed ? { txid: coinbase!.txid, ...landed } : null)
  }
  return [...moves.values()]
}
