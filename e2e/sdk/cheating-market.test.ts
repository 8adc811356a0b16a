import { keySpendOf } from '@ordbook/bitcoin/address.ts'
import { base64OfBytes, bytesOfBase64, hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { buildPayment } from '@ordbook/bitcoin/inscribe.ts'
import { psbtOf } from '@ordbook/bitcoin/psbt.ts'
import { type Coin, type Layout, type LayoutInput, transactionOf } from '@ordbook/bitcoin/trade/layout.ts'
import { buildTransfer, type ListingTerms, saleInputOf } from '@ordbook/bitcoin/trade/listing.ts'
import { fromScure, hexOfTransaction, txidOf } from '@ordbook/bitcoin/transaction.ts'
import { unpack } from '@ordbook/db/driver/pack.ts'
import {
  acceptProposal,
  counter,
  offer,
  prepareAcceptance,
  prepareAcceptanceOf,
  prepareBid,
  prepareCounter,
  prepareCounterAcceptance,
  prepareListing,
  prepareOffer,
  preparePurchase,
  prepareSettlement,
  propose,
} from '@ordbook/sdk/index.ts'
import type { Answer } from '@ordbook/sdk/operations.ts'
import type { LocalWallet } from '@ordbook/sdk/wallet.ts'
import { RawPSBTV0 } from '@scure/btc-signer/psbt.js'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  agreementFor,
  freshWallet,
  keyHolder,
  listAll,
  setUpMarket,
  type TestTrader,
} from '../support/market.ts'
import { coinsOf, countered, offering, selling } from '../support/offers.ts'
import { traderAtStorefront } from '../support/storefront.ts'
import { cheated, rejectsUnsigned } from './support/cheated.ts'

/** Thefts by a market through its signing requests. Each succeeded in an earlier version. The wallet must sign none. */
const market = setUpMarket()
let seller: TestTrader
let sellerKeys: { ordinals: Uint8Array; payment: Uint8Array }
let slug: string
let ids: string[]
const thief = freshWallet('p2tr')
beforeAll(async () => {
  const holder = await keyHolder(market)
  seller = holder.trader
  sellerKeys = holder.keys
  ;({ slug, ids } = await market.collection(seller.wallet, 6))
})

const spendOf = ({ paymentScript, paymentPublicKey }: LocalWallet) =>
  ({ by: 'key', ...keySpendOf(paymentScript, hexToBytes(paymentPublicKey)) }) as const

async function theft({ wallet }: TestTrader, stepIndex: number) {
  const [coin] = await market.regtest.coinsOf(wallet.paymentScript)
  const layout: Layout = {
    version: 2,
    inputs: [{ role: 'payment', coin: coin!, signer: 'buyer', spend: spendOf(wallet) }],
    outputs: [{ role: 'payout', valueSats: coin!.valueSats - 1000, script: thief.paymentScript }],
  }
  const address = wallet.paymentAddress
  return {
    stepIndex,
    signerAddress: address,
    inputsToSign: [{ address, publicKey: wallet.paymentPublicKey, signingIndexes: [0] }],
    psbtBase64: psbtOf(layout, { indexes: [0] }),
  }
}
type Step = Awaited<ReturnType<typeof theft>>
const withStep = (step: Step) => (answer: { steps: unknown[] }) => ({
  ...answer,
  steps: [...answer.steps, step],
})

const listingOf = async (id: string) => ({
  inscriptionId: id,
  priceSats: 50_000,
  coin: await market.coinOf(id),
  maxFeeBps: 100,
})

