import { feeOf } from '@ordbook/bitcoin/sats.ts'

/** Amounts and sizes that determine a seller's net. */
export interface Taking {
  /** Proceeds after fees and royalty, before the network fee. */
  receiveSats: number
  /** Size in vB without the seller's child. If `paidSats` covers it, the seller pays no network fee. */
  settlementVsize: number
  /** Size in vB of the whole package. */
  packageVsize: number
  /** Network fee paid by the bidder. */
  paidSats: number
}

/** Range of `targetFeeRateSatVb` in the API schema. */
const ACCEPTANCE_RATE = { least: 1, most: 20 }

/** Bids below the dust limit of a taproot output do not count. */
export const MIN_NET_SATS = 330

/** Returns the seller's net in sats, possibly negative. Must equal `seller_net` in the database. */
export function sellerNet(taking: Taking, feeRateSatVb: number): number {
  const { receiveSats, settlementVsize, packageVsize, paidSats } = taking
  if (settlementVsize * feeRateSatVb <= paidSats) return receiveSats
  return receiveSats - Math.max(feeOf(packageVsize, feeRateSatVb) - paidSats, 0)
}

/** Clamps a fee rate to the range of acceptances. */
export const acceptanceRate = (feeRateSatVb: number) =>
  Math.min(Math.max(feeRateSatVb, ACCEPTANCE_RATE.least), ACCEPTANCE_RATE.most)
