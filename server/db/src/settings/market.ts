import { type AddressNetwork, scriptOfAddress } from '@ordbook/bitcoin/address.ts'
import type { Environment } from '@ordbook/process/settings-file.ts'
import {
  decimal,
  integer,
  optional,
  optionalDecimal,
  readVariables,
  url,
} from '@ordbook/process/variables.ts'
import { list, sats } from './variables.ts'

export const marketVariables = {
  LISTING_MIN_SATS: sats(1000, 'Minimum price of a listing, in sats.', 546),
  SELLER_FEE_BPS: integer(100, 0, 5000, 'Fee of the seller, in basis points of the price.'),
  BUYER_FEE_BPS: integer(100, 0, 5000, 'Fee of the buyer, in basis points of the price.'),
  FILL_FEE_BPS: integer(
    250,
    0,
    5000,
    'Fee of the owner who accepts a collection or trait offer, in basis points of the price.',
  ),
  FEE_MIN_SATS: sats(0, 'Minimum of each fee that is not zero, in sats.', 0, 100_000_000),
  DONATION_NAME: optional(
    'Initiative to which buyers may round up. Set all three DONATION variables or none.',
  ),
  DONATION_URL: url(null, ['http:', 'https:'], 'Web page of the initiative.'),
  DONATION_ADDRESS: optional('Address that receives donations.'),
  OFFER_FLOOR_PERCENT: decimal(
    0,
    0,
    100,
    'Minimum offer on an inscription, in percent of the floor of each of its collections; 0: none.',
  ),
  PROPOSAL_FEE_SATS: sats(0, 'Fee of a proposed swap, in sats: 0, or at least 330.', 0, 100_000_000),
  MIN_FUNDING_SATS: sats(100_000, 'Confirmed sats that a payment address must hold to sign in to the API.'),
  FEE_RATE_MIN_SAT_VB: optionalDecimal(
    0.1,
    1000,
    "Minimum fee rate of a settlement, in sat/vB. Default: the node's mempool minimum.",
  ),
  ANCHOR_POOL: integer(
    100,
    2,
    2000,
    'Free 330-sat anchors that the market keeps ready, two per listing. Also limits wallets below MIN_FUNDING_SATS.',
  ),
  BUMP_MAX_SATS: sats(
    50_000,
    'Maximum cost of raising the fee of one settlement, in sats; 0: never raise it.',
    0,
    100_000_000,
  ),
  STRANDING_ALLOWANCE_SATS: sats(
    500_000,
    'Maximum daily cost of failed trades and ended orders, in sats, beyond the fees of the wallets that caused it.',
  ),
  WALLET_ALLOWANCE_SATS: sats(
    100_000,
    'Part of STRANDING_ALLOWANCE_SATS that one wallet may use in a day, in sats.',
  ),
  BLOCKED_ADDRESSES: list<string>(
    'Comma-separated addresses that may not sign in. The open orders of their wallets end.',
    [],
  ),
  PINNED_ADDRESSES: list<string>(
    'Comma-separated addresses that may sign in only with the partner address of their first sign-in.',
    [],
  ),
}

export const marketConstants = {
  /** Interval of the jobs while neither orders nor blocks change. */
  quietJobsMilliseconds: 10_000,
  preflightTtlSeconds: 600,
  /** Maximum pending preflights per wallet. A new one deletes the oldest. A listing has one per item. */
  preflightsPerWallet: 200,
  /** Storefront writes per minute of a wallet below MIN_FUNDING_SATS, except cancellations. */
  unfundedWrites: 4,
  /** Delay before anchors of ended listings are spent. A longer delay puts more of them into one transaction. */
  anchorSpendDelaySeconds: 30,
  /** Maximum fee rate for spending anchors of ended listings. */
  anchorSpendMaxSatVb: 50,
  /** Blocks after which a settlement below the market fee rate is bumped. */
  bumpBlocks: 2,
  /** Minimum number of free tail coins. A purchase uses one. */
  tailPool: 20,
  /** Period whose trades determine the number of extra tail coins. */
  tailDemandSeconds: 6 * 3600,
  /** Size of a tail coin: the maximum fee it can pay. */
  tailSats: 20_000,
  /** Fee rate if the node has no estimate. */
  feeRateFallbackSatVb: 2,
}

/** `addressNetwork` is undefined if CHAIN is invalid. */
export function readMarketConfig(
  environment: Environment,
  problems: string[],
  {
    addressNetwork,
    feeRateMaxSatVb,
  }: { addressNetwork: AddressNetwork | undefined; feeRateMaxSatVb: number },
) {
  const read = readVariables(marketVariables, environment, problems)
  if (read.feeRateMinSatVb !== null && read.feeRateMinSatVb > feeRateMaxSatVb)
    problems.push('FEE_RATE_MIN_SAT_VB: expected at most FEE_RATE_MAX_SAT_VB')
  if (read.proposalFeeSats > 0 && read.proposalFeeSats < 330)
    problems.push('PROPOSAL_FEE_SATS: expected 0, or at least 330, the least that an output can hold')
  const { donationName, donationUrl, donationAddress, blockedAddresses, pinnedAddresses } = read
  const donation = [donationName, donationUrl, donationAddress].filter(Boolean)
  if (donation.length !== 0 && donation.length !== 3)
    problems.push('DONATION_NAME, DONATION_URL, DONATION_ADDRESS: expected all three, or none')
  if (addressNetwork)
    for (const [name, addresses] of [
      ['DONATION_ADDRESS', donationAddress ? [donationAddress] : []],
      ['BLOCKED_ADDRESSES', blockedAddresses],
      ['PINNED_ADDRESSES', pinnedAddresses],
    ] as const)
      for (const address of addresses)
        if (!isAddress(address, addressNetwork))
          problems.push(`${name}: found ${JSON.stringify(address)}, expected an address of ${addressNetwork}`)
  return {
    ...read,
    // Maximum market coins of one wallet below MIN_FUNDING_SATS, and of all such wallets.
    unfundedCoins: Math.max(2, Math.floor(read.anchorPool / 8)),
    unfundedCoinsTotal: read.anchorPool * 4,
  }
}

function isAddress(text: string, network: AddressNetwork): boolean {
  try {
    scriptOfAddress(text, network)
    return true
  } catch {
    return false
  }
}
