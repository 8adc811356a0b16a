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

/** Maximum unconfirmed ancestors, by Core's limit. */
const MAX_ANCESTORS = 25

/** Location of an inscription once the mempool's transactions are mined. */
export interface PendingPlace {
  coin: Coin
  satOffset: number
  /** Another inscription in the same coin, on a different sat. */
  other: string | null
}

/**
 * Traces an inscription from its coin through the mempool transactions that move it, as a block with them would. Null if it is not moved,
 * is spent as fee, or has too many unconfirmed ancestors.
 */
export async function pendingPlace(
  { sql, node }: { sql: Sql; node: CoinSource & MempoolSource & TransactionSource },
  inscription: Outpoint & { inscriptionId: string },
): Promise<PendingPlace | null> {
  const family = new Map<string, { tx: Tx; prevouts: TxOutput[] }>()
  /** Adds a mempool transaction after its unconfirmed parents. */
  const add = async (txid: string): Promise<boolean> => {
    if (family.has(txid)) return true
    const tx = family.size < MAX_ANCESTORS ? await node.transaction(txid) : null
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

/** Location of an inscription after a block with these transactions; null if it is spent as fee. */
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
      // Sequences that the index does not use.
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
