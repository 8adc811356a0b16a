import { keySpendOf, scriptOfPublicKey } from '@ordbook/bitcoin/address.ts'
import { buildRevealScript } from '@ordbook/bitcoin/envelope.ts'
import { publicKeyOf, xOnlyKeyOf } from '@ordbook/bitcoin/keys.ts'
import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { economicsOf } from '@ordbook/bitcoin/trade/economics.ts'
import { transactionOf } from '@ordbook/bitcoin/trade/layout.ts'
import { ANCHOR_SATS, buildTransfer } from '@ordbook/bitcoin/trade/listing.ts'
import { buildPurchase } from '@ordbook/bitcoin/trade/purchase.ts'
import { readSettlement } from '@ordbook/bitcoin/trade/receipt.ts'
import { type Tx, txidOf } from '@ordbook/bitcoin/transaction.ts'
import { expect, it } from 'vitest'
import { coinByNode } from './core-node.ts'
import { CheckFailed, TraceTooLong } from './errors.ts'
import { type ProofLimits, verifyReceipt } from './receipt.ts'
import type { Receipt } from './results.ts'

const key = (n: number) => new Uint8Array(32).fill(n)
const scriptOf = (n: number, kind: 'p2tr' | 'p2wpkh') => scriptOfPublicKey(publicKeyOf(key(n)), kind)
const [seller, payer, marketScript] = [scriptOf(1, 'p2tr'), scriptOf(2, 'p2wpkh'), scriptOf(9, 'p2tr')]
const market = keySpendOf(marketScript, publicKeyOf(key(9)))
const POSTAGE_SATS = 10_000

const inputOf = (outpoint: Outpoint, witness: Uint8Array[] = []) => ({
  ...outpoint,
  sequence: 0,
  scriptSig: new Uint8Array(),
  witness,
})