describe('extra step', () => {
  it('rejects an extra step in a listing', async () => {
    const step = { ...(await theft(seller, 2)), inscriptionId: ids[0]! }
    const cheat = cheated<Answer<'preflightListing'>>(seller, 'preflightListing', (answer) => {
      answer.listings[0]!.psbts.push(step)
      return answer
    })
    const agreement = await listingOf(ids[0]!)
    await rejectsUnsigned(
      cheat,
      (one) => prepareListing(one, slug, [agreement]),
      /does not match the contract/,
    )
  })

  it('rejects an extra step in an acceptance or counter', async () => {
    const buyer = await market.trader('p2tr')
    const { items } = await offer(buyer, slug, await offering(market, buyer, [ids[1]!], 40_000))
    const { offerId } = items[0]!
    const sale = await selling(market, ids[1]!, 40_000)
    const accept = (one: TestTrader) => prepareAcceptance(one, offerId, sale)
    const { config } = market.server.context
    for (const [rate, index] of [
      [1, 1],
      [9, 2],
    ] as const) {
      config.feeRateMinSatVb = rate
      const more = withStep(await theft(seller, index))
      await rejectsUnsigned(
        cheated(seller, 'preflightOfferAcceptance', more),
        accept,
        rate === 1 ? /a different number of transactions/ : /does not match the contract/,
      )
    }
    config.feeRateMinSatVb = 1
    const dearer = await selling(market, ids[1]!, 60_000)
    await rejectsUnsigned(
      cheated(seller, 'preflightCounterOffer', withStep(await theft(seller, 3))),
      (one) => prepareCounter(one, offerId, dearer),
      /does not match the contract/,
    )
    const counterOffer = await counter(seller, offerId, dearer)
    const agreement = await countered(market, buyer, ids[1]!, 60_000)
    await rejectsUnsigned(
      cheated(buyer, 'preflightCounterOfferAcceptance', withStep(await theft(buyer, 2))),
      (one) => prepareCounterAcceptance(one, counterOffer.offerId, agreement),
      /does not match the contract/,
    )
    await rejectsUnsigned(
      cheated<Answer<'preflightCounterOfferAcceptance'>>(buyer, 'preflightCounterOfferAcceptance', decoy),
      (one) => prepareCounterAcceptance(one, counterOffer.offerId, agreement),
      /the settlement does not spend the coin of|differs from the agreed one|has the unsupported field|did not create/,
    )
  })

  it('rejects an extra step in a purchase or offer', async () => {
    const buyer = await market.trader('p2tr')
    await listAll(market, seller, slug, [ids[2]!], 50_000)
    const purchase = await agreementFor(market, buyer, [ids[2]!])
    await rejectsUnsigned(
      cheated(buyer, 'preflightPurchase', withStep(await theft(buyer, 1))),
      (one) => preparePurchase(one, slug, purchase),
      /does not match the contract/,
    )
    const bid = await offering(market, buyer, [ids[2]!], 40_000)
    const step = await theft(buyer, 1)
    await rejectsUnsigned(
      cheated<Answer<'preflightCollectionOffer'>>(buyer, 'preflightCollectionOffer', (answer) => {
        answer.items[0]!.steps.push(step)
        return answer
      }),
      (one) => prepareOffer(one, slug, bid),
      /does not match the contract/,
    )
    const wide = { target: { kind: 'all' }, priceSats: 50_000, coins: await coinsOf(market, buyer) } as const
    await rejectsUnsigned(
      cheated<Answer<'preflightCollectionWideOffer'>>(buyer, 'preflightCollectionWideOffer', (answer) => {
        answer.offers.push({ ...answer.offers[0]!, fundingParentStep: { ...step, stepIndex: 0 } })
        return answer
      }),
      (one) => prepareBid(one, slug, wide),
      /a different number of offers/,
    )
  })

  it('rejects an extra step in a swap', async () => {
    const buyer = await market.trader('p2tr')
    const proposer = await traderAtStorefront(market.server.url, buyer.wallet)
    const acceptor = await traderAtStorefront(market.server.url, seller.wallet)
    const wantedLeg = { collectionSlug: slug, quantity: 1, target: { kind: 'all' } } as const
    const proposal = await propose(
      proposer,
      {
        visibility: 'public',
        offeredInscriptionIds: [],
        offeredBtcSats: 50_000,
        wantedLegs: [wantedLeg],
        requestedBtcSats: 0,
      },
      await coinsOf(market, proposer),
    )
    const givenItems = [{ inscriptionId: ids[3]!, coin: await market.coinOf(ids[3]!) }]
    const fills = [{ legId: proposal.wantedLegs[0]!.id, inscriptionId: ids[3]! }]
    const gives = {
      gives: givenItems,
      gets: [],
      netSats: 50_000,
      maxMarketSats: 100_000,
      maxNetworkSats: 100_000,
    }
    const agreement = { ...gives, coins: await coinsOf(market, acceptor) }
    await rejectsUnsigned(
      cheated(acceptor, 'preflightAcceptance', withStep(await theft(acceptor, 1))),
      (one) => prepareAcceptanceOf(one, proposal.id, fills, agreement),
      /does not match the contract/,
    )
    // Checking 500 outputs would take a wallet minutes.
    await rejectsUnsigned(
      cheated<Answer<'preflightAcceptance'>>(acceptor, 'preflightAcceptance', (answer) => {
        const step = answer.steps[0]!
        const psbt = RawPSBTV0.decode(bytesOfBase64(step.psbtBase64)!)
        for (let n = 0; n < 500; n++) {
          psbt.global.unsignedTx!.outputs.push({ amount: 330n, script: freshWallet().ordinalsScript })
          psbt.outputs.push({})
        }
        step.psbtBase64 = base64OfBytes(RawPSBTV0.encode(psbt))
        return answer
      }),
      (one) => prepareAcceptanceOf(one, proposal.id, fills, agreement),
      /the swap pays too many addresses/,
    )
    const { acceptanceId } = await acceptProposal(acceptor, proposal.id, fills, agreement)
    const gets = { gives: [], gets: givenItems, netSats: -50_000 }
    const pays = { ...gets, coins: await coinsOf(market, proposer) }
    await rejectsUnsigned(
      cheated(proposer, 'preflightSettlement', withStep(await theft(proposer, 1))),
      (one) => prepareSettlement(one, acceptanceId, pays),
      /does not match the contract/,
    )
  })
})

