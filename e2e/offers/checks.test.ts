import { base64OfBytes, bytesOfBase64 } from '@ordbook/bitcoin/bytes.ts'
import {
  type BidAgreement,
  bid,
  CheckFailed,
  coreSource,
  counter,
  fill,
  type MarketKeys,
  offer,
  verifyAcceptance,
  verifyBids,
  verifyCounter,
  verifyCounterAcceptance,
  verifyFill,
  verifyFillPreflight,
  verifyOffers,
} from '@ordbook/sdk/index.ts'
import type { Answer } from '@ordbook/sdk/operations.ts'
import { RawPSBTV0 } from '@scure/btc-signer/psbt.js'
import { beforeAll, expect, it } from 'vitest'
import { keyHolder, setUpMarket, type TestTrader } from '../support/market.ts'
import { coinsOf, countered, offering, selling } from '../support/offers.ts'

const market = setUpMarket()
let seller: TestTrader
let buyer: TestTrader
let slug: string
let ids: string[]
let keys: MarketKeys
beforeAll(async () => {
  seller = (await keyHolder(market)).trader
  buyer = await market.trader('p2wpkh', 40_000_000)
  ;({ slug, ids } = await market.collection(seller.wallet, 4))
  keys = await buyer.client.call('getMarketKeys')
})

interface Psbt {
  global: {
    unsignedTx: { version: number; outputs: { amount: bigint; script: Uint8Array }[]; inputs: unknown[] }
  }
  inputs: { sighashType?: number; witnessUtxo?: { amount: bigint; script: Uint8Array } }[]
}

function changed(psbtBase64: string, change: (psbt: Psbt) => void): string {
  const psbt = RawPSBTV0.decode(bytesOfBase64(psbtBase64)!) as unknown as Psbt
  change(psbt)
  return base64OfBytes(RawPSBTV0.encode(psbt as never))
}

/** Applies each lie to a copy of an honest response. Only the honest response may pass. */
function catches<A extends object>(
  honest: A,
  check: (answer: A) => unknown,
  lies: Record<string, (answer: A) => void>,
): void {
  check(structuredClone(honest))
  for (const [lie, change] of Object.entries(lies)) {
    const answer = structuredClone(honest)
    change(answer)
    expect(() => check(answer), lie).toThrow(CheckFailed)
  }
}

type Steps = { psbtBase64: string; inputsToSign: { signingIndexes: number[]; sigHash?: number }[] }[]
const outputs =
  (at: number, change: (output: { amount: bigint; script: Uint8Array }) => void, step = 0) =>
  (steps: Steps) => {
    steps[step]!.psbtBase64 = changed(steps[step]!.psbtBase64, (psbt) =>
      change(psbt.global.unsignedTx.outputs[at]!),
    )
  }
const asks =
  (sigHash: number, step = 0) =>
  (steps: Steps) => {
    steps[step]!.inputsToSign[0]!.sigHash = sigHash
  }
const divert = (output: { script: Uint8Array }) => {
  output.script = market.server.context.market.coinScript
}

