import { createHash } from 'node:crypto'
import { keySpendOf, scriptOfPublicKey } from '@ordbook/bitcoin/address.ts'
import { concatBytes } from '@ordbook/bitcoin/bytes.ts'
import { signKeyInput } from '@ordbook/bitcoin/inscribe.ts'
import { publicKeyOf, sha256, signSchnorr, tweakPrivateKey, xOnlyKeyOf } from '@ordbook/bitcoin/keys.ts'
import { SIGHASH } from '@ordbook/bitcoin/sighash.ts'
import { buildFill, type FillTerms } from '@ordbook/bitcoin/trade/collection-offer.ts'
import { buildCounterAcceptance, type CounterTerms } from '@ordbook/bitcoin/trade/counter.ts'
import { criteriaText, eligibleRoot } from '@ordbook/bitcoin/trade/criteria.ts'
import type { FillRequest } from '@ordbook/bitcoin/trade/fill-check.ts'
import { type Coin, type Layout, positionsOf, sighashOf } from '@ordbook/bitcoin/trade/layout.ts'
import {
  buildReclaim,
  buildTransfer,
  escrowCoinOf,
  type ListingTerms,
} from '@ordbook/bitcoin/trade/listing.ts'
import { buildPaidMove } from '@ordbook/bitcoin/trade/paid-move.ts'
import type { EscrowForm } from '@ordbook/bitcoin/trade/passthrough.ts'
import { buildPurchase, type PurchaseTerms } from '@ordbook/bitcoin/trade/purchase.ts'
import { hexOfTransaction, txidOf } from '@ordbook/bitcoin/transaction.ts'
import type { MarketKeys } from '@ordbook/signer/requests.ts'

const hash = (text: string) => new Uint8Array(createHash('sha256').update(text).digest())
const hexHash = (text: string) => createHash('sha256').update(text).digest('hex')

/**
 * Creates a seller, a buyer and requests about their trades that a signer accepts. `coins`: their coins by `txid:vout`. Each salt results
 * in different keys and coins.
 */
