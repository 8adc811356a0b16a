import { flowCoins } from '@ordbook/bitcoin/coin-flow.ts'
import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { blockTransactionOf } from '@ordbook/bitcoin/raw-block.ts'
import { placeOfSat } from '@ordbook/bitcoin/sat-tree.ts'
import { MAX_SATS } from '@ordbook/bitcoin/sats.ts'
import type { Coin } from '@ordbook/bitcoin/trade/layout.ts'
import type { Tx, TxOutput } from '@ordbook/bitcoin/transaction.ts'
import type { Sql } from '@ordbook/db/driver/connect.ts'
import { coinKeysOf, listFirstOn } from '../inscriptions/coin-queries.ts'
import { IndexedCoins } from '../inscriptions/indexed-coins.ts'
import type { CoinSource, MempoolSource, TransactionSource } from '../node/source.ts'

const MAX_ANCESTORS = 25

export interface PendingPlace {
  coin: Coin
  satOffset: number
  /** An inscription on another sat of the coin, or null. */
  other: string | null
}

/** Traces an inscription through the mempool. Returns null if it does not move, is spent as fee or has too many unconfirmed ancestors. */
export async function pendingPlace(
  { sql, node }: { sql: Sql; node: CoinSource & MempoolSource & TransactionSource },
  inscription: Outpoint & { inscriptionId: string },
): Promise<PendingPlace | null> {
  const family = new Map<string, { tx: Tx; prevouts: TxOutput[] }>()
  /** Adds a mempool transaction after its unconfirmed parents. Returns false above the limit. */
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

/** Returns the location after a block of these transactions; null if the inscription is spent as fee. */
async function placeIn(
  sql: Sql,
  family: readonly { tx: Tx; prevouts: TxOutput[] }[],
  inscriptionId: string,
): Promise<PendingPlace | null> {
  const coins = await IndexedCoins.load(sql, {
    spent: coinKeysOf(family.flatMap(({ tx }) => tx.inputs)),
    inscriptionIds: [inscriptionId],
  })
  const sat = coins.parents.get(inscriptionId)
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
      // Start above all sequences of the index.
      counters: { nextSequence: NEW, blessed: 0, cursed: 0, unbound: 0, lostSats: 0 },
      coins,
      trees: coins.trees,
      parents: coins.parents,
    }),
  )
  if (!sat) return null
  const { root, offset } = placeOfSat(sat)
  const { outpoint, output, low, high } = root.place!
  if (!output || output === miner.outputs[0]) return null
  let other: string | null = null
  if (low < high) {
    const otherSat = root === sat ? ((await coins.childOf(sat)) ?? root) : root
    other =
      inscribed.find((event) => event.satId === otherSat.id)?.inscriptionId ??
      (await listFirstOn(sql, [otherSat.id])).get(otherSat.id)!
  }
  return { coin: { ...outpoint, ...output }, satOffset: offset, other }
}

const NEW = 2 ** 52