it('rejects every lie about an offer', async () => {
  const agreement = await offering(market, buyer, [ids[0]!], 50_000)
  const request = {
    walletBindingId: buyer.walletBindingId,
    paymentPublicKey: buyer.wallet.paymentPublicKey,
    inscriptionIds: [ids[0]!],
    priceSats: 50_000,
    spendableUtxos: agreement.coins.map(({ txid, vout, valueSats }) => ({ txid, vout, valueSats })),
  }
  const honest = await buyer.client.call('preflightCollectionOffer', { params: { slug }, body: request })
  const last = (psbt: Psbt) => psbt.global.unsignedTx.outputs.at(-1)!
  catches<Answer<'preflightCollectionOffer'>>(
    honest,
    (answer) => verifyOffers(buyer.wallet, keys, agreement, answer),
    {
      'the inscription goes to another address': ({ items }) => outputs(0, divert)(items[0]!.steps),
      'the inscription is cut': ({ items }) => outputs(0, (output) => (output.amount -= 1n))(items[0]!.steps),
      'the change goes to another address': ({ items }) => {
        items[0]!.steps[0]!.psbtBase64 = changed(items[0]!.steps[0]!.psbtBase64, (psbt) => divert(last(psbt)))
      },
      'the change shrinks': ({ items }) => {
        items[0]!.steps[0]!.psbtBase64 = changed(
          items[0]!.steps[0]!.psbtBase64,
          (psbt) => (last(psbt).amount -= 30_000n),
        )
      },
      'a sighash that leaves all open': ({ items }) => asks(130)(items[0]!.steps),
      'a sighash in the PSBT': ({ items }) => {
        items[0]!.steps[0]!.psbtBase64 = changed(
          items[0]!.steps[0]!.psbtBase64,
          (psbt) => (psbt.inputs[1]!.sighashType = 131),
        )
      },
      'a coin that is misstated': ({ items }) => {
        items[0]!.steps[0]!.psbtBase64 = changed(
          items[0]!.steps[0]!.psbtBase64,
          (psbt) => (psbt.inputs[1]!.witnessUtxo!.amount += 1n),
        )
      },
      'a signature on the seller’s input': ({ items }) => {
        items[0]!.steps[0]!.inputsToSign[0]!.signingIndexes = [0, 1]
      },
      'another inscription': ({ items }) => {
        items[0]!.inscriptionId = ids[1]!
      },
      'no item': ({ items }) => void items.pop(),
    },
  )
  const wrongCoins = { ...agreement, items: [{ inscriptionId: ids[0]!, coin: await market.coinOf(ids[1]!) }] }
  expect(() => verifyOffers(buyer.wallet, keys, wrongCoins, honest)).toThrow(/does not spend the coin of/)
  expect(() => verifyOffers(buyer.wallet, keys, { ...agreement, coins: [] }, honest)).toThrow(/did not offer/)
  expect(() => verifyOffers(buyer.wallet, keys, { ...agreement, priceSats: 20_000 }, honest)).toThrow(
    /instead of the agreed 20000/,
  )
  // To the sat: price, 1% fee, postage and network fee.
  const [costSats] = verifyOffers(buyer.wallet, keys, agreement, honest).costsSats
  const networkSats = costSats! - 50_000 - 500 - agreement.items[0]!.coin.valueSats
  const verify = (maxNetworkSats: number) => () =>
    verifyOffers(buyer.wallet, keys, { ...agreement, maxNetworkSats }, honest)
  expect(verify(networkSats)).not.toThrow()
  expect(verify(networkSats - 1)).toThrow(/agreed maximum of/)
})

