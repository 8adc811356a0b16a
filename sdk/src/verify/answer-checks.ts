import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import type { PreparedPsbt } from '@ordbook/bitcoin/prepared-psbt.ts'
import { bpsOf, sumSats } from '@ordbook/bitcoin/sats.ts'
import { checkSettlement } from '@ordbook/bitcoin/trade/check.ts'
import { feeOfLayout, type Layout } from '@ordbook/bitcoin/trade/layout.ts'
import { GoesAlong, OverNetworkFee } from '../errors.ts'
import { asCheckFailed, assert } from './assert.ts'
import type { InscriptionCoin, Owner } from './owner.ts'

/** Checks that the response has the given amounts. Throws CheckFailed with `reason`. */
export function assertAmounts<A extends object>(answer: A, figures: Partial<A>, reason: string): void {
  const names = Object.keys(figures) as (keyof A)[]
  assert(
    names.every((name) => answer[name] === figures[name]),
    reason,
  )
}

export function assertOffsetInside({ offset, valueSats }: InscriptionCoin, inscriptionId: string): void {
  assert(
    Number.isSafeInteger(offset) && offset >= 0 && offset < valueSats,
    `${inscriptionId} is not in the given coin`,
  )
}

/**
 * Checks that every input's coin goes to one output of the owner in full. All inputs before it must be the owner's or have full
 * previous transactions in the PSBT. Segwit version 0 signatures do not commit to the values of other inputs, and a false value would shift
 * the sats. Throws CheckFailed.
 */
export function assertDestination(
  owner: Owner,
  { inputs }: PreparedPsbt,
  layout: Layout,
  inscriptionInputs: readonly number[],
): void {
  const last = Math.max(-1, ...inscriptionInputs)
  for (const [i, { coin, spend }] of layout.inputs.slice(0, last + 1).entries()) {
    const isMine =
      spend.by === 'key' &&
      (equalBytes(coin.script, owner.paymentScript) || equalBytes(coin.script, owner.ordinalsScript))
    assert(
      isMine || inputs[i]!.previous !== null,
      `input ${i} precedes an inscription, but its previous transaction is missing`,
    )
  }
  asCheckFailed(() =>
    checkSettlement(layout, {
      inscriptionInputs,
      ownerScript: owner.ordinalsScript,
      feeSats: feeOfLayout(layout),
    }),
  )
}

export interface Split {
  priceSats: number
  inscriptionUtxoValueSats: number
  sellerReceiveSats: number
  buyerPayTotalSats: number
  marketplaceRevenueSats: number
  creatorRevenueSats: number
}

interface Agreed {
  inscriptionId: string
  priceSats: number
  valueSats: number
}

/** Checks that a split adds up and has the agreed price and postage. Throws CheckFailed. */
export function demandSplit(split: Split, agreed: Agreed): void {
  const { inscriptionId, priceSats, valueSats } = agreed
  assert(
    split.priceSats === priceSats,
    `the market prices ${inscriptionId} at ${split.priceSats} sats instead of the agreed ${priceSats}`,
  )
  assert(
    split.inscriptionUtxoValueSats === valueSats,
    `the market misstates the coin of ${inscriptionId}: ${split.inscriptionUtxoValueSats} sats instead of ${valueSats}`,
  )
  assert(
    split.buyerPayTotalSats ===
      split.sellerReceiveSats + split.marketplaceRevenueSats + split.creatorRevenueSats,
    `the buyer's payment for ${inscriptionId} is not the sum of what seller, market and creator receive`,
  )
}

/** Checks a split with `demandSplit`, and the fees and royalties of both sides. Throws CheckFailed. */
export function demandDetail(
  split: Split & {
    sellerMarketplaceFeeSats: number
    buyerMarketplaceFeeSats: number
    sellerCreatorRoyaltySats: number
    buyerCreatorRoyaltySats: number
  },
  agreed: Agreed,
): void {
  demandSplit(split, agreed)
  const { priceSats } = split
  const sellerSats = split.sellerMarketplaceFeeSats + split.sellerCreatorRoyaltySats
  const buyerSats = split.buyerMarketplaceFeeSats + split.buyerCreatorRoyaltySats
  assert(
    split.sellerReceiveSats === priceSats - sellerSats &&
      split.buyerPayTotalSats === priceSats + buyerSats &&
      split.marketplaceRevenueSats === split.sellerMarketplaceFeeSats + split.buyerMarketplaceFeeSats &&
      split.creatorRevenueSats === split.sellerCreatorRoyaltySats + split.buyerCreatorRoyaltySats,
    "the market's fees do not add up",
  )
}

/** An inscription to sell, and the others in its coin. */
export interface Goes {
  inscriptionId: string
  /** Other inscriptions in the coin that may be transferred too; default: none. */
  alsoGoes?: readonly string[]
}

/**
 * Checks that the agreement names every inscription that the market reports in the coins. A dishonest market can hide one. Throws
 * GoesAlong.
 */
export function assertNamed(
  carries: readonly { kind: string; name: string }[] | undefined,
  agreed: readonly Goes[],
): void {
  const named = new Set(agreed.flatMap(({ inscriptionId, alsoGoes = [] }) => [inscriptionId, ...alsoGoes]))
  const others = (carries ?? []).filter(({ kind, name }) => kind === 'inscription' && !named.has(name))
  assert(others.length === 0, new GoesAlong(others.map(({ name }) => name)))
}

/** Maximum fees of market and creators per price. */
export interface FeeLimits {
  /** In 1/10,000 of the price. */
  maxFeeBps: number
  /** In sats, for markets with a minimum fee; default 0. The greater limit applies. */
  maxFeeSats?: number
}

export const maxFees = (priceSats: number, { maxFeeBps, maxFeeSats = 0 }: FeeLimits) =>
  Math.max(bpsOf(priceSats, maxFeeBps), maxFeeSats)

export interface CostLimits extends FeeLimits {
  maxNetworkSats: number
}

/** Checks the market's and creators' fees, and the network fee, against the limits. Throws CheckFailed. */
export function assertCosts(
  limits: CostLimits,
  pricesSats: readonly number[],
  costs: { feesSats: number; networkSats: number },
): void {
  const maxFeesSats = sumSats(pricesSats.map((priceSats) => maxFees(priceSats, limits)))
  assert(
    costs.feesSats <= maxFeesSats,
    `market and creator fees of ${costs.feesSats} sats exceed the agreed maximum of ${maxFeesSats}`,
  )
  assertNetwork(limits, costs.networkSats)
}

export function assertNetwork(
  { maxNetworkSats }: Pick<CostLimits, 'maxNetworkSats'>,
  networkSats: number,
): void {
  if (networkSats > maxNetworkSats) throw new OverNetworkFee(networkSats, maxNetworkSats)
}

/** Returns the minimum that the seller must receive, without postage. */
export const minNet = (priceSats: number, limits: FeeLimits) => priceSats - maxFees(priceSats, limits)