it('rejects a repeated input with an open sighash', async () => {
  const cheat = cheated<Answer<'preflightListing'>>(seller, 'preflightListing', (answer) => {
    const { inputsToSign } = answer.listings[0]!.psbts[0]!
    inputsToSign.push({ ...inputsToSign[0]!, sigHash: 130 })
    return answer
  })
  const agreement = await listingOf(ids[0]!)
  await rejectsUnsigned(
    cheat,
    (one) => prepareListing(one, slug, [agreement]),
    /requests signatures on the wrong inputs/,
  )
})

/** Returns a preflight response that asks the buyer to sign another transaction. */
function purchaseOf(
  answer: Answer<'preflightPurchase'>,
  layout: Layout,
  real: Layout,
  previous: Map<string, ReturnType<typeof transactionOf>>,
) {
  const index = layout.inputs.findIndex((input) => input.role === 'payment')
  const [step] = answer.steps
  return {
    ...answer,
    expectedSettlementTxid: txidOf(transactionOf(real)),
    steps: [
      {
        ...step!,
        inputsToSign: [{ ...step!.inputsToSign[0]!, signingIndexes: [index] }],
        psbtBase64: psbtOf(layout, { indexes: [index] }, previous),
      },
    ],
  }
}

async function termsOf(id: string): Promise<ListingTerms> {
  const [row] = await market.sql<{ terms: string }[]>`
    select terms from listings where inscription_id = ${id} and state = 'buyable'`
  return unpack(row!.terms)
}

const paid = (buyer: TestTrader, chosen: { txid: string; vout: number; valueSats: number }): LayoutInput => {
  const { txid, vout, valueSats } = chosen
  const coin = { txid, vout, valueSats, script: buyer.wallet.paymentScript }
  return { role: 'payment', coin, signer: 'buyer', spend: spendOf(buyer.wallet) }
}

