import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import type { PreparedPsbt } from '@ordbook/bitcoin/prepared-psbt.ts'
import { bpsOf, sumSats } from '@ordbook/bitcoin/sats.ts'
import { checkSettlement } from '@ordbook/bitcoin/trade/check.ts'
import { feeOfLayout, type Layout } from '@ordbook/bitcoin/trade/layout.ts'
import { GoesAlong, OverNetworkFee } from '../errors.ts'
import { demand, refusing } from './demand.ts'
import type { InscriptionCoin, Owner } from './owner.ts'

/** Checks that the amounts in the response equal the rebuilt ones. Throws CheckFailed with `reason`. */
export function demandFigures<A extends object>(answer: A, figures: Partial<A>, reason: string): void {
  const names = Object.keys(figures) as (keyof A)[]
  demand(
    names.every((name) => answer[name] === figures[name]),
    reason,
  )
}

export function demandInside({ offset, valueSats }: InscriptionCoin, inscriptionId: string): void {
  demand(
    Number.isSafeInteger(offset) && offset >= 0 && offset < valueSats,
    `${inscriptionId} is not in the given coin`,
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

/** Checks that a split adds up, and has the agreed price and postage. Throws CheckFailed. */
export function demandSplit(split: Split, agreed: Agreed): void {
  const { inscriptionId, priceSats, valueSats } = agreed
  demand(
    split.priceSats === priceSats,
    `the market prices ${inscriptionId} at ${split.priceSats} sats instead of the agreed ${priceSats}`,
  )
  demand(
    split.inscriptionUtxoValueSats === valueSats,
    `the market misstates the coin of ${inscriptionId}: ${split.inscriptionUtxoValueSats} sats instead of ${valueSats}`,
  )
  demand(
    split.buyerPayTotalSats ===
      split.sellerReceiveSats + split.marketplaceRevenueSats + split.creatorRevenueSats,
    `the buyer's payment for ${inscriptionId} is not the sum of what seller, market and creator receive`,
  )
}

/** Checks a split as `demandSplit` does, and that each side's fees and royalties add up. Throws CheckFailed. */
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
    "the market's fees do not add up",
  )
}

/** A sold inscription, and the others in its coin. */
export interface Goes {
  inscriptionId: string
  /** Other inscriptions in the coin that may be transferred too. None by default. */
  alsoGoes?: readonly string[]
}

/**
 * Checks that the agreement names every inscription that the market reports in the coins. This protects against a malicious coin, but not
 * against a dishonest market. Throws GoesAlong.
 */
export function demandNamed(
  carries: readonly { kind: string; name: string }[] | undefined,
  agreed: readonly Goes[],
): void {
  const named = new Set(agreed.flatMap(({ inscriptionId, alsoGoes = [] }) => [inscriptionId, ...alsoGoes]))
  const others = (carries ?? []).filter(({ kind, name }) => kind === 'inscription' && !named.has(name))
  demand(others.length === 0, new GoesAlong(others.map(({ name }) => name)))
}

/** Maximum fees of market and creators for one price. */
export interface FeeLimits {
  /** In 1/10,000 of the price. */
  maxFeeBps: number
  /** In sats, if this is more, for markets with a minimum fee; default 0. */
  maxFeeSats?: number
}

export const mostFees = (priceSats: number, { maxFeeBps, maxFeeSats = 0 }: FeeLimits) =>
  Math.max(bpsOf(priceSats, maxFeeBps), maxFeeSats)

export interface CostLimits extends FeeLimits {
  maxNetworkSats: number
}

/**
 * Checks the fees of market and creators, and the network fee, each against its limit. All amounts are rebuilt ones. Throws CheckFailed.
 */
export function demandCosts(
  limits: CostLimits,
  pricesSats: readonly number[],
  costs: { feesSats: number; networkSats: number },
): void {
  const maxFeesSats = sumSats(pricesSats.map((priceSats) => mostFees(priceSats, limits)))
  demand(
    costs.feesSats <= maxFeesSats,
    `market and creator fees of ${costs.feesSats} sats exceed the agreed maximum of ${maxFeesSats}`,
  )
  demandNetwork(limits, costs.networkSats)
}

export function demandNetwork(
  { maxNetworkSats }: Pick<CostLimits, 'maxNetworkSats'>,
  networkSats: number,
): void {
  if (networkSats > maxNetworkSats) throw new OverNetworkFee(networkSats, maxNetworkSats)
}

/** Returns the minimum that the seller must receive, without postage: the price less the maximum fees. */
export const leastNet = (priceSats: number, limits: FeeLimits) => priceSats - mostFees(priceSats, limits)
