import { feeOf } from '@ordbook/bitcoin/sats.ts'

/** The amounts and sizes from which the seller's net of a bid follows. */
export interface Taking {
  /** Net of fees and royalty, before the network's fee. */
  receiveSats: number
  /** Size in vB that `paidSats` pays for at a low rate; the seller pays nothing then. */
  settlementVsize: number
  /** Size in vB of the whole package at a higher rate. */
  packageVsize: number
  /** The bidder's part of the network's fee. */
  paidSats: number
}

/** Fee rates of an acceptance in sat/vB, as the contract bounds them. */
const ACCEPTANCE_RATE = { least: 1, most: 20 }

/** A bid that leaves its seller less than this does not count: the dust limit of a taproot output, in sats. */
export const MIN_NET_SATS = 330

/** The seller's net at a fee rate, in sats; may be negative. Equal to `seller_net` in the database. */
export function sellerNet(taking: Taking, feeRateSatVb: number): number {
  const { receiveSats, settlementVsize, packageVsize, paidSats } = taking
  if (settlementVsize * feeRateSatVb <= paidSats) return receiveSats
  return receiveSats - Math.max(feeOf(packageVsize, feeRateSatVb) - paidSats, 0)
}

/** The fee rate of an acceptance at a fee rate of the network. */
export const acceptanceRate = (feeRateSatVb: number) =>
  Math.min(Math.max(feeRateSatVb, ACCEPTANCE_RATE.least), ACCEPTANCE_RATE.most)
