import type { Answer, OperationId } from '../operations.ts'

/** How a client treats a fact in the market's response. */
interface Belief {
  /** Printed in docs/reference/signing.md. */
  fact: string
  /**
   * `proven`: a false statement is rejected before signing. `shown`: the market decides within the limits of the agreement, and the user
   * sees the result. `refused`: no signature depends on it.
   */
  status: 'proven' | 'shown' | 'refused'
  /** The check, the page that shows the fact, or another source. */
  how: string
}

/** All facts of the market's responses on which a signature could depend. */
export const BELIEFS = {
  psbt: {
    fact: 'transactions, signed inputs and sighashes',
    status: 'proven',
    how: 'rebuilt from the agreement and compared byte by byte',
  },
  txid: {
    fact: 'transaction ids',
    status: 'proven',
    how: 'equal to the ids of the rebuilt transactions',
  },
  subject: {
    fact: 'the inscription, listing, escrow or offer',
    status: 'proven',
    how: 'named by the agreement',
  },
  price: {
    fact: 'price, payout, market fees, royalties',
    status: 'proven',
    how: 'add up to the agreed price, within `maxFeeBps` or `maxFeeSats`, and are the outputs',
  },
  rate: {
    fact: 'fee rates in basis points',
    status: 'refused',
    how: 'the amounts in sats are checked instead',
  },
  postage: {
    fact: "postage of the inscription's coin",
    status: 'proven',
    how: "equal to the agreement's coin",
  },
  network: {
    fact: 'fee rate and network fee',
    status: 'shown',
    how: 'chosen by the market, at most `maxNetworkSats`, stated to the sat',
  },
  figures: {
    fact: 'amounts that follow from the transaction',
    status: 'proven',
    how: 'equal to the rebuilt transaction',
  },
  coins: {
    fact: 'which offered coins pay',
    status: 'shown',
    how: 'coins of the agreement with their values, none twice; the review lists them',
  },
  contents: {
    fact: 'what else the coin contains',
    status: 'shown',
    how: '`alsoGoes` must name each other inscription; a market can hide one, so take coins from your own `ord`',
  },
  generation: {
    fact: 'generation of a leg',
    status: 'shown',
    how: 'above `lastGeneration` by at most 10,000, and equal to the sequence',
  },
  criteria: {
    fact: 'criteria of a collection or trait offer',
    status: 'proven',
    how: "recomputed from the agreement's target",
  },
  eligible: {
    fact: 'the eligible set',
    status: 'shown',
    how: 'recomputed from `eligibleIds` if given; otherwise chosen by the market, as the review states',
  },
  secret: {
    fact: 'hash of the secret of a bid',
    status: 'shown',
    how: 'chosen by the market; a wrong hash makes the bid worthless, and the buyer keeps the key path',
  },
  better: {
    fact: 'a better offer exists',
    status: 'shown',
    how: 'rejected unless `evenBelowTopOffer` names it; `leastSats` needs no trust',
  },
  handle: {
    fact: 'handles of the preflight',
    status: 'refused',
    how: 'returned unchanged; no signature depends on them',
  },
  note: {
    fact: 'names and notes',
    status: 'refused',
    how: 'shown as text, if at all',
  },
} as const satisfies Record<string, Belief>

type BeliefName = keyof typeof BELIEFS

/** Paths of the members of a response; `[]` for list elements. Steps, coins and other contents count as one member each. */
type MembersOf<T, Path extends string = ''> = T extends readonly (infer Each)[]
  ? MembersOf<Each, `${Path}[]`>
  : T extends
        | { psbtBase64: string }
        | { txid: string; vout: number; valueSats: number }
        | { kind: string; name: string }
    ? Path
    : T extends object
      ? {
          [Name in keyof T & string]-?: MembersOf<
            Exclude<T[Name], null | undefined>,
            Path extends '' ? Name : `${Path}.${Name}`
          >
        }[keyof T & string]
      : Path

/** Preflights whose response is signed. */
type Signed = Extract<OperationId, `preflight${string}`>

