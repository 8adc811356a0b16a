import { taprootScriptOf } from '@ordbook/bitcoin/inscribe.ts'
import type { Coin } from '@ordbook/bitcoin/trade/layout.ts'
import { type Tx, txidOf } from '@ordbook/bitcoin/transaction.ts'
import type { Regtest } from '@ordbook/devnet/regtest.ts'
import { type KeyedCoin, spendTogether } from '@ordbook/devnet/sale.ts'
import { demoCollectors } from '@ordbook/sdk/demo-wallets.ts'
import type { DemoCollection } from './collections.ts'
import { randomOf } from './pictures.ts'
import type { Progress } from './progress.ts'

export const PAST_SECONDS = 30 * 86_400
const BLOCKS = 24
const SALES_IN_BLOCK = 3
const PAD_SATS = 600
const FEE_SATS = 1200

interface Purse {
  key: Uint8Array
  script: Uint8Array
  pads: Coin[]
  coin: Coin
}

/** An item that collectors trade. Collectors are numbers. */
interface TradedItem {
  holder: number
  priceSats: number
}

/** Returns the items of a collection that collectors mint and trade, in the order of its items. */
export const tradedItems = (
  { kept, firstPriceSats }: DemoCollection,
  itemCount: number,
  collectors: number,
): TradedItem[] =>
  Array.from({ length: itemCount - kept }, (_, n) => ({ holder: n % collectors, priceSats: firstPriceSats }))

/** Returns the sales of the past month: the blocks with their seconds since its start, and the sales of each. */
export function salesOfMonth(traded: readonly TradedItem[], collectors: number) {
  const random = randomOf(7)
  const items = traded.map((item) => ({ ...item }))
  return Array.from({ length: BLOCKS }, (_, n) => ({
    second: Math.round((PAST_SECONDS * (n + 1)) / (BLOCKS + 1)),
    sales: Array.from({ length: SALES_IN_BLOCK }, () => {
      const index = Math.floor(random() * items.length)
      const item = items[index]!
      const seller = item.holder
      const others = Array.from({ length: collectors }, (_, n) => n).filter((n) => n !== seller)
      item.holder = others[Math.floor(random() * others.length)]!
      item.priceSats = 1000 * Math.max(20, Math.round((item.priceSats * (0.9 + random() * 0.35)) / 1000))
      return { item: index, seller, buyer: item.holder, priceSats: item.priceSats }
    }),
  }))
}

const placeOf = (id: string, valueSats: number, script: Uint8Array): Coin => ({
  txid: id.slice(0, 64),
  vout: 0,
  valueSats,
  script,
})

/**
 * Trades between collectors in blocks over the past month. The market finds these sales on the chain, because the seller signs
 * SINGLE|ANYONECANPAY (docs/explanation/external-sales.md). On a chain with recent blocks all sales happen now, because a block cannot be
 * older than the tip. A second call completes an interrupted one, because the sales depend only on `collections` and the stored payment.
 */
export async function tradeInThePast(
  regtest: Regtest,
  progress: Progress,
  collections: readonly { collection: DemoCollection; ids: readonly string[] }[],
  postageSats: number,
): Promise<void> {
  const purses = await fillPurses(regtest, progress)
  const pieces = collections.flatMap(({ collection, ids }) => {
    const traded = tradedItems(collection, ids.length, purses.length)
    return traded.map((item, n) => {
      const script = purses[item.holder]!.script
      return { ...item, coin: placeOf(ids[collection.kept + n]!, postageSats, script) }
    })
  })
  const began = Math.floor(Date.now() / 1000) - PAST_SECONDS
  for (const { second, sales } of salesOfMonth(pieces, purses.length)) {
    await regtest.setClock(began + second)
    await regtest.mineOnce(
      sales.map(({ item, seller, buyer, priceSats }) => {
        const tx = sell(pieces[item]!.coin, { seller: purses[seller]!, buyer: purses[buyer]!, priceSats })
        pieces[item]!.coin = tx.coin
        return tx.tx
      }),
    )
  }
  await regtest.setClock(0)
}

/** Gives each collector a coin, and pads that keep an inscription at the start of its output. */
async function fillPurses(regtest: Regtest, progress: Progress): Promise<Purse[]> {
  const keys = demoCollectors('regtest').map(({ key }) => key)
  const outputs = keys.flatMap((key) => {
    const script = taprootScriptOf(key)
    return [40_000_000, PAD_SATS, PAD_SATS].map((valueSats) => ({ valueSats, script }))
  })
  const paid = await progress.payOnce('coins of the collectors', regtest, outputs)
  const txid = txidOf(paid)
  return keys.map((key, n) => {
    // Output 0 is the faucet's change.
    const at = (index: number): Coin => ({
      txid,
      vout: 1 + n * 3 + index,
      ...paid.outputs[1 + n * 3 + index]!,
    })
    return { key, script: taprootScriptOf(key), coin: at(0), pads: [at(1), at(2)] }
  })
}

/**
 * Sells an inscription to a collector. Two pads precede it, and new pads for the next purchase follow it. Returns the sale and the new coin
 * of the inscription.
 */
function sell(
  coin: Coin,
  { seller, buyer, priceSats }: { seller: Purse; buyer: Purse; priceSats: number },
): { tx: Tx; coin: Coin } {
  const inputs: KeyedCoin[] = [
    ...buyer.pads.map((pad) => ({ coin: pad, key: buyer.key })),
    { coin, key: seller.key, alone: true },
    { coin: buyer.coin, key: buyer.key },
  ]
  const { script } = buyer
  const outputs = [
    { valueSats: 2 * PAD_SATS, script },
    { valueSats: coin.valueSats, script },
    { valueSats: coin.valueSats + priceSats, script: seller.script },
    { valueSats: PAD_SATS, script },
    { valueSats: PAD_SATS, script },
    { valueSats: buyer.coin.valueSats - priceSats - coin.valueSats - 2 * PAD_SATS - FEE_SATS, script },
  ]
  const tx = spendTogether(inputs, outputs)
  const txid = txidOf(tx)
  const coinAt = (vout: number): Coin => ({ txid, vout, ...outputs[vout]! })
  buyer.pads = [coinAt(3), coinAt(4)]
  buyer.coin = coinAt(5)
  return { tx, coin: coinAt(1) }
}
