import { flowCoins } from '@ordbook/bitcoin/coin-flow.ts'
import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { blockTransactionOf, keyOfTxid } from '@ordbook/bitcoin/raw-block.ts'
import { placeOfSat } from '@ordbook/bitcoin/sat-tree.ts'
import { MAX_SATS } from '@ordbook/bitcoin/sats.ts'
import type { Coin } from '@ordbook/bitcoin/trade/layout.ts'
import type { Tx, TxOutput } from '@ordbook/bitcoin/transaction.ts'
import type { Sql } from '@ordbook/db/driver/connect.ts'
import { listFirstOn } from '../inscriptions/coin-queries.ts'
import { IndexedCoins } from '../inscriptions/indexed-coins.ts'
import type { CoinSource, MempoolSource, TransactionSource } from '../node/source.ts'

/** Most unconfirmed transactions that may depend on each other, by Core's limits. */
const MOST_ANCESTORS = 25

/** The place that an inscription will have once the mempool's transactions are in a block. */
export interface PendingPlace {
  coin: Coin
  satOffset: number
  /** Another inscription in the same coin, on another sat. */
  other: string | null
}

/**
 * Follows an inscription from its coin through the transactions of the mempool that move it, as the block that takes them
 * would. Null when it is not moved, is spent as fee, or depends on more transactions than are followed.
 */
export async function pendingPlace(
  { sql, node }: { sql: Sql; node: CoinSource & MempoolSource & TransactionSource },
  inscription: Outpoint & { inscriptionId: string },
): Promise<PendingPlace | null> {
  const family = new Map<string, { tx: Tx; prevouts: TxOutput[] }>()
  /** Adds a transaction of the mempool behind those that it spends of. */
  const add = async (txid: string): Promise<boolean> => {
    if (family.has(txid)) return true
    const tx = family.size < MOST_ANCESTORS ? await node.transaction(txid) : null
    if (!tx) return false
    const prevouts: TxOutput[] = []
    for (const input of tx.inputs) {
      const confirmed = await node.txOut(input, { mempool: false })
      if (!confirmed && !(await add(input.txid))) return false
      prevouts.push(confirmed ?? family.get(input.txid)!.tx.outputs[input.vout]!)
    }
    family.set(txid, { tx, prevouts })
    return true
  }
  let place: PendingPlace | null = null
  for (let at: Outpoint = inscription; ; at = place.coin) {
    const spender = await node.spenderInMempool(at)
    if (spender === null) return place
    if (!(await add(spender))) return null
    place = await placeIn(sql, [...family.values()], inscription.inscriptionId)
    if (!place) return null
  }
}

/** The place that a block of these transactions would give an inscription; null: in the fees. */
async function placeIn(
  sql: Sql,
  family: readonly { tx: Tx; prevouts: TxOutput[] }[],
  inscriptionId: string,
): Promise<PendingPlace | null> {
  const coins = await IndexedCoins.load(sql, {
    keys: new Set(family.flatMap(({ tx }) => tx.inputs.map((input) => keyOfTxid(input.txid)))),
    inscriptionIds: [inscriptionId],
  })
  const own = coins.parents.get(inscriptionId)
  const miner: Tx = {
    version: 2,
    locktime: 0,
    inputs: [],
    outputs: [{ valueSats: MAX_SATS, script: new Uint8Array() }],
  }
  const transactions = [
    blockTransactionOf(miner, []),
    ...family.map(({ tx, prevouts }) => blockTransactionOf(tx, prevouts)),
  ]
  const { inscribed } = await coins.run(
    flowCoins(transactions, {
      subsidySats: 0,
      jubilant: true,
      // Numbers that no inscription of the index has.
      counters: { nextSequence: NEW, blessed: 0, cursed: 0, unbound: 0, lostSats: 0 },
      coins,
      trees: coins.trees,
      parents: coins.parents,
    }),
  )
  if (!own) return null
  const { root, offset } = placeOfSat(own)
  const { outpoint, output, low, high } = root.place!
  if (!output || output === miner.outputs[0]) return null
  let other: string | null = null
  if (low < high) {
    const beside = root === own ? ((await coins.childOf(own)) ?? root) : root
    other =
      inscribed.find((event) => event.satId === beside.id)?.inscriptionId ??
      (await listFirstOn(sql, [beside.id])).get(beside.id)!
  }
  return { coin: { ...outpoint, ...output }, satOffset: offset, other }
}

const NEW = 2 ** 52