const SWAP = {
  expectedSettlementTxid: 'txid',
  'items[]': 'subject',
  marketplaceFeeSats: 'network',
  networkFeeSats: 'figures',
  targetFeeRateSatVb: 'network',
  acceptorNetSats: 'figures',
  proposerNetSats: 'figures',
  'steps[]': 'psbt',
  'carries[]': 'contents',
} as const

/** The fact behind every member of a preflight. A new member does not compile until it is listed here. */
export const MEMBERS: { [Id in Signed]: Record<MembersOf<Answer<Id>>, BeliefName> } = {
  preflightListing: {
    'listings[].inscriptionId': 'subject',
    'listings[].anchorUtxoId': 'handle',
    'listings[].generation': 'generation',
    'listings[].psbts[]': 'psbt',
    recoveryPsbt: 'psbt',
    'replaces[].inscriptionId': 'note',
    'replaces[].listingId': 'note',
    'carries[]': 'contents',
  },
  preflightPurchase: {
    'listings[].listingId': 'subject',
    'listings[].inscriptionId': 'subject',
    'listings[].priceSats': 'price',
    'listings[].inscriptionUtxoValueSats': 'postage',
    'listings[].listingFeeSats': 'price',
    'listings[].buyerFeeBps': 'rate',
    'listings[].buyerFeeSats': 'price',
    'listings[].sellerCreatorRoyaltySats': 'rate',
    'listings[].buyerCreatorRoyaltySats': 'price',
    'listings[].sellerReceiveSats': 'price',
    'listings[].buyerPayTotalSats': 'price',
    'listings[].marketplaceRevenueSats': 'price',
    'listings[].creatorRevenueSats': 'price',
    'selectedPaymentUtxos[]': 'coins',
    targetFeeRateSatVb: 'network',
    estimatedPackageVsize: 'network',
    estimatedNetworkFeeSats: 'figures',
    cpfpFeeSats: 'figures',
    listingTransferFeeSats: 'figures',
    totalBuyerCostSats: 'figures',
    'donationInitiative.name': 'note',
    'donationInitiative.url': 'note',
    donationSats: 'figures',
    purchaseAnchorUtxoId: 'handle',
    'steps[]': 'psbt',
    expectedSettlementTxid: 'txid',
    'expectedListingTransferTxids[]': 'txid',
    'carries[]': 'contents',
  },
  preflightCollectionOffer: {
    'selectedPaymentUtxos[]': 'coins',
    'items[].priceSats': 'price',
    'items[].inscriptionUtxoValueSats': 'postage',
    'items[].sellerMarketplaceFeeBps': 'rate',
    'items[].sellerMarketplaceFeeSats': 'price',
    'items[].buyerMarketplaceFeeBps': 'rate',
    'items[].buyerMarketplaceFeeSats': 'price',
    'items[].sellerCreatorRoyaltyBps': 'rate',
    'items[].sellerCreatorRoyaltySats': 'price',
    'items[].buyerCreatorRoyaltyBps': 'rate',
    'items[].buyerCreatorRoyaltySats': 'price',
    'items[].sellerReceiveSats': 'price',
    'items[].buyerPayTotalSats': 'price',
    'items[].marketplaceRevenueSats': 'price',
    'items[].creatorRevenueSats': 'price',
    'items[].inscriptionId': 'subject',
    'items[].targetFeeRateSatVb': 'network',
    'items[].estimatedNetworkFeeSats': 'figures',
    'items[].expectedSettlementTxid': 'txid',
    'items[].steps[]': 'psbt',
    'carries[]': 'contents',
  },
  preflightOfferAcceptance: {
    offerId: 'handle',
    targetFeeRateSatVb: 'network',
    estimatedNetworkFeeSats: 'network',
    expectedSettlementTxid: 'txid',
    expectedPayoutTxid: 'txid',
    'steps[]': 'psbt',
    'carries[]': 'contents',
  },
  preflightCounterOffer: {
    priceSats: 'price',
    inscriptionUtxoValueSats: 'postage',
    sellerMarketplaceFeeBps: 'rate',
    sellerMarketplaceFeeSats: 'price',
    buyerMarketplaceFeeBps: 'rate',
    buyerMarketplaceFeeSats: 'price',
    sellerCreatorRoyaltyBps: 'rate',
    sellerCreatorRoyaltySats: 'price',
    buyerCreatorRoyaltyBps: 'rate',
    buyerCreatorRoyaltySats: 'price',
    sellerReceiveSats: 'price',
    buyerPayTotalSats: 'price',
    marketplaceRevenueSats: 'price',
    creatorRevenueSats: 'price',
    anchorUtxoId: 'handle',
    generation: 'generation',
    targetFeeRateSatVb: 'network',
    estimatedNetworkFeeSats: 'network',
    expectedTransferTxid: 'txid',
    expectedSettlementTxid: 'txid',
    'steps[]': 'psbt',
    'carries[]': 'contents',
  },
  preflightCounterOfferAcceptance: {
    offerId: 'handle',
    'selectedPaymentUtxos[]': 'coins',
    targetFeeRateSatVb: 'network',
    estimatedNetworkFeeSats: 'figures',
    expectedFundingTxid: 'txid',
    expectedSettlementTxid: 'txid',
    'steps[]': 'psbt',
    'carries[]': 'contents',
  },
  preflightCollectionWideOffer: {
    criteriaCanonicalJson: 'criteria',
    offerCriteriaHash: 'criteria',
    eligibleRoot: 'eligible',
    eligibleCount: 'eligible',
    buyerReceiveScriptHex: 'psbt',
    'offers[].priceSats': 'price',
    'offers[].offerAddress': 'psbt',
    'offers[].offerScriptHex': 'psbt',
    'offers[].offerAuthSecretHash': 'secret',
    'offers[].selectedPaymentUtxos[]': 'coins',
    'offers[].fundingParentFeeRateSatVb': 'note',
    'offers[].fundingBroadcasted': 'note',
    'offers[].expectedFundingParentTxid': 'txid',
    'offers[].fundingParentVout': 'txid',
    'offers[].preflightToken': 'handle',
    'offers[].fundingParentStep': 'psbt',
    'offers[].sharesCoinsWith[]': 'note',
  },
  preflightCollectionOfferFill: {
    offerId: 'handle',
    inscriptionId: 'subject',
    sellerReceiveSats: 'price',
    inscriptionUtxoValueSats: 'postage',
    marketplaceFeeSats: 'price',
    creatorRoyaltySats: 'price',
    targetFeeRateSatVb: 'note',
    estimatedNetworkFeeSats: 'network',
    'belowTopOfferWarning.selectedOffer.offerId': 'better',
    'belowTopOfferWarning.selectedOffer.priceSats': 'better',
    'belowTopOfferWarning.topOffer.offerId': 'better',
    'belowTopOfferWarning.topOffer.priceSats': 'better',
    expectedSettlementTxid: 'txid',
    admissionAnchorUtxoId: 'handle',
    sellerStep: 'psbt',
    'carries[]': 'contents',
  },
  preflightRelist: {
    relistId: 'handle',
    'items[].txid': 'subject',
    'items[].vout': 'subject',
    'items[].inscriptionId': 'subject',
    'items[].escrowForm': 'subject',
    'items[].generation': 'generation',
    'steps[]': 'psbt',
  },
  preflightMove: {
    moveId: 'handle',
    expectedTxid: 'txid',
    feeRateSatVb: 'network',
    costSats: 'figures',
    'selectedPaymentUtxos[]': 'coins',
    'steps[]': 'psbt',
  },
  preflightReclaim: {
    reclaimId: 'handle',
    expectedTxid: 'txid',
    feeSats: 'figures',
    'steps[]': 'psbt',
  },
  preflightAcceptance: { ...SWAP, 'selectedPaymentUtxos[]': 'coins' },
  preflightSettlement: SWAP,
}