it('rejects every lie about an acceptance or counter', async () => {
  const id = ids[1]!
  const { items } = await offer(buyer, slug, await offering(market, buyer, [id], 60_000))
  const { offerId } = items[0]!
  const params = { id, offerId }
  const sale = await selling(market, id, 60_000)
  const { config } = market.server.context
  config.feeRateMinSatVb = 9
  const body = { walletBindingId: seller.walletBindingId, ordinalsPublicKey: seller.wallet.ordinalsPublicKey }
  const honest = await seller.client.call('preflightOfferAcceptance', { params, body })
  config.feeRateMinSatVb = 1
  catches<Answer<'preflightOfferAcceptance'>>(
    honest,
    (answer) => verifyAcceptance(seller.wallet, sale, answer),
    {
      'a payout that is too small': ({ steps }) => outputs(1, (output) => (output.amount -= 1n))(steps),
      'a payout to another address': ({ steps }) => outputs(1, divert)(steps),
      'a signature with an open sighash': ({ steps }) => asks(131)(steps),
      'another coin': ({ steps }) => {
        steps[0]!.psbtBase64 = changed(
          steps[0]!.psbtBase64,
          (psbt) => (psbt.inputs[0]!.witnessUtxo!.amount += 1n),
        )
      },
      'a payout transaction to another address': ({ steps }) => outputs(0, divert, 1)(steps),
      'a lift that takes too much': ({ steps }) =>
        outputs(0, (output) => (output.amount -= 21_000n), 1)(steps),
      'a lift of something else': ({ steps }) => {
        steps[1]!.psbtBase64 = steps[0]!.psbtBase64
      },
    },
  )

  const price = { ...sale, priceSats: 80_000 }
  const countering = await seller.client.call('preflightCounterOffer', {
    params,
    body: { ...body, priceSats: 80_000, escrowForm: 'wallet' },
  })
  catches<Answer<'preflightCounterOffer'>>(
    countering,
    (answer) => verifyCounter(seller.wallet, keys, price, answer),
    {
      'a transfer elsewhere': ({ steps }) => outputs(0, divert)(steps),
      'a lower payout': ({ steps }) => outputs(1, (output) => (output.amount -= 1n), 1)(steps),
      'a payout to another address': ({ steps }) => outputs(1, divert, 1)(steps),
      'a recovery to another address': ({ steps }) => outputs(0, divert, 2)(steps),
      'a leg that leaves outputs open': ({ steps }) => asks(131, 1)(steps),
      'a transfer with an open sighash': ({ steps }) => asks(131)(steps),
      'two steps': ({ steps }) => void steps.pop(),
    },
  )
  expect(() =>
    verifyCounter(seller.wallet, { ...keys, cosignKey: '02'.repeat(32) }, price, countering),
  ).toThrow(CheckFailed)

  const counterOffer = await counter(seller, offerId, price)
  const accepting = await countered(market, buyer, id, 80_000)
  const taking = await buyer.client.call('preflightCounterOfferAcceptance', {
    params: { id, offerId: counterOffer.offerId },
    body: {
      walletBindingId: buyer.walletBindingId,
      paymentPublicKey: buyer.wallet.paymentPublicKey,
      spendableUtxos: accepting.coins.map(({ txid, vout, valueSats }) => ({ txid, vout, valueSats })),
    },
  })
  catches<Answer<'preflightCounterOfferAcceptance'>>(
    taking,
    (answer) => verifyCounterAcceptance(buyer.wallet, keys, accepting, answer),
    {
      'the change goes to another address': ({ steps }) => outputs(1, divert)(steps),
      'the inscription goes to another address': ({ steps }) => outputs(0, divert, 1)(steps),
      'a funding that is another': ({ steps }) => outputs(0, (output) => (output.amount += 1n))(steps),
      'a sighash that leaves all open': ({ steps }) => asks(130, 1)(steps),
      'a signature on the escrow': ({ steps }) => {
        steps[1]!.inputsToSign[0]!.signingIndexes = [0, 1]
      },
      'one step': ({ steps }) => void steps.pop(),
    },
  )
  expect(() =>
    verifyCounterAcceptance(buyer.wallet, keys, { ...accepting, priceSats: 30_000 }, taking),
  ).toThrow(/exceed the agreed maximum of/)
})