it.each(['p2wpkh', 'p2sh-p2wpkh', 'p2tr'] as const)(
  'rejects an understated market coin for a %s buyer',
  async (kind) => {
    const { slug, ids } = await market.collection(seller.wallet, 1)
    await listAll(market, seller, slug, ids, 50_000)
    const buyer = await market.trader(kind)
    const terms = await termsOf(ids[0]!)
    const pads: Coin[] = [
      await market.regtest.fund(thief.paymentScript, 330),
      await market.regtest.fund(thief.paymentScript, 100_330),
    ]
    const agreement = await agreementFor(market, buyer, ids)
    const lie = (answer: Answer<'preflightPurchase'>) => {
      const [chosen] = answer.selectedPaymentUtxos
      const changeSats = chosen!.valueSats - answer.totalBuyerCostSats
      const broughtSats = 330 + 100_330 + 10_000 + answer.totalBuyerCostSats
      const restSats = broughtSats - 660 - 10_000 - terms.payoutSats - 3000
      const layoutWith = (second: Coin): Layout => ({
        version: 2,
        inputs: [
          ...[pads[0]!, second].map(
            (coin): LayoutInput => ({ role: 'pad', coin, signer: 'market', spend: spendOf(thief) }),
          ),
          saleInputOf(terms),
          paid(buyer, chosen!),
        ],
        outputs: [
          { role: 'pad', valueSats: 660, script: thief.paymentScript },
          { role: 'inscription', valueSats: 10_000, script: buyer.wallet.ordinalsScript },
          { role: 'payout', valueSats: terms.payoutSats, script: terms.payoutScript },
          { role: 'service', valueSats: restSats, script: thief.ordinalsScript },
          { role: 'change', valueSats: changeSats, script: buyer.wallet.paymentScript },
        ],
      })
      const transfer = transactionOf(buildTransfer(terms))
      return purchaseOf(
        answer,
        layoutWith({ ...pads[1]!, valueSats: 330 }),
        layoutWith(pads[1]!),
        new Map([[txidOf(transfer), transfer]]),
      )
    }
    await rejectsUnsigned(
      cheated(buyer, 'preflightPurchase', lie),
      (one) => preparePurchase(one, slug, agreement),
      /is not a coin of the market/,
    )
  },
)

// With many small coins the market adds its pads before the other inputs.
it('rejects a pad without its previous transaction', async () => {
  const { slug, ids } = await market.collection(seller.wallet, 1)
  await listAll(market, seller, slug, ids, 50_000)
  const poor = await market.trader('p2sh-p2wpkh')
  const dust = { valueSats: 2620, script: poor.wallet.paymentScript }
  await market.regtest.pay(Array<typeof dust>(30).fill(dust))
  await market.mine()
  const { coins, ...rest } = await agreementFor(market, poor, ids)
  const agreement = { ...rest, coins: coins.filter((coin) => coin.valueSats === 2620).slice(0, 26) }
  await preparePurchase(poor, slug, agreement)
  const without = (answer: Answer<'preflightPurchase'>) => {
    const psbt = RawPSBTV0.decode(bytesOfBase64(answer.steps[0]!.psbtBase64)!)
    delete (psbt.inputs[0] as { nonWitnessUtxo?: unknown }).nonWitnessUtxo
    answer.steps[0]!.psbtBase64 = base64OfBytes(RawPSBTV0.encode(psbt))
    return answer
  }
  await rejectsUnsigned(
    cheated(poor, 'preflightPurchase', without),
    (one) => preparePurchase(one, slug, agreement),
    /its previous transaction is missing/,
  )
})

it('rejects a coin before the inscription of an offer', async () => {
  const buyer = await market.trader('p2wpkh')
  const coin = await market.coinOf(ids[4]!)
  const agreement = await offering(market, buyer, [ids[4]!], 50_000)
  const lie = (answer: Answer<'preflightCollectionOffer'>) => {
    const [chosen] = answer.selectedPaymentUtxos
    const pad: Coin = { txid: 'bb'.repeat(32), vout: 0, valueSats: 330, script: thief.paymentScript }
    const layout: Layout = {
      version: 2,
      inputs: [
        { role: 'pad', coin: pad, signer: 'market', spend: spendOf(thief) },
        {
          role: 'inscription',
          coin,
          signer: 'seller',
          spend: { by: 'key', ...keySpendOf(coin.script, coin.script.slice(2)) },
        },
        paid(buyer, chosen!),
      ],
      outputs: [
        { role: 'pad', valueSats: 330, script: thief.paymentScript },
        { role: 'inscription', valueSats: 10_000, script: buyer.wallet.ordinalsScript },
        { role: 'payout', valueSats: 59_500, script: seller.wallet.paymentScript },
        { role: 'service', valueSats: 29_000, script: thief.ordinalsScript },
        { role: 'change', valueSats: chosen!.valueSats - 62_000, script: buyer.wallet.paymentScript },
      ],
    }
    const [item] = answer.items
    const [step] = item!.steps
    item!.expectedSettlementTxid = txidOf(transactionOf(layout))
    item!.steps[0] = {
      ...step!,
      inputsToSign: [{ ...step!.inputsToSign[0]!, signingIndexes: [2] }],
      psbtBase64: psbtOf(layout, { indexes: [2] }),
    }
    return answer
  }
  await rejectsUnsigned(
    cheated(buyer, 'preflightCollectionOffer', lie),
    (one) => prepareOffer(one, slug, agreement),
    /the transaction does not spend the coin of/,
  )
})