export function signedTrades(keys: MarketKeys, salt: string) {
  const coins = new Map<string, Coin>()
  const keep = (coin: Coin): Coin => {
    coins.set(`${coin.txid}:${coin.vout}`, coin)
    return coin
  }
  let coinCount = 0
  const coin = (valueSats: number, script: Uint8Array): Coin =>
    keep({ txid: hexHash(`${salt} coin ${coinCount++}`), vout: coinCount % 3, valueSats, script })

  const sellerSecret = hash(`${salt} seller`)
  const sellerScript = scriptOfPublicKey(publicKeyOf(sellerSecret), 'p2tr')
  const seller = {
    ...keySpendOf(sellerScript, publicKeyOf(sellerSecret)),
    internalKey: xOnlyKeyOf(sellerSecret),
  }
  const buyerSecret = hash(`${salt} buyer`)
  const payerScript = scriptOfPublicKey(publicKeyOf(buyerSecret), 'p2wpkh')
  const payer = keySpendOf(payerScript, publicKeyOf(buyerSecret))
  const buyerScript = scriptOfPublicKey(publicKeyOf(buyerSecret), 'p2tr')
  const anchor = () => coin(330, keys.coinScript)

  const listing = (escrowForm: EscrowForm, generation: number): ListingTerms => ({
    inscriptionCoin: coin(10_000, sellerScript),
    seller,
    marketKey: keys.cosignKey,
    escrowForm,
    movedTo: null,
    anchor: anchor(),
    market: keys.coins,
    generation,
    recoveryCoin: anchor(),
    payoutSats: 60_000,
    payoutScript: sellerScript,
  })
  const escrowSignature = (layout: Layout, index: number, form: EscrowForm, sighash: number) =>
    concatBytes(
      signSchnorr(
        sighashOf(layout, index, sighash),
        form === 'wallet' ? sellerSecret : tweakPrivateKey(sellerSecret),
      ),
      Uint8Array.of(sighash),
    )
  const transferSignature = (terms: ListingTerms | CounterTerms) =>
    signKeyInput(buildTransfer(terms), 0, sellerSecret)

  const purchase = (listings: readonly ListingTerms[], transferConfirmed: boolean) => {
    const terms: PurchaseTerms = {
      items: listings.map((listing) => ({
        terms: listing,
        transferConfirmed,
        marketplaceRevenueSats: 1200,
        royalty: null,
      })),
      payments: [coin(90_000 * listings.length, payerScript)],
      payer,
      buyerScript,
      changeScript: payerScript,
      market: keys.coins,
      marketScript: keys.coinScript,
      feeCoins: { by: 'tail', tail: coin(20_000, keys.coinScript) },
      feeRateSatVb: 3,
      donationScript: null,
    }
    const { settlement } = buildPurchase(terms)
    return {
      terms,
      sellers: listings.map((listing, n) => ({
        transferSignature: transferSignature(listing),
        legSignature: escrowSignature(
          settlement,
          positionsOf(settlement.inputs, 'escrow')[n]!,
          listing.escrowForm,
          SIGHASH.SINGLE_ANYONECANPAY,
        ),
      })),
      buyerSignatures: positionsOf(settlement.inputs, 'payment').map((index) =>
        signKeyInput(settlement, index, buyerSecret),
      ),
    }
  }
  const counter = () => {
    const { recoveryCoin, ...base } = listing('wallet', 1)
    const terms: CounterTerms = {
      ...base,
      recoveryCoin,
      marketplaceRevenueSats: 900,
      marketScript: keys.coinScript,
      royalty: null,
      buyerScript,
    }
    const from = { payments: [coin(150_000, payerScript)], payer, changeScript: payerScript }
    const { funding, settlement } = buildCounterAcceptance(terms, from, 2)
    keep(settlement.inputs[1]!.coin)
    keep(escrowCoinOf(terms))
    return {
      terms,
      from,
      feeRateSatVb: 2,
      transferSignature: transferSignature(terms),
      legSignature: escrowSignature(settlement, 0, 'wallet', SIGHASH.ALL_ANYONECANPAY),
      fundingSignatures: [signKeyInput(funding.layout, 0, buyerSecret)],
      buyerSignature: signKeyInput(settlement, 1, buyerSecret),
    }
  }
  /** Returns the sellers' signatures for a layout that begins with the escrow coins. */
  const returnSignatures = (escrows: readonly ListingTerms[], layout: Layout) =>
    escrows.map((escrow, i) => escrowSignature(layout, i, escrow.escrowForm, SIGHASH.ALL))
  const reclaim = (escrows: readonly ListingTerms[], feeCoins: readonly Coin[] = [anchor(), anchor()]) => ({
    escrows,
    feeCoins,
    signatures: returnSignatures(escrows, buildReclaim(escrows, feeCoins)),
  })
  const move = (escrows: readonly ListingTerms[], form: EscrowForm) => {
    const from = { payments: [coin(50_000, payerScript)], payer, changeScript: payerScript }
    const { layout } = buildPaidMove(escrows, form, from, 2)
    return {
      escrows,
      form,
      from,
      feeRateSatVb: 2,
      signatures: returnSignatures(escrows, layout),
      paymentSignatures: [signKeyInput(layout, escrows.length, buyerSecret)],
    }
  }
  /** Returns a buyer's bid for one inscription, without a secret hash. */
  const openBid = (guardianKey: Uint8Array, inscriptionId: string, expiresAt: number) => ({
    terms: {
      payments: [coin(90_000, payerScript)],
      payer,
      changeScript: payerScript,
      makerScript: buyerScript,
      guardianKey,
      marketKey: keys.cosignKey,
      priceSats: 60_000,
    },
    asked: {
      criteria: criteriaText('lamps', { kind: 'all' }),
      eligibleRoot: eligibleRoot([inscriptionId]),
      expiresAt,
    },
  })
  /** Returns the seller's fill of a bid with this secret hash. */
  const fillOf = (
    { terms: open, asked }: ReturnType<typeof openBid>,
    secretHash: Uint8Array,
    { inscriptionId, inscriptionCoin }: { inscriptionId: string; inscriptionCoin: Coin },
  ): FillRequest => {
    const terms: FillTerms = {
      offer: { ...open, secretHash },
      inscriptionCoin: keep(inscriptionCoin),
      seller,
      sellerReceiveSats: 58_000,
      payoutScript: sellerScript,
      marketplaceRevenueSats: 2_000,
      marketScript: keys.coinScript,
      royalty: null,
      feeRateSatVb: 2,
      leastPayoutSats: 330,
    }
    const { fundingParent, settlement } = buildFill(terms)
    return {
      terms,
      asked,
      inscriptionId,
      satOffset: 0,
      proof: [],
      makerSignatures: positionsOf(fundingParent.inputs, 'payment').map((index) =>
        signKeyInput(fundingParent, index, buyerSecret),
      ),
      sellerSignature: signKeyInput(settlement, 0, sellerSecret),
    }
  }
  return {
    coins,
    coin,
    keep,
    anchor,
    listing,
    purchase,
    counter,
    reclaim,
    move,
    openBid,
    fillOf,
    sellerScript,
    buyerScript,
  }
}

