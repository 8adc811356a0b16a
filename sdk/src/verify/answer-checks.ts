import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import type { PreparedPsbt } from '@ordbook/bitcoin/prepared-psbt.ts'
import { bpsOf, sumSats } from '@ordbook/bitcoin/sats.ts'
import { checkSettlement } from '@ordbook/bitcoin/trade/check.ts'
import { feeOfLayout, type Layout } from '@ordbook/bitcoin/trade/layout.ts'
import { GoesAlong, OverNetworkFee } from '../errors.ts'
import { demand, refusing } from './demand.ts'
import type { InscriptionCoin, Owner } from './owner.ts'

/** Checks that the response states the rebuilt amounts. Throws CheckFailed. */
export function demandFigures<A extends object>(answer: A, figures: Partial<A>, reason: string): void {
  const names = Object.keys(figures) as (keyof A)[]
  demand(
    names.every((name) => answer[name] === figures[name]),
    reason,
  )
}

/** The inscription's sat is in its coin. */
export function demandInside({ offset, valueSats }: InscriptionCoin, inscriptionId: string): void {
  demand(
    Number.isSafeInteger(offset) && offset >= 0 && offset < valueSats,
    `${inscriptionId} is not in the coin that was named`,
  )
}

/**
 * Checks that the whole coin of each input goes to one output of the owner. All inputs before it must have proven values: own coins, or
 * coins whose full previous transaction the PSBT contains. A segwit version 0 signature commits only to the value of its own input, so a
 * false value of another input would shift the sats. Throws CheckFailed.
 */
export function demandLanding(
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
    demand(
      isMine || inputs[i]!.previous !== null,
      `input ${i} is before an inscription, and its value is not proven: its previous transaction is missing`,
    )
  }
  refusing(() =>
    checkSettlement(layout, {
      inscriptionInputs,
      ownerScript: owner.ordinalsScript,
      feeSats: feeOfLayout(layout),
    }),
  )
}

/** A price and its parts, as in every response that splits a price. */
export interface Split {
  priceSats: number
  inscriptionUtxoValueSats: number
  sellerReceiveSats: number
  buyerPayTotalSats: number
  marketplaceRevenueSats: number
  creatorRevenueSats: number
}

/** The agreement that a split is of: a price, and the postage. */
interface Agreed {
  inscriptionId: string
  priceSats: number
  valueSats: number
}

/** A split that adds up, of the price and the postage that were agreed. Throws CheckFailed. */
export function demandSplit(split: Split, agreed: Agreed): void {
  const { inscriptionId, priceSats, valueSats } = agreed
  demand(
    split.priceSats === priceSats,
    `the market prices ${inscriptionId} at ${split.priceSats} sats, agreed were at most and at least ${priceSats}`,
  )
  demand(
    split.inscriptionUtxoValueSats === valueSats,
    `the market misstates the coin of ${inscriptionId}: ${split.inscriptionUtxoValueSats} sats, it holds ${valueSats}`,
  )
  demand(
    split.buyerPayTotalSats ===
      split.sellerReceiveSats + split.marketplaceRevenueSats + split.creatorRevenueSats,
    `the buyer's payment for ${inscriptionId} is not the sum that seller, market and creator get`,
  )
}

/** A split (`demandSplit`) that also names each side's fees and royalties: they add up, too. Throws CheckFailed. */
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
  demand(
    split.sellerReceiveSats === priceSats - sellerSats &&
      split.buyerPayTotalSats === priceSats + buyerSats &&
      split.marketplaceRevenueSats === split.sellerMarketplaceFeeSats + split.buyerMarketplaceFeeSats &&
      split.creatorRevenueSats === split.sellerCreatorRoyaltySats + split.buyerCreatorRoyaltySats,
    'the fees that the market names do not add up',
  )
}

/** A sold inscription, and the others in its coin. */
export interface Goes {
  inscriptionId: string
  /** Other inscriptions that may leave with it. None by default. */
  alsoGoes?: readonly string[]
}

/**
 * Demands that every inscription in the coins was named. Only the market reports the others: this protects from the maker of a coin, and not
 * from a dishonest market. Throws GoesAlong.
 */
export function demandNamed(
  carries: readonly { kind: string; name: string }[] | undefined,
  agreed: readonly Goes[],
): void {
  const named = new Set(agreed.flatMap(({ inscriptionId, alsoGoes = [] }) => [inscriptionId, ...alsoGoes]))
  const others = (carries ?? []).filter(({ kind, name }) => kind === 'inscription' && !named.has(name))
  demand(others.length === 0, new GoesAlong(others.map(({ name }) => name)))
}

/** Maximum share of market and creators of one price, or an amount if that is larger. */
export interface FeeLimits {
  /** Share of the price. */
  maxFeeBps: number
  /** For markets with a lowest fee; 0 by default. */
  maxFeeSats?: number
}

export const mostFees = (priceSats: number, { maxFeeBps, maxFeeSats = 0 }: FeeLimits) =>
  Math.max(bpsOf(priceSats, maxFeeBps), maxFeeSats)

/** Maximum cost of a trade beyond its price. */
export interface CostLimits extends FeeLimits {
  /** Maximum network fee. */
  maxNetworkSats: number
}

/**
 * Checks market and creator fees and the network fee separately against their limits, so that neither can use the other's. Both are rebuilt
 * amounts. Throws CheckFailed.
 */
export function demandCosts(
  limits: CostLimits,
  pricesSats: readonly number[],
  costs: { feesSats: number; networkSats: number },
): void {
  const mostFeesSats = sumSats(pricesSats.map((priceSats) => mostFees(priceSats, limits)))
  demand(
    costs.feesSats <= mostFeesSats,
    `market and creators take ${costs.feesSats} sats, agreed were at most ${mostFeesSats}`,
  )
  demandNetwork(limits, costs.networkSats)
}

/** Throws OverNetworkFee. */
export function demandNetwork(
  { maxNetworkSats }: Pick<CostLimits, 'maxNetworkSats'>,
  networkSats: number,
): void {
  if (networkSats > maxNetworkSats) throw new OverNetworkFee(networkSats, maxNetworkSats)
}

/** Checks that the seller receives at least the price less the agreed fees. Returns the minimum, without postage. */
export const leastNet = (priceSats: number, limits: FeeLimits) => priceSats - mostFees(priceSats, limits)