it("rejects a transfer without the inscription's sat", async () => {
  const { slug, ids } = await market.collection(seller.wallet, 1)
  const id = ids[0]!
  const front = await market.regtest.fund(seller.wallet.ordinalsScript, 9000)
  const fee = await market.regtest.fund(seller.wallet.ordinalsScript, 9000)
  const move = buildPayment(
    [front, await market.coinOf(id), fee],
    [{ valueSats: 19_000, script: seller.wallet.ordinalsScript }],
    { privateKey: sellerKeys.ordinals, feeRateSatVb: 2 },
  )
  await market.regtest.call('sendrawtransaction', hexOfTransaction(move))
  await market.mine()
  await listAll(market, seller, slug, [id], 50_000)
  const buyer = await market.trader('p2tr')
  const terms = await termsOf(id)
  const agreement = await agreementFor(market, buyer, [id])
  expect(agreement.items[0]!.coin).toMatchObject({ valueSats: 19_000, offset: 9000 })
  const lie = (answer: Answer<'preflightPurchase'>) => {
    const [chosen] = answer.selectedPaymentUtxos
    const transfer = transactionOf(buildTransfer(terms))
    transfer.outputs[0]!.valueSats = 330
    const empty = { txid: txidOf(transfer), vout: 0, ...transfer.outputs[0]! }
    const layout: Layout = {
      version: 2,
      inputs: [{ ...saleInputOf(terms), coin: empty }, paid(buyer, chosen!)],
      outputs: [
        { role: 'inscription', valueSats: 330, script: buyer.wallet.ordinalsScript },
        { role: 'payout', valueSats: 50_000, script: seller.wallet.paymentScript },
        { role: 'change', valueSats: chosen!.valueSats - 61_000, script: buyer.wallet.paymentScript },
      ],
    }
    const altered = purchaseOf(answer, layout, layout, new Map([[empty.txid, transfer]]))
    return { ...altered, totalBuyerCostSats: 61_000, donationSats: 0 }
  }
  await rejectsUnsigned(
    cheated(buyer, 'preflightPurchase', lie),
    (one) => preparePurchase(one, slug, agreement),
    /not a coin of the market|differs from the agreed one|the purchase does not spend the coin of/,
  )
  await preparePurchase(buyer, slug, agreement)
})

/** Builds a settlement of a counter that spends another output of equal value instead of the escrow. */
function decoy(answer: Answer<'preflightCounterOfferAcceptance'>) {
  const psbt = RawPSBTV0.decode(bytesOfBase64(answer.steps[1]!.psbtBase64)!)
  const input = psbt.inputs[0]!
  const transfer = input.nonWitnessUtxo!
  const script = thief.paymentScript
  transfer.outputs.push({ amount: transfer.outputs[0]!.amount, script } as never)
  const spent = psbt.global.unsignedTx!.inputs[0]!
  spent.txid = hexToBytes(txidOf(fromScure(transfer as never)))
  spent.index = 1
  input.witnessUtxo = { amount: transfer.outputs[1]!.amount, script } as never
  delete (input as { tapLeafScript?: unknown }).tapLeafScript
  answer.steps[1]!.psbtBase64 = base64OfBytes(RawPSBTV0.encode(psbt))
  return answer
}
