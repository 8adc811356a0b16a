import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { sumSats } from '@ordbook/bitcoin/sats.ts'
import type { Transaction } from '@ordbook/db/driver/connect.ts'
import type { BlockConsumer, IndexedBlock } from '@ordbook/indexer/blocks/block-consumer.ts'
import type { MarketKeys } from '@ordbook/signer/requests.ts'
import { applyCoins, type CoinBlock, undoCoins } from './block-queries.ts'
import { takeForChildren } from './children.ts'
import { entriesOf } from './ledger.ts'
import { deleteEntries, insertEntries, listCauses, setCosts } from './ledger-queries.ts'
import { listIntendedTransactions } from './transaction-queries.ts'

/** Mirrors coins of the market's script into market_coins and books their transactions. */
export function marketCoinsOnBlock(market: MarketKeys): BlockConsumer {
  return {
    name: 'anchors',
    async apply(tx, block) {
      const { coinScript } = market
      if (!contains(block.bytes, coinScript) && !contains(block.spent, coinScript)) return
      const coins = coinsOf(block, coinScript)
      await applyCoins(tx, coins.block)
      if (coins.block.made.length > 0) await takeForChildren(tx, await listIntendedTransactions(tx))
      await book(tx, block, coins.effects)
    },
    async undo(tx, height) {
      await deleteEntries(tx, height)
      await undoCoins(tx, height)
    },
  }
}

interface Moved {
  madeSats: number
  spentSats: number
}

function coinsOf(
  block: IndexedBlock,
  coinScript: Uint8Array,
): { block: CoinBlock; effects: Map<string, Moved> } {
  const made: CoinBlock['made'][number][] = []
  const spent: CoinBlock['spent'][number][] = []
  const effects = new Map<string, Moved>()
  for (const [n, { txid, tx, prevouts }] of block.transactions.entries()) {
    const created = tx.outputs.flatMap(({ valueSats, script }, vout) =>
      equalBytes(script, coinScript) ? [{ txid, vout, valueSats, coinbase: n === 0 }] : [],
    )
    const consumed = prevouts.flatMap(({ valueSats, script }, i) =>
      equalBytes(script, coinScript)
        ? [{ txid: tx.inputs[i]!.txid, vout: tx.inputs[i]!.vout, valueSats, by: txid }]
        : [],
    )
    made.push(...created)
    spent.push(...consumed)
    if (created.length + consumed.length > 0)
      effects.set(txid, {
        madeSats: sumSats(created.map((coin) => coin.valueSats)),
        spentSats: sumSats(consumed.map((coin) => coin.valueSats)),
      })
  }
  const txids = block.transactions.map(({ txid }) => txid)
  return { block: { height: block.height, made, spent, txids }, effects }
}

async function book(tx: Transaction, block: IndexedBlock, effects: Map<string, Moved>): Promise<void> {
  const at = { height: block.height, bookedAt: block.seenAt }
  for (const { txid, costSats, causes } of await listCauses(tx, [...effects.keys()], block.height)) {
    const moved = effects.get(txid)!
    await insertEntries(tx, { ...at, txid }, entriesOf({ ...moved, costSats }, causes))
    if (causes[0]?.purpose === 'split') await setCosts(tx, txid, moved.spentSats - moved.madeSats)
  }
}

const contains = (bytes: Uint8Array, script: Uint8Array) => bufferOf(bytes).includes(bufferOf(script))
const bufferOf = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
