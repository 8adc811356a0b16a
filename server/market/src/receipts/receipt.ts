import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { Coin } from '@ordbook/bitcoin/trade/layout.ts'
import { transactionOf } from '@ordbook/bitcoin/trade/layout.ts'
import { buildTransfer } from '@ordbook/bitcoin/trade/listing.ts'
import { buildPurchase, feeCoinsOf } from '@ordbook/bitcoin/trade/purchase.ts'
import { readSettlement } from '@ordbook/bitcoin/trade/receipt.ts'
import { decodeTransaction, txidOf } from '@ordbook/bitcoin/transaction.ts'
import type { AnswerOf } from '@ordbook/contract/operation.ts'
import type { getReceipt as receiptOperation } from '@ordbook/contract/record.ts'
import { unpack } from '@ordbook/db/driver/pack.ts'
import { missing } from '@ordbook/db/process/errors.ts'
import type { SettlementRequest } from '@ordbook/signer/requests.ts'
import type { Context } from '../context.ts'
import { listListingsById } from '../listings/queries.ts'
import { findSettled, listPurchaseListings } from '../purchases/queries.ts'
import type { TradeEconomics } from '../settlements/economics.ts'

/** Returns the receipt of a purchase. `facts` are computed from its transactions, not from the order. */
export async function getReceipt(
  { reads }: Pick<Context, 'reads'>,
  txid: string,
): Promise<AnswerOf<typeof receiptOperation>> {
  const purchase = await findSettled(reads, txid.toLowerCase())
  if (!purchase) throw missing('trade-unknown', `${txid} is not a settlement of this market.`)
  const { terms } = unpack<SettlementRequest>(purchase.settlement)
  const bought = await listPurchaseListings(reads, purchase.purchaseId)
  const listings = await listListingsById(
    reads,
    bought.map(({ listingId }) => listingId),
  )
  const coins = new Map<string, Coin>()
  for (const coin of [...terms.payments, ...feeCoinsOf(terms)]) coins.set(formatOutpoint(coin), coin)
  const transfers = new Map(
    terms.items.map((item) => {
      const layout = buildTransfer(item.terms)
      const tx = transactionOf(layout)
      for (const { coin } of layout.inputs) coins.set(formatOutpoint(coin), coin)
      coins.set(`${txidOf(tx)}:0`, { txid: txidOf(tx), vout: 0, ...tx.outputs[0]! })
      return [txidOf(tx), tx] as const
    }),
  )
  const built = buildPurchase(terms)
  const settlement = decodeTransaction(purchase.transactions.at(-1)!.hex)
  return {
    state: purchase.state,
    blockHeight: purchase.confirmedHeight,
    transactions: purchase.transactions,
    terms: {
      items: listings.map((listing, i) => {
        const economics = unpack<TradeEconomics>(listing.economics)
        return {
          listingId: listing.listingId,
          inscriptionId: bought[i]!.inscriptionId,
          satOffset: listing.satOffset,
          priceSats: economics.priceSats,
          sellerReceiveSats: economics.sellerReceiveSats,
          buyerPayTotalSats: economics.buyerPayTotalSats,
          marketplaceRevenueSats: economics.marketplaceRevenueSats,
          creatorRevenueSats: economics.creatorRevenueSats,
          buyerFeeBps: economics.buyerFeeBps,
        }
      }),
      feeRateSatVb: terms.feeRateSatVb,
      donationSats: built.donationSats,
      totalBuyerCostSats: built.totalCostSats,
    },
    facts: readSettlement(
      settlement,
      transfers,
      terms.marketScript,
      (outpoint) => coins.get(formatOutpoint(outpoint))!,
    ),
  }
}