it('rejects every lie about a collection offer', async () => {
  const agreement: BidAgreement = {
    target: { kind: 'all' },
    priceSats: 50_000,
    coins: await coinsOf(market, buyer),
    eligibleIds: ids,
  }
  const honest = await buyer.client.call('preflightCollectionWideOffer', {
    params: { slug },
    body: {
      walletBindingId: buyer.walletBindingId,
      ordinalsPublicKey: buyer.wallet.ordinalsPublicKey,
      paymentPublicKey: buyer.wallet.paymentPublicKey,
      target: { kind: 'all' },
      priceSats: 50_000,
      spendableUtxos: agreement.coins.map(({ txid, vout, valueSats }) => ({ txid, vout, valueSats })),
    },
  })
  const parent = (change: (psbt: Psbt) => void) => (answer: Answer<'preflightCollectionWideOffer'>) => {
    const step = answer.offers[0]!.fundingParentStep
    step.psbtBase64 = changed(step.psbtBase64, change)
  }
  catches<Answer<'preflightCollectionWideOffer'>>(
    honest,
    (answer) => verifyBids(buyer.wallet, keys, slug, agreement, answer),
    {
      'other criteria': (answer) => {
        answer.criteriaCanonicalJson = answer.criteriaCanonicalJson.replace(slug, 'elsewhere')
      },
      'another hash': (answer) => {
        answer.offerCriteriaHash = '00'.repeat(32)
      },
      'another set': (answer) => {
        answer.eligibleRoot = '00'.repeat(32)
      },
      'another receiver': (answer) => {
        answer.buyerReceiveScriptHex = '51'
      },
      'another secret': (answer) => {
        answer.offers[0]!.offerAuthSecretHash = '00'.repeat(32)
      },
      'another price': (answer) => {
        answer.offers[0]!.priceSats = 55_000
      },
      'sats to another address': parent((psbt) => divert(psbt.global.unsignedTx.outputs[0]!)),
      'more sats than the price': parent((psbt) => {
        psbt.global.unsignedTx.outputs[0]!.amount += 1000n
        psbt.global.unsignedTx.outputs[1]!.amount -= 1000n
      }),
      'a fee, so that it can be sent alone': parent(
        (psbt) => (psbt.global.unsignedTx.outputs[1]!.amount -= 300n),
      ),
      'version 2, so that it can be sent alone': parent((psbt) => (psbt.global.unsignedTx.version = 2)),
      'two offers': (answer) => void answer.offers.push(answer.offers[0]!),
    },
  )
  expect(() =>
    verifyBids(buyer.wallet, { ...keys, guardianKey: keys.cosignKey }, slug, agreement, honest),
  ).toThrow(CheckFailed)

  const created = await bid(buyer, slug, agreement)
  const { offerId } = created.offers[0]!
  const sale = await selling(market, ids[2]!, 50_000, 250)
  const filling = await seller.client.call('preflightCollectionOfferFill', {
    params: { slug, offerId },
    body: {
      walletBindingId: seller.walletBindingId,
      ordinalsPublicKey: seller.wallet.ordinalsPublicKey,
      offerId,
      inscriptionId: ids[2]!,
    },
  })
  catches<Answer<'preflightCollectionOfferFill'>>(
    filling,
    (answer) => verifyFillPreflight(seller.wallet, keys, sale, answer),
    {
      'a payout that is too small': ({ sellerStep }) =>
        outputs(1, (output) => (output.amount -= 21_000n))([sellerStep]),
      'a payout to another address': ({ sellerStep }) => outputs(1, divert)([sellerStep]),
      'a signature with an open sighash': ({ sellerStep }) => asks(131)([sellerStep]),
    },
  )

  const sold = await fill(seller, slug, offerId, sale)
  await market.mine()
  const proof = await buyer.client.call('getEligibility', { params: { txid: sold.settlementTxid } })
  const source = coreSource(market.node.url)
  const [kept] = created.kept
  await verifyFill(proof, kept!, source)
  const lie = (change: Partial<typeof proof>) =>
    expect(verifyFill({ ...proof, ...change }, kept!, source)).rejects.toThrow(CheckFailed)
  await lie({ inscriptionId: ids[3]! })
  await lie({ eligibleRoot: '00'.repeat(32) })
  await lie({ offerCriteriaHash: '00'.repeat(32) })
  await lie({ criteriaCanonicalJson: '{}' })
  await lie({ proof: [] })
  await lie({ satOffset: 1 })
  await lie({ fundingParentTxid: sold.settlementTxid })
  await lie({ buyerReceiveScriptHex: '51' })
  await lie({ priceSats: 49_999 })
  await lie({ inscriptionCoin: `${sold.settlementTxid}:0` })
})