/** A sale of the coin `both:vout`, where `both` merged a plain coin of 10,000 sats and then the inscription's coin of 40,000 sats. */
function saleOf(vout: number, satOffset: number) {
  const transactions = new Map<string, Tx>()
  const add = (tx: Tx): string => {
    transactions.set(txidOf(tx), tx)
    return txidOf(tx)
  }
  const root = 'ee'.repeat(32)
  transactions.set(root, {
    version: 2,
    locktime: 0,
    inputs: [],
    outputs: Array.from({ length: 10 }, () => ({ valueSats: 10_000_000, script: payer })),
  })
  const fund = (n: number, valueSats: number, script: Uint8Array, witness: Uint8Array[] = []) => {
    const inputs = [inputOf({ txid: root, vout: n }, witness)]
    return { txid: add({ version: 2, locktime: n, inputs, outputs: [{ valueSats, script }] }), vout: 0 }
  }
  const plain = fund(1, POSTAGE_SATS, seller)
  const envelope = buildRevealScript(key(7), [{ contentType: 'text/plain', body: Uint8Array.of(65) }])
  const reveal = fund(2, 40_000, seller, [new Uint8Array(64), envelope, new Uint8Array(33).fill(0xc0)])
  const values = vout === 0 ? [POSTAGE_SATS, 40_000] : [9000, POSTAGE_SATS, 31_000]
  const both = add({
    version: 2,
    locktime: 0,
    inputs: [inputOf(plain), inputOf(reveal)],
    outputs: values.map((valueSats) => ({ valueSats, script: seller })),
  })
  const coinOf = (n: number, valueSats: number, script: Uint8Array) => ({
    ...fund(n, valueSats, script),
    valueSats,
    script,
  })
  const economics = economicsOf(100_000, {
    sellerFeeBps: 100,
    sellerFeeMinSats: 0,
    buyerFeeBps: 100,
    buyerFeeMinSats: 0,
    sellerRoyaltyBps: 0,
    buyerRoyaltyBps: 0,
    leastRoyaltySats: 330,
    leastRevenueSats: 0,
  })
  const { sellerReceiveSats, buyerPayTotalSats, marketplaceRevenueSats } = economics
  const terms = {
    inscriptionCoin: { txid: both, vout, valueSats: POSTAGE_SATS, script: seller },
    seller: keySpendOf(seller, publicKeyOf(key(1))),
    marketKey: xOnlyKeyOf(key(8)),
    escrowForm: 'published' as const,
    movedTo: null,
    generation: 0,
    anchor: coinOf(3, ANCHOR_SATS, marketScript),
    recoveryCoin: coinOf(4, ANCHOR_SATS, marketScript),
    market,
    payoutSats: sellerReceiveSats + POSTAGE_SATS,
    payoutScript: seller,
  }
  const { settlement, donationSats, totalCostSats } = buildPurchase({
    items: [{ terms, transferConfirmed: false, marketplaceRevenueSats, royalty: null }],
    payments: [coinOf(5, 500_000, payer)],
    payer: keySpendOf(payer, publicKeyOf(key(2))),
    buyerScript: scriptOf(3, 'p2tr'),
    changeScript: payer,
    market,
    marketScript,
    feeCoins: { by: 'tail', tail: coinOf(6, 1_000_000, marketScript) },
    feeRateSatVb: 2,
    donationScript: null,
  })
  const transfer = transactionOf(buildTransfer(terms))
  const settled = transactionOf(settlement)
  for (const [i, { spend }] of settlement.inputs.entries())
    if (spend.by === 'escrow')
      settled.inputs[i]!.witness = [new Uint8Array(64), new Uint8Array(65), spend.leaf, spend.controlBlock]
  const transfers = new Map([[add(transfer), transfer]])
  const settlementTxid = add(settled)
  const prevoutOf = ({ txid, vout }: Outpoint) => transactions.get(txid)!.outputs[vout]!
  const inscriptionId = `${reveal.txid}i0`
  const receipt: Receipt = {
    state: 'confirmed',
    blockHeight: 1,
    transactions: [],
    facts: readSettlement(settled, transfers, marketScript, prevoutOf),
    terms: {
      items: [
        {
          listingId: '0',
          inscriptionId,
          satOffset,
          priceSats: 100_000,
          sellerReceiveSats,
          buyerPayTotalSats,
          marketplaceRevenueSats,
          creatorRevenueSats: 0,
          buyerFeeBps: 100,
        },
      ],
      feeRateSatVb: 2,
      donationSats,
      totalBuyerCostSats: totalCostSats,
    },
  }
  const source = {
    transaction: async (txid: string) => ({ tx: transactions.get(txid)!, confirmations: 6 }),
    output: async (outpoint: Outpoint) => prevoutOf(outpoint),
  }
  const item = {
    inscriptionId,
    outpoint: { txid: both, vout, valueSats: POSTAGE_SATS },
    satOffset,
  }
  return {
    verify: () => verifyReceipt(receipt, source, settlementTxid),
    prove: (limits?: ProofLimits) => coinByNode(source, item, limits),
  }
}

it('accepts a sale of the coin that holds the inscription', async () => {
  const { verify, prove } = saleOf(1, 1000)
  expect((await verify()).paths[0]!.at(-1)).toMatch(/:1000$/)
  expect(await prove()).toMatchObject({ vout: 1, offset: 1000, valueSats: POSTAGE_SATS })
})

it.each([
  ['the sat of the inscription in the next coin', 0, POSTAGE_SATS],
  ['a negative offset', 1, -9000],
])('rejects an offset outside the sold coin: %s', async (_, vout, satOffset) => {
  const { verify, prove } = saleOf(vout, satOffset)
  await expect(verify()).rejects.toThrow(CheckFailed)
  await expect(prove()).rejects.toThrow(CheckFailed)
})

it.each([{ mostTransactions: 2 }, { mostMilliseconds: 0 }])(
  'coinByNode throws TraceTooLong beyond its limits: %o',
  async (limits) => {
    await expect(saleOf(1, 1000).prove(limits)).rejects.toThrow(TraceTooLong)
  },
)