/** Returns valid requests of every kind, as seeds for fuzzing. */
export function validRequests(
  keys: MarketKeys,
  salt: string,
): { calls: [call: string, request: unknown][]; coins: Map<string, Coin> } {
  const { coins, coin, keep, anchor, listing, purchase, counter, reclaim, move, ...bids } = signedTrades(
    keys,
    salt,
  )
  const listings = [listing('published', 0), listing('wallet', 2), listing('wallet', 0)]
  for (const listing of listings) keep(escrowCoinOf(listing))
  const guardian = hash(`${salt} guardian`)
  const secret = hash(`${salt} secret`)
  const inscriptionId = `${hexHash(`${salt} inscription`)}i0`
  const open = bids.openBid(xOnlyKeyOf(guardian), inscriptionId, Date.now() + 3_600_000)
  const filled = bids.fillOf(open, sha256(secret), {
    inscriptionId,
    inscriptionCoin: coin(10_000, bids.sellerScript),
  })
  const { settlement } = buildFill(filled.terms)
  const bidIndex = positionsOf(settlement.inputs, 'funding')[0]!
  keep(settlement.inputs[bidIndex]!.coin)
  const guardianSignature = signSchnorr(sighashOf(settlement, bidIndex, SIGHASH.DEFAULT), guardian)
  const large = coin(1_000_000, keys.coinScript)
  const parent = {
    version: 2,
    locktime: 0,
    inputs: [{ txid: large.txid, vout: large.vout, sequence: 0, scriptSig: new Uint8Array(), witness: [] }],
    outputs: [{ valueSats: 900_000, script: keys.coinScript }],
  }
  const child = keep({ txid: txidOf(parent), vout: 0, ...parent.outputs[0]! })
  return {
    coins,
    calls: [
      ['signSettlement', purchase([listings[0]!], false)],
      ['signSettlement', purchase([listings[1]!, listings[2]!], true)],
      ['signCounter', counter()],
      ['signFill', { ...filled, secret, guardianSignature }],
      ['signReclaim', reclaim(listings.slice(0, 2))],
      ['signMove', move([listings[2]!], 'wallet')],
      [
        'signCoins',
        { coins: [coin(500_000, keys.coinScript), anchor()], outputSats: [490_000, 330, 330], parents: [] },
      ],
      ['signCoins', { coins: [child], outputSats: [899_000], parents: [hexOfTransaction(parent)] }],
      ['raiseFloors', [{ outpoint: `${hexHash(`${salt} escrow`)}:0`, floor: 3 }]],
      ['floors', [`${hexHash(`${salt} escrow`)}:0`]],
      ['revoke', [{ id: `${hexHash(`${salt} order`)}`, expiresAt: 1_900_000_000_000 }]],
      ['revoked', [`${hexHash(`${salt} order`)}`]],
      ['signLogHead', { network: 'regtest', position: 7, hash: hexHash(`${salt} head`) }],
      ['keys', {}],
    ],
  }
}
