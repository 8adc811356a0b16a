// Generated from the schemas of the contract. To update: npm run generate -- checks
import { type Check, any, array, boolean, closed, distinct, integer, nothing, number, object, oneOf, text } from './check.ts'
import { dateTime, uri, uuid } from './formats.ts'

const Text: Check = (v) => text(v, 1)
const Text2: Check = (v) => text(v, 1, 120)
const Role: Check = (v) => oneOf(v, 'ordinals', 'payment')
const Challenge: Check = (v) => object(v, { challengeId: uuid, message: Text, address: Text2, role: Role })
const Challenges: Check = (v) => array(v, Challenge, 1)
const AuthChallengeResponse: Check = (v) => object(v, { authRequestId: uuid, challenges: Challenges })
const NullableText: Check = (v) => any(v, text, nothing)
const Profile: Check = (v) => object(v, { id: Text, username: NullableText, bio: NullableText, avatarUrl: NullableText, bannerUrl: NullableText })
const WalletBinding: Check = (v) => object(v, { walletBindingId: uuid, label: Text, provider: Text, ordinalsAddress: Text2, paymentAddress: Text2, isPublic: boolean })
const WalletBindings: Check = (v) => array(v, WalletBinding)
const AuthVerifyResponse: Check = (v) => object(v, { profile: Profile, walletBindings: WalletBindings, sessionToken: Text, expiresAt: dateTime })
const MeResponse: Check = (v) => object(v, { profile: Profile, walletBindings: WalletBindings })
const Text3: Check = (v) => text(v, 0, 200, /^[a-z0-9_-]+$/u)
const Integer: Check = (v) => integer(v, 0, 2100000000000000)
const NullableInteger: Check = (v) => any(v, Integer, nothing)
const Integer2: Check = (v) => integer(v, 0)
const NullableNumeric: Check = (v) => any(v, number, nothing)
const FloorStat: Check = (v) => object(v, { slug: Text3, floor: NullableInteger, listedCount: Integer2, ownerCount: Integer2, oneDayChange: NullableNumeric, sevenDayChange: NullableNumeric, timestamp: dateTime })
const CollectionFloorStatsResponse: Check = (v) => object(v, { success: boolean, data: (v) => array(v, FloorStat) })
const Text4: Check = (v) => text(v, 0, 75, /^[a-f0-9]{64}i[0-9]+$/u)
const NullableText2: Check = (v) => any(v, Text, nothing)
const Collections: Check = (v) => array(v, Text3)
const NullableUuid: Check = (v) => any(v, uuid, nothing)
const Choice: Check = (v) => oneOf(v, 'buyable', 'hidden_locked', 'pending_public')
const NullableChoice: Check = (v) => any(v, Choice, nothing)
const Integer3: Check = (v) => integer(v, 1, 2100000000000000)
const NullableInteger2: Check = (v) => any(v, Integer3, nothing)
const Numeric: Check = (v) => number(v, 0)
const NullableNumeric2: Check = (v) => any(v, Numeric, nothing)
const NullableTime: Check = (v) => any(v, dateTime, nothing)
const NullableText3: Check = (v) => any(v, Text2, nothing)
const ContentType: Check = (v) => oneOf(v, 'image', 'html', 'video', 'text')
const ImageRenderingHint: Check = (v) => oneOf(v, 'auto', 'pixelated')
const NullableImageRenderingHint: Check = (v) => any(v, ImageRenderingHint, nothing)
const CardBackgroundColor: Check = (v) => text(v, 0, Infinity, /^#[0-9A-Fa-f]{6}$/u)
const NullableCardBackgroundColor: Check = (v) => any(v, CardBackgroundColor, nothing)
const Trait: Check = (v) => object(v, { type: Text, value: Text, count: Integer2, percentage: Numeric }, ['count', 'percentage'])
const Traits: Check = (v) => array(v, Trait)
const Satributes: Check = (v) => array(v, Text)
const NullableInteger3: Check = (v) => any(v, Integer2, nothing)
const CollectionInscriptionItem: Check = (v) => object(v, { id: Text4, name: Text, collection: Text3, collectionHref: NullableText2, collections: Collections, image: Text, inscription: integer, inscriptionId: Text4, listingId: NullableUuid, listingState: NullableChoice, priceSats: NullableInteger2, price: NullableNumeric2, listedAt: NullableTime, listingExpiresAt: NullableTime, lastSale: NullableNumeric2, owner: NullableText3, contentType: ContentType, rawContentType: NullableText2, imageRenderingHint: NullableImageRenderingHint, cardBackgroundColor: NullableCardBackgroundColor, isDmtMint: boolean, traits: Traits, satributes: Satributes, sat: NullableInteger3, locationTxid: NullableText, locationVout: NullableInteger3, locationSatpoint: NullableText }, ['isDmtMint'])
const NextCursor: Check = (v) => text(v, 1, 2000)
const NullableNextCursor: Check = (v) => any(v, NextCursor, nothing)
const Pagination: Check = (v) => object(v, { pageSize: Integer2, hasNext: boolean, nextCursor: NullableNextCursor })
const CollectionInscriptionsResponse: Check = (v) => object(v, { items: (v) => array(v, CollectionInscriptionItem), pagination: Pagination })
const Kind: Check = (v) => oneOf(v, 'parent_child', 'gallery')
const NullableKind: Check = (v) => any(v, Kind, nothing)
const VerificationStatus: Check = (v) => oneOf(v, 'verified', 'unverified')
const NullableVerificationStatus: Check = (v) => any(v, VerificationStatus, nothing)
const ListingCollection: Check = (v) => object(v, { slug: NullableText2, name: NullableText2, kind: NullableKind, verificationStatus: NullableVerificationStatus })
const Listing: Check = (v) => object(v, { listingId: uuid, inscriptionId: Text4, inscriptionNumber: Text, inscriptionName: Text, collection: ListingCollection, sellerAddress: Text2, priceSats: Integer3, listedAt: dateTime, listingExpiresAt: NullableTime, sat: NullableInteger3, locationTxid: NullableText, locationVout: NullableInteger3, locationSatpoint: NullableText, locationValueSats: Integer3 }, ['locationValueSats'])
const ListingsResponse: Check = (v) => object(v, { listings: (v) => array(v, Listing), pagination: Pagination })
const PublicKey: Check = (v) => text(v, 0, Infinity, /^([a-f0-9]{64}|0[23][a-f0-9]{64})$/u)
const SigningIndexes: Check = (v) => array(v, Integer2, 1, 1000)
const SigHash: Check = (v) => integer(v, 0, 255)
const InputToSign: Check = (v) => object(v, { address: Text2, signerAddress: Text2, publicKey: PublicKey, disableTweakSigner: boolean, signingIndexes: SigningIndexes, sigHash: SigHash }, ['signerAddress', 'publicKey', 'disableTweakSigner', 'sigHash'])
const InputsToSign: Check = (v) => array(v, InputToSign, 1, 100)
const PsbtBase64: Check = (v) => text(v, 1, Infinity, /^[A-Za-z0-9+/]+={0,2}$/u)
const ListingPsbtStep: Check = (v) => object(v, { stepIndex: Integer2, inscriptionId: Text4, signerAddress: Text2, inputsToSign: InputsToSign, psbtBase64: PsbtBase64 })
const ListingPreflightEntry: Check = (v) => object(v, { inscriptionId: Text4, anchorUtxoId: uuid, generation: Integer2, psbts: (v) => array(v, ListingPsbtStep, 2, 2) }, ['generation'])
const RecoveryPsbt: Check = (v) => object(v, { signerAddress: Text2, inputsToSign: InputsToSign, psbtBase64: PsbtBase64 })
const ListedItem: Check = (v) => object(v, { inscriptionId: Text4, listingId: uuid })
const Kind2: Check = (v) => oneOf(v, 'rune', 'inscription', 'rare-sat', 'unproven')
const Carried: Check = (v) => object(v, { inscriptionId: Text4, kind: Kind2, name: Text, amount: Text }, ['amount'])
const Carries: Check = (v) => array(v, Carried)
const ListingPreflightResponse: Check = (v) => object(v, { listings: (v) => array(v, ListingPreflightEntry, 1, 20), recoveryPsbt: RecoveryPsbt, replaces: (v) => array(v, ListedItem), carries: Carries }, ['replaces', 'carries'])
const Listings: Check = (v) => array(v, ListedItem, 1, 20)
const ListingSubmitResponse: Check = (v) => object(v, { listings: Listings })
const Integer4: Check = (v) => integer(v, 0, 10000)
const PurchaseEconomicsItem: Check = (v) => object(v, { listingId: uuid, inscriptionId: Text4, priceSats: Integer3, inscriptionUtxoValueSats: Integer3, listingFeeSats: Integer, buyerFeeBps: Integer4, buyerFeeSats: Integer, sellerCreatorRoyaltySats: Integer, buyerCreatorRoyaltySats: Integer, sellerReceiveSats: Integer, buyerPayTotalSats: Integer3, marketplaceRevenueSats: Integer, creatorRevenueSats: Integer })
const Text5: Check = (v) => text(v, 0, Infinity, /^[a-f0-9]{64}$/u)
const Integer5: Check = (v) => integer(v, 0, 4294967295)
const SpendableUtxo: Check = (v) => object(v, { txid: Text5, vout: Integer5, valueSats: Integer3 })
const SelectedPaymentUtxos: Check = (v) => array(v, SpendableUtxo, 1, 1000)
const Numeric2: Check = (v) => number(v, -Infinity, Infinity, 0)
const Integer6: Check = (v) => integer(v, 1)
const DonationInitiative: Check = (v) => object(v, { name: Text, url: uri })
const PsbtStep: Check = (v) => object(v, { stepIndex: Integer2, signerAddress: Text2, inputsToSign: InputsToSign, psbtBase64: PsbtBase64 })
const Steps: Check = (v) => array(v, PsbtStep, 1, 1)
const List: Check = (v) => array(v, Text5, 1, 20)
const PurchasePreflightResponse: Check = (v) => object(v, { listings: (v) => array(v, PurchaseEconomicsItem, 1, 20), selectedPaymentUtxos: SelectedPaymentUtxos, targetFeeRateSatVb: Numeric2, estimatedPackageVsize: Integer6, estimatedNetworkFeeSats: Integer, cpfpFeeSats: Integer, listingTransferFeeSats: Integer, totalBuyerCostSats: Integer3, donationInitiative: (v) => any(v, DonationInitiative, nothing), donationSats: Integer, purchaseAnchorUtxoId: uuid, steps: Steps, expectedSettlementTxid: Text5, expectedListingTransferTxids: List, carries: Carries }, ['carries'])
const PurchaseListing: Check = (v) => object(v, { listingId: uuid, inscriptionId: Text4 })
const PurchaseSubmitResponse: Check = (v) => object(v, { settlementTxid: Text5, listingTransferTxids: List, pendingSaleIds: (v) => array(v, uuid, 1, 20), listings: (v) => array(v, PurchaseListing, 1, 20) })
const NullableText4: Check = (v) => any(v, Text5, nothing)
const Sale: Check = (v) => object(v, { saleId: Text, saleType: (v) => oneOf(v, 'internal', 'external'), txid: NullableText4, inscriptionId: Text4, inscriptionNumber: Text, inscriptionName: Text, collection: ListingCollection, sellerAddress: NullableText3, buyerAddress: NullableText3, priceSats: Integer, price: Numeric, priceUsd: NullableNumeric2, soldAt: dateTime, blockHeight: Integer2 })
const SalesResponse: Check = (v) => object(v, { sales: (v) => array(v, Sale), pagination: Pagination })
const CollectionSummary: Check = (v) => closed(v, { id: uuid, slug: Text, name: Text, cardBackgroundColor: NullableCardBackgroundColor, previewInscriptionId: Text4, previewContentType: Text, imageRenderingHint: NullableImageRenderingHint }, ['previewInscriptionId', 'previewContentType', 'imageRenderingHint'])
const NullableCollectionSummary: Check = (v) => any(v, CollectionSummary, nothing)
const OfferedItem: Check = (v) => closed(v, { inscriptionId: Text4, inscriptionSequenceNumber: text, inscriptionUtxoValueSats: Integer3, inscriptionTitle: Text, rawContentType: Text, imageRenderingHint: NullableImageRenderingHint, collection: NullableCollectionSummary }, ['inscriptionTitle', 'rawContentType', 'imageRenderingHint'])
const OfferedItems: Check = (v) => array(v, OfferedItem, 0, 50)
const Quantity: Check = (v) => integer(v, 1, 50)
const Kind3: Check = (v) => oneOf(v, 'all')
const WantedAll: Check = (v) => closed(v, { kind: Kind3 })
const Kind4: Check = (v) => oneOf(v, 'traits')
const Text6: Check = (v) => text(v, 1, 520, /^[^\x00]*$/u)
const Values: Check = (v) => array(v, Text6, 1, 16)
const WantedTraitGroup: Check = (v) => closed(v, { type: Text6, values: Values })
const Traits2: Check = (v) => array(v, WantedTraitGroup, 1, 8)
const WantedTraits: Check = (v) => closed(v, { kind: Kind4, traits: Traits2 })
const Kind5: Check = (v) => oneOf(v, 'inscriptions')
const InscriptionIds: Check = (v) => distinct(v, Text4, 1, 50)
const WantedInscriptions: Check = (v) => closed(v, { kind: Kind5, inscriptionIds: InscriptionIds })
const WantedTarget: Check = (v) => any(v, WantedAll, WantedTraits, WantedInscriptions)
const SpecificItems: Check = (v) => closed(v, { inscriptionId: Text4, inscriptionNumber: integer, inscriptionTitle: Text, rawContentType: Text, imageRenderingHint: NullableImageRenderingHint }, ['inscriptionTitle', 'rawContentType', 'imageRenderingHint'])
const SpecificItems2: Check = (v) => array(v, SpecificItems, 0, 50)
const WantedLeg: Check = (v) => closed(v, { id: uuid, collection: CollectionSummary, quantity: Quantity, target: WantedTarget, specificItems: SpecificItems2, estimatedUnitValueSats: NullableInteger })
const WantedLegs: Check = (v) => array(v, WantedLeg, 0, 50)
const Visibility: Check = (v) => oneOf(v, 'public')
const Status: Check = (v) => oneOf(v, 'active', 'expired')
const Proposal: Check = (v) => closed(v, { id: uuid, creatorAddress: Text2, offeredBtcSats: Integer, requestedBtcSats: Integer, estimatedOfferedValueSats: Integer, estimatedRequestedValueSats: Integer, marketplaceFeeSats: Integer, offeredItems: OfferedItems, wantedLegs: WantedLegs, createdAt: dateTime, expiresAt: dateTime, visibility: Visibility, status: Status })
const Proposals: Check = (v) => array(v, Proposal)
const RequestedPage: Check = (v) => object(v, { pageSize: Integer6, hasNext: boolean, nextCursor: NullableNextCursor })
const TradeListResponse: Check = (v) => closed(v, { proposals: Proposals, filterCollection: NullableCollectionSummary, pagination: RequestedPage })
const Kind6: Check = (v) => oneOf(v, 'buyer_offer', 'seller_counter')
const Status2: Check = (v) => oneOf(v, 'active', 'accepted', 'rejected', 'cancelled', 'expired', 'invalidated')
const Side: Check = (v) => oneOf(v, 'received', 'sent')
const ActionKind: Check = (v) => oneOf(v, 'seller_received_buyer_offer', 'buyer_received_counter')
const NullableActionKind: Check = (v) => any(v, ActionKind, nothing)
const ProfileOfferRow: Check = (v) => object(v, { priceSats: Integer3, inscriptionUtxoValueSats: Integer3, sellerMarketplaceFeeBps: Integer4, sellerMarketplaceFeeSats: Integer, buyerMarketplaceFeeBps: Integer4, buyerMarketplaceFeeSats: Integer, sellerCreatorRoyaltyBps: Integer4, sellerCreatorRoyaltySats: Integer, buyerCreatorRoyaltyBps: Integer4, buyerCreatorRoyaltySats: Integer, sellerReceiveSats: Integer, buyerPayTotalSats: Integer3, marketplaceRevenueSats: Integer, creatorRevenueSats: Integer, executable: boolean, id: uuid, kind: Kind6, status: Status2, side: Side, actionKind: NullableActionKind, actionBindingId: NullableUuid, inscriptionId: Text4, inscriptionNumber: text, contentType: NullableText, inscriptionTitle: NullableText, collectionName: NullableText2, collectionSlug: NullableText2, collectionVerified: boolean, buyerAddress: Text2, sellerAddress: Text2, floorSats: NullableInteger, topOfferSats: NullableInteger, createdAt: dateTime, expiresAt: dateTime })
const List2: Check = (v) => array(v, ProfileOfferRow)
const OwnedGroup: Check = (v) => object(v, { inscriptionId: Text4, inscriptionNumber: text, contentType: NullableText, inscriptionTitle: NullableText, collectionName: NullableText2, collectionSlug: NullableText2, collectionVerified: boolean, ownerAddress: Text2, actionBindingId: NullableUuid, topOfferSats: NullableInteger, activeOfferCount: Integer2, activeCounterCount: Integer2, earliestExpiresAt: NullableTime, offers: List2, sentCounters: List2 })
const OwnedOffersResponse: Check = (v) => object(v, { view: (v) => oneOf(v, 'owned'), actionableCount: Integer2, ownedCount: Integer2, sentCount: Integer2, hasMore: boolean, nextCursor: NullableNextCursor, groups: (v) => array(v, OwnedGroup) })
const SentOffersResponse: Check = (v) => object(v, { view: (v) => oneOf(v, 'sent'), actionableCount: Integer2, ownedCount: Integer2, sentCount: Integer2, hasMore: boolean, nextCursor: NullableNextCursor, rows: List2 })
const Text7: Check = (v) => text(v, 64, 64)
const NullableText5: Check = (v) => any(v, Text7, nothing)
const HistoryEvent: Check = (v) => object(v, { eventKey: text, eventType: (v) => oneOf(v, 'created', 'accepted', 'rejected', 'cancelled', 'expired', 'invalidated'), role: (v) => oneOf(v, 'buyer', 'seller'), offerId: uuid, parentOfferId: NullableUuid, kind: Kind6, status: Status2, side: Side, inscriptionId: Text4, inscriptionNumber: text, inscriptionTitle: NullableText, buyerAddress: Text2, sellerAddress: Text2, priceSats: Integer3, occurredAt: dateTime, createdAt: dateTime, expiresAt: dateTime, settlementTxid: NullableText5, payoutTxid: NullableText5 })
const OfferEventsResponse: Check = (v) => object(v, { view: (v) => oneOf(v, 'history'), actionableCount: Integer2, ownedCount: Integer2, sentCount: Integer2, hasMore: boolean, nextCursor: NullableNextCursor, events: (v) => array(v, HistoryEvent) })
const ProfileOffersResponse: Check = (v) => any(v, OwnedOffersResponse, SentOffersResponse, OfferEventsResponse)
const OfferRow: Check = (v) => object(v, { priceSats: Integer3, inscriptionUtxoValueSats: Integer3, sellerMarketplaceFeeBps: Integer4, sellerMarketplaceFeeSats: Integer, buyerMarketplaceFeeBps: Integer4, buyerMarketplaceFeeSats: Integer, sellerCreatorRoyaltyBps: Integer4, sellerCreatorRoyaltySats: Integer, buyerCreatorRoyaltyBps: Integer4, buyerCreatorRoyaltySats: Integer, sellerReceiveSats: Integer, buyerPayTotalSats: Integer3, marketplaceRevenueSats: Integer, creatorRevenueSats: Integer, executable: boolean, id: uuid, parentOfferId: NullableUuid, kind: Kind6, status: Status2, inscriptionId: Text4, buyerAddress: Text2, sellerAddress: Text2, createdAt: dateTime, expiresAt: dateTime, acceptedAt: NullableTime, rejectedAt: NullableTime, cancelledAt: NullableTime, floorSats: NullableInteger, topOfferSats: NullableInteger, settlementTxid: NullableText4 })
const OfferListResponse: Check = (v) => object(v, { inscriptionId: Text4, ownerAddress: Text2, topOfferSats: NullableInteger, liveOfferCount: Integer2, expiringSoonCount: Integer2, offers: (v) => array(v, OfferRow) })
const OfferHistoryResponse: Check = (v) => object(v, { inscriptionId: Text4, offers: (v) => array(v, OfferRow, 0, 25), hasMore: boolean, page: Integer2 })
const CollectionOfferPreflightItem: Check = (v) => object(v, { priceSats: Integer3, inscriptionUtxoValueSats: Integer3, sellerMarketplaceFeeBps: Integer4, sellerMarketplaceFeeSats: Integer, buyerMarketplaceFeeBps: Integer4, buyerMarketplaceFeeSats: Integer, sellerCreatorRoyaltyBps: Integer4, sellerCreatorRoyaltySats: Integer, buyerCreatorRoyaltyBps: Integer4, buyerCreatorRoyaltySats: Integer, sellerReceiveSats: Integer, buyerPayTotalSats: Integer3, marketplaceRevenueSats: Integer, creatorRevenueSats: Integer, inscriptionId: Text4, targetFeeRateSatVb: Numeric2, estimatedNetworkFeeSats: Integer, expectedSettlementTxid: Text5, steps: Steps })
const CollectionOfferPreflightResponse: Check = (v) => object(v, { selectedPaymentUtxos: SelectedPaymentUtxos, items: (v) => array(v, CollectionOfferPreflightItem, 1, 20), carries: Carries }, ['carries'])
const Status3: Check = (v) => oneOf(v, 'active')
const SubmittedOffer: Check = (v) => object(v, { inscriptionId: Text4, offerId: uuid, status: Status3 })
const CollectionOfferSubmitResponse: Check = (v) => object(v, { items: (v) => array(v, SubmittedOffer, 1, 20), status: Status3 })
const OfferActionResponse: Check = (v) => object(v, { offerId: uuid, status: Status2 })
const BidsDeclined: Check = (v) => object(v, { inscriptionId: Text4, declined: boolean })
const OfferAcceptPreflightResponse: Check = (v) => object(v, { offerId: uuid, targetFeeRateSatVb: (v) => number(v, 1, 20), estimatedNetworkFeeSats: Integer, expectedSettlementTxid: Text5, expectedPayoutTxid: NullableText4, steps: (v) => array(v, PsbtStep, 1, 2), carries: Carries }, ['carries'])
const Status4: Check = (v) => oneOf(v, 'accepted')
const OfferAcceptSubmitResponse: Check = (v) => object(v, { offerId: uuid, settlementTxid: Text5, payoutTxid: NullableText4, status: Status4 })
const CounterPreflightResponse: Check = (v) => object(v, { priceSats: Integer3, inscriptionUtxoValueSats: Integer3, sellerMarketplaceFeeBps: Integer4, sellerMarketplaceFeeSats: Integer, buyerMarketplaceFeeBps: Integer4, buyerMarketplaceFeeSats: Integer, sellerCreatorRoyaltyBps: Integer4, sellerCreatorRoyaltySats: Integer, buyerCreatorRoyaltyBps: Integer4, buyerCreatorRoyaltySats: Integer, sellerReceiveSats: Integer, buyerPayTotalSats: Integer3, marketplaceRevenueSats: Integer, creatorRevenueSats: Integer, anchorUtxoId: uuid, generation: Integer2, targetFeeRateSatVb: Numeric2, estimatedNetworkFeeSats: Integer, expectedTransferTxid: Text5, expectedSettlementTxid: Text5, steps: (v) => array(v, PsbtStep, 3, 3), carries: Carries }, ['generation', 'carries'])
const CounterSubmitResponse: Check = (v) => object(v, { offerId: uuid, parentOfferId: uuid, status: Status3 })
const CounterAcceptPreflightResponse: Check = (v) => object(v, { offerId: uuid, selectedPaymentUtxos: SelectedPaymentUtxos, targetFeeRateSatVb: Numeric2, estimatedNetworkFeeSats: Integer, expectedFundingTxid: Text5, expectedSettlementTxid: Text5, steps: (v) => array(v, PsbtStep, 2, 2), carries: Carries }, ['carries'])
const AllTarget: Check = (v) => object(v, { kind: Kind3 })
const TraitGroup: Check = (v) => object(v, { type: Text6, values: Values })
const Traits3: Check = (v) => array(v, TraitGroup, 1, 8)
const TraitsTarget: Check = (v) => object(v, { kind: Kind4, traits: Traits3 })
const CollectionOfferTarget: Check = (v) => any(v, AllTarget, TraitsTarget)
const SampleInscription: Check = (v) => object(v, { inscriptionId: Text4, image: NullableText2, previewContentType: NullableText, imageRenderingHint: NullableText }, ['imageRenderingHint'])
const NullableSampleInscription: Check = (v) => any(v, SampleInscription, nothing)
const CollectionOfferBookRow: Check = (v) => object(v, { id: uuid, target: CollectionOfferTarget, scopeLabel: Text, priceSats: Integer3, eligibleCount: Integer6, makerAddress: Text2, expiresAt: dateTime, createdAt: dateTime, totalSats: Integer3, status: Status3, executable: boolean, actionBindingId: NullableUuid, sampleInscription: NullableSampleInscription }, ['actionBindingId', 'sampleInscription'])
const Rows: Check = (v) => array(v, CollectionOfferBookRow)
const CollectionWideOfferBookResponse: Check = (v) => object(v, { rows: Rows, totalCount: Integer2, collectionOfferCount: Integer2, traitOfferCount: Integer2 })
const CollectionWideOfferTargetPreviewResponse: Check = (v) => object(v, { target: CollectionOfferTarget, eligibleCount: Integer2, floorSats: NullableInteger2, collectionFloorSats: NullableInteger2, sampleInscription: NullableSampleInscription }, ['sampleInscription'])
const ReplacementWarning: Check = (v) => object(v, { activeOfferCount: Integer6 })
const CollectionWideOfferReplacementWarningResponse: Check = (v) => object(v, { replacementWarning: (v) => any(v, ReplacementWarning, nothing) })
const Text8: Check = (v) => text(v, 0, Infinity, /^[a-f0-9]+$/u)
const FundingParentFeeRateSatVb: Check = (v) => integer(v, 0, 0)
const SharesCoinsWith: Check = (v) => integer(v, 0, 9)
const SharesCoinsWith2: Check = (v) => array(v, SharesCoinsWith, 0, 9)
const FundingEntry: Check = (v) => object(v, { priceSats: Integer3, offerAddress: Text2, offerScriptHex: Text8, offerAuthSecretHash: Text5, selectedPaymentUtxos: (v) => array(v, SpendableUtxo, 1, 50), fundingParentFeeRateSatVb: FundingParentFeeRateSatVb, fundingBroadcasted: boolean, expectedFundingParentTxid: Text5, fundingParentVout: Integer5, preflightToken: (v) => text(v, 1, 200, /^[A-Za-z0-9_-]+$/u), fundingParentStep: PsbtStep, sharesCoinsWith: SharesCoinsWith2 })
const CollectionWideOfferPreflightResponse: Check = (v) => object(v, { criteriaCanonicalJson: Text, offerCriteriaHash: Text5, eligibleRoot: Text5, eligibleCount: Integer6, buyerReceiveScriptHex: Text8, offers: (v) => array(v, FundingEntry, 1, 10) })
const SubmittedCollectionOffer: Check = (v) => object(v, { offerId: uuid, status: Status3, priceSats: Integer3, fundingParentTxid: Text5, fundingParentVout: Integer5, fundingParentFeeRateSatVb: FundingParentFeeRateSatVb, fundingBroadcasted: boolean, sharesCoinsWith: SharesCoinsWith2 })
const CollectionWideOfferSubmitResponse: Check = (v) => object(v, { status: Status3, offers: (v) => array(v, SubmittedCollectionOffer, 1, 10) })
const CollectionWideOfferCancelResponse: Check = (v) => object(v, { offerId: uuid, status: (v) => oneOf(v, 'cancelled') })
const OfferPrice: Check = (v) => object(v, { offerId: uuid, priceSats: Integer3 })
const BelowTopOffer: Check = (v) => object(v, { selectedOffer: OfferPrice, topOffer: OfferPrice })
const CollectionWideOfferFillPreflightResponse: Check = (v) => object(v, { offerId: uuid, inscriptionId: Text4, sellerReceiveSats: Integer, inscriptionUtxoValueSats: Integer3, marketplaceFeeSats: Integer, creatorRoyaltySats: Integer, targetFeeRateSatVb: (v) => number(v, 1), estimatedNetworkFeeSats: Integer, belowTopOfferWarning: (v) => any(v, BelowTopOffer, nothing), expectedSettlementTxid: Text5, admissionAnchorUtxoId: uuid, sellerStep: PsbtStep, carries: Carries }, ['carries'])
const CollectionWideOfferFillSubmitResponse: Check = (v) => object(v, { offerId: uuid, fillAttemptId: uuid, status: (v) => oneOf(v, 'broadcast', 'accepted'), settlementTxid: Text5 })
const OrderEvent: Check = (v) => object(v, { at: dateTime, from: NullableText2, to: Text, reason: Text, guarantee: (v) => any(v, (v) => oneOf(v, 'refused', 'anchor-spent', 'impossible'), nothing), blockHeight: NullableInteger3 })
const OrderResponse: Check = (v) => object(v, { listingId: uuid, inscriptionId: Text4, priceSats: Integer3, state: Text, transferTxid: Text5, events: (v) => array(v, OrderEvent) })
const Text9: Check = (v) => text(v, 0, Infinity, /^([0-9a-f]{2})+$/u)
const ReceiptItem: Check = (v) => object(v, { listingId: uuid, inscriptionId: Text4, satOffset: Integer, priceSats: Integer3, sellerReceiveSats: Integer, buyerPayTotalSats: Integer3, marketplaceRevenueSats: Integer, creatorRevenueSats: Integer, buyerFeeBps: Integer4 })
const Text10: Check = (v) => text(v, 0, Infinity, /^[0-9a-f]{64}:[0-9]+$/u)
const EscrowForm: Check = (v) => oneOf(v, 'published', 'wallet')
const SettlementFacts: Check = (v) => object(v, { settlementTxid: Text5, marketKey: Text9, items: (v) => array(v, (v) => object(v, { inscriptionCoin: Text10, sellerScript: Text9, escrow: Text10, escrowForm: EscrowForm, generation: Integer2, postageSats: Integer3, payoutScript: Text9, payoutSats: Integer3, landing: Text, ownerScript: Text9 })), payments: (v) => array(v, (v) => object(v, { outpoint: Text10, valueSats: Integer3 })), paymentScript: Text9, changeSats: Integer, costSats: Integer3, marketScript: Text9, marketRevenueSats: Integer, otherOutputs: (v) => array(v, (v) => object(v, { script: Text9, valueSats: Integer3 })), settlementFeeSats: Integer, transferFeeSats: Integer })
const ReceiptResponse: Check = (v) => object(v, { state: (v) => oneOf(v, 'broadcast', 'confirmed'), blockHeight: NullableInteger3, transactions: (v) => array(v, (v) => object(v, { txid: Text5, hex: Text9 })), terms: (v) => object(v, { items: (v) => array(v, ReceiptItem), feeRateSatVb: Numeric2, donationSats: Integer, totalBuyerCostSats: Integer3 }), facts: SettlementFacts })
const EligibilityResponse: Check = (v) => object(v, { settlementTxid: Text5, fundingParentTxid: Text5, priceSats: Integer3, criteriaCanonicalJson: Text, offerCriteriaHash: Text5, eligibleRoot: Text5, inscriptionId: Text4, inscriptionCoin: Text10, satOffset: Integer, buyerReceiveScriptHex: Text9, proof: (v) => array(v, (v) => object(v, { side: (v) => oneOf(v, 'left', 'right'), hash: Text5 })) })
const MarketKeysResponse: Check = (v) => object(v, { cosignKey: Text5, guardianKey: Text5, marketAddress: Text2 })
const Choice2: Check = (v) => oneOf(v, 'ok', 'unavailable')
const IndexFault: Check = (v) => object(v, { height: Integer2, blockHash: Text, txid: NullableText2, reason: Text, since: dateTime })
const Maintenance: Check = (v) => object(v, { notice: NullableText2, since: dateTime })
const Percent: Check = (v) => number(v, 0, 100)
const UtxoStatus: Check = (v) => object(v, { state: (v) => oneOf(v, 'loading', 'ready', 'failed'), height: NullableInteger3, phase: (v) => any(v, (v) => oneOf(v, 'waiting', 'reading', 'indexing'), nothing), coinsRead: NullableInteger3, coinsTotal: NullableInteger3, percent: (v) => any(v, Percent, nothing), secondsLeft: NullableInteger3, reason: NullableText2 })
const SyncStatus: Check = (v) => object(v, { percent: Percent, transactionsPerSecond: NullableNumeric2, secondsLeft: NullableInteger3 })
const StatusResponse: Check = (v) => object(v, { trading: (v) => oneOf(v, 'open', 'paused'), reason: NullableText2, notTraded: (v) => array(v, (v) => object(v, { trade: (v) => oneOf(v, 'listings', 'counters', 'collection-offers'), reason: Text })), shortages: (v) => any(v, (v) => array(v, (v) => object(v, { resource: (v) => oneOf(v, 'anchors', 'fee-coins', 'funds', 'new-wallet-allowance', 'allowance', 'ended-allowance'), reason: Text })), nothing), chain: Text, indexHeight: NullableInteger3, nodeHeight: NullableInteger3, lagBlocks: NullableInteger3, mempoolAgeSeconds: NullableNumeric2, mempoolTransactions: NullableInteger3, feeRateSatVb: (v) => any(v, Numeric2, nothing), node: Choice2, nodeAgeSeconds: NullableNumeric2, ord: (v) => any(v, Choice2, nothing), ordHeight: NullableInteger3, unknown: (v) => array(v, (v) => oneOf(v, 'sat-numbers', 'runes', 'rare-sats')), database: Choice2, databaseAgeSeconds: NullableNumeric2, indexFault: (v) => any(v, IndexFault, nothing), maintenance: (v) => any(v, Maintenance, nothing), utxos: (v) => any(v, UtxoStatus, nothing), sync: (v) => any(v, SyncStatus, nothing) })
const EscrowListing: Check = (v) => object(v, { listingId: uuid, priceSats: Integer3, generation: Integer2, state: Choice })
const EscrowPending: Check = (v) => object(v, { kind: (v) => oneOf(v, 'settlement', 'reclaim', 'move', 'recovery', 'exit'), txid: Text5 })
const Escrow: Check = (v) => object(v, { txid: Text5, vout: Integer5, escrowForm: EscrowForm, valueSats: Integer3, inscriptionIds: (v) => array(v, Text4, 1), state: (v) => oneOf(v, 'unconfirmed', 'resting', 'leaving'), since: dateTime, listing: (v) => any(v, EscrowListing, nothing), pending: (v) => any(v, EscrowPending, nothing), actions: (v) => array(v, (v) => oneOf(v, 'relist', 'move', 'reclaim', 'exit')) })
const EscrowsResponse: Check = (v) => object(v, { escrows: (v) => array(v, Escrow), pagination: Pagination })
const RelistPreflightResponse: Check = (v) => object(v, { relistId: uuid, items: (v) => array(v, (v) => object(v, { txid: Text5, vout: Integer5, inscriptionId: Text4, escrowForm: EscrowForm, generation: Integer2 }), 1, 20), steps: (v) => array(v, PsbtStep, 1, 20) })
const MovePreflightResponse: Check = (v) => object(v, { moveId: uuid, expectedTxid: Text5, feeRateSatVb: Numeric2, costSats: Integer, selectedPaymentUtxos: SelectedPaymentUtxos, steps: Steps })
const MoveSubmitResponse: Check = (v) => object(v, { txid: Text5, escrows: (v) => array(v, (v) => object(v, { txid: Text5, vout: Integer5 }), 1, 20) })
const ReclaimPreflightResponse: Check = (v) => object(v, { reclaimId: uuid, expectedTxid: Text5, feeSats: Integer, steps: Steps })
const ReclaimSubmitResponse: Check = (v) => object(v, { txid: Text5 })
const WebSessionResponse: Check = (v) => object(v, { profile: Profile, walletBindings: WalletBindings, expiresAt: dateTime })
const WebSessionEnded: Check = (v) => object(v, { ended: boolean })
const WalletSession: Check = (v) => closed(v, { sessionId: uuid, surface: (v) => oneOf(v, 'api', 'web'), client: NullableText2, startedAt: dateTime, lastUsedAt: dateTime, expiresAt: dateTime, isCurrent: boolean })
const WalletSessionsResponse: Check = (v) => object(v, { sessions: (v) => array(v, WalletSession) })
const WalletSessionsEnded: Check = (v) => object(v, { endedCount: Integer2 })
const InboxReadResponse: Check = (v) => object(v, { unreadCount: Integer2 })
const Visibility2: Check = (v) => oneOf(v, 'public', 'private')
const State: Check = (v) => oneOf(v, 'active', 'accepted', 'cancelled', 'expired')
const OwnProposal: Check = (v) => closed(v, { id: uuid, creatorAddress: Text2, offeredBtcSats: Integer, requestedBtcSats: Integer, estimatedOfferedValueSats: Integer, estimatedRequestedValueSats: Integer, marketplaceFeeSats: Integer, offeredItems: OfferedItems, wantedLegs: WantedLegs, createdAt: dateTime, expiresAt: dateTime, visibility: Visibility2, state: State, available: boolean })
const OwnProposalsResponse: Check = (v) => closed(v, { proposals: (v) => array(v, OwnProposal), pagination: Pagination })
const From: Check = (v) => oneOf(v, 'proposer', 'acceptor')
const SwapItem: Check = (v) => object(v, { inscriptionId: Text4, from: From, txid: Text5, vout: Integer2, valueSats: Integer3 })
const Items: Check = (v) => array(v, SwapItem, 1, 100)
const List3: Check = (v) => array(v, SpendableUtxo)
const AcceptancePreflightResponse: Check = (v) => object(v, { expectedSettlementTxid: Text5, items: Items, marketplaceFeeSats: Integer, networkFeeSats: Integer3, targetFeeRateSatVb: Numeric2, acceptorNetSats: integer, proposerNetSats: integer, selectedPaymentUtxos: List3, steps: Steps, carries: Carries }, ['carries'])
const State2: Check = (v) => oneOf(v, 'active', 'accepted', 'settled', 'rejected', 'cancelled', 'expired', 'invalidated')
const Fills: Check = (v) => object(v, { legId: uuid, inscriptionId: Text4 })
const Fills2: Check = (v) => array(v, Fills, 0, 50)
const Acceptance: Check = (v) => object(v, { acceptanceId: uuid, state: State2, reason: NullableText2, acceptorAddress: Text2, fills: Fills2, expectedSettlementTxid: Text5, items: Items, marketplaceFeeSats: Integer, networkFeeSats: Integer3, targetFeeRateSatVb: Numeric2, acceptorNetSats: integer, proposerNetSats: integer, createdAt: dateTime, expiresAt: dateTime, proposal: OwnProposal })
const AcceptancesResponse: Check = (v) => object(v, { acceptances: (v) => array(v, Acceptance), pagination: Pagination })
const SettlePreflightResponse: Check = (v) => object(v, { expectedSettlementTxid: Text5, items: Items, marketplaceFeeSats: Integer, networkFeeSats: Integer3, targetFeeRateSatVb: Numeric2, acceptorNetSats: integer, proposerNetSats: integer, steps: Steps, carries: Carries }, ['carries'])
const FiatRate: Check = (v) => object(v, { currency: Text, perBtc: Numeric2, at: NullableTime })
const MarketResponse: Check = (v) => object(v, { name: Text, chain: Text, addressNetwork: (v) => oneOf(v, 'mainnet', 'testnet', 'regtest'), contentUrl: Text, hasThumbnails: boolean, explorerUrl: NullableText2, fiat: (v) => any(v, FiatRate, nothing), fees: (v) => object(v, { sellerFeeBps: Integer4, buyerFeeBps: Integer4, fillFeeBps: Integer4, feeMinSats: Integer, proposalFeeSats: Integer }), listingMinSats: Integer3, testWallets: boolean })
const SameName: Check = (v) => object(v, { slug: Text3, name: Text })
const NullableSameName: Check = (v) => any(v, SameName, nothing)
const NullableText6: Check = (v) => any(v, Text4, nothing)
const CollectionRow: Check = (v) => object(v, { slug: Text3, name: Text, kind: NullableKind, verificationStatus: VerificationStatus, sameNameAs: NullableSameName, previewInscriptionId: NullableText6, previewContentType: NullableText, imageRenderingHint: NullableImageRenderingHint, cardBackgroundColor: NullableCardBackgroundColor, itemCount: Integer2, ownerCount: Integer2, listedCount: Integer2, floorSats: NullableInteger2, oneDayChange: NullableNumeric, sevenDayChange: NullableNumeric, volumeDaySats: Integer, volumeWeekSats: Integer, salesDayCount: Integer2, sellerRoyaltyBps: Integer4, volumeSats: Integer, salesCount: Integer2, floorChange: NullableNumeric, topOfferSats: NullableInteger2, lastSold: (v) => array(v, (v) => object(v, { inscriptionId: Text4, contentType: NullableText }), 0, 3), floorLine: (v) => array(v, NullableInteger2, 0, 24) })
const CollectionsResponse: Check = (v) => object(v, { collections: (v) => array(v, CollectionRow), pagination: Pagination })
const Integer7: Check = (v) => integer(v, 0, 1000)
const BestTraitBid: Check = (v) => object(v, { priceSats: Integer3, scopeLabel: Text })
const CollectionLastSale: Check = (v) => object(v, { priceSats: Integer3, at: dateTime })
const CollectionResponse: Check = (v) => object(v, { slug: Text3, name: Text, kind: NullableKind, verificationStatus: VerificationStatus, sameNameAs: NullableSameName, previewInscriptionId: NullableText6, previewContentType: NullableText, imageRenderingHint: NullableImageRenderingHint, cardBackgroundColor: NullableCardBackgroundColor, itemCount: Integer2, ownerCount: Integer2, listedCount: Integer2, floorSats: NullableInteger2, oneDayChange: NullableNumeric, sevenDayChange: NullableNumeric, volumeDaySats: Integer, volumeWeekSats: Integer, salesDayCount: Integer2, sellerRoyaltyBps: Integer4, description: NullableText, buyerRoyaltyBps: Integer4, tradingEnabled: boolean, topOfferSats: NullableInteger2, tradeCount: Integer7, bestTraitBid: (v) => any(v, BestTraitBid, nothing), offerCount: Integer7, lastSale: (v) => any(v, CollectionLastSale, nothing) })
const NullableInteger4: Check = (v) => any(v, Integer6, nothing)
const ItemPreview: Check = (v) => object(v, { placeholder: NullableText })
const NullableItemPreview: Check = (v) => any(v, ItemPreview, nothing)
const BrowsedItem: Check = (v) => object(v, { rank: NullableInteger4, id: Text4, name: Text, collection: Text3, collectionHref: NullableText2, collections: Collections, image: Text, inscription: integer, inscriptionId: Text4, listingId: NullableUuid, listingState: NullableChoice, priceSats: NullableInteger2, price: NullableNumeric2, listedAt: NullableTime, listingExpiresAt: NullableTime, lastSale: NullableNumeric2, owner: NullableText3, contentType: ContentType, rawContentType: NullableText2, imageRenderingHint: NullableImageRenderingHint, cardBackgroundColor: NullableCardBackgroundColor, isDmtMint: boolean, traits: Traits, satributes: Satributes, sat: NullableInteger3, locationTxid: NullableText, locationVout: NullableInteger3, locationSatpoint: NullableText, preview: NullableItemPreview }, ['isDmtMint'])
const Items2: Check = (v) => array(v, BrowsedItem)
const ItemsResponse: Check = (v) => object(v, { items: Items2, total: Integer2, pagination: Pagination })
const CollectionTraitsResponse: Check = (v) => object(v, { traits: (v) => array(v, (v) => object(v, { type: Text, values: (v) => array(v, (v) => object(v, { value: Text, count: Integer2, floorSats: NullableInteger2 })) })) })
const FreshItemsResponse: Check = (v) => object(v, { items: Items2 })
const VolumePart: Check = (v) => object(v, { at: dateTime, sats: Integer3, sales: Integer6 })
const CollectionHistoryResponse: Check = (v) => object(v, { from: dateTime, until: dateTime, partSeconds: Integer6, floor: (v) => array(v, (v) => object(v, { at: dateTime, sats: NullableInteger2 })), sales: (v) => array(v, (v) => object(v, { at: dateTime, priceSats: Integer3, inscriptionId: Text4 })), volume: (v) => array(v, VolumePart) })
const RankedPrice: Check = (v) => object(v, { inscriptionId: Text4, rank: Integer6, priceSats: Integer3 })
const List4: Check = (v) => array(v, RankedPrice, 0, 500)
const CollectionRanks: Check = (v) => object(v, { listings: List4, sales: List4 })
const HoldersOfSize: Check = (v) => object(v, { least: Integer6, most: NullableInteger4, owners: Integer2, items: Integer2 })
const Holder: Check = (v) => object(v, { address: NullableText3, itemCount: Integer2 })
const CollectionHolders: Check = (v) => object(v, { itemCount: Integer2, ownerCount: Integer2, unownedCount: Integer2, distribution: (v) => array(v, HoldersOfSize), top: (v) => array(v, Holder, 0, 10) })
const CollectionAnalyticsResponse: Check = (v) => object(v, { ranks: CollectionRanks, holders: CollectionHolders })
const PriceHistogramResponse: Check = (v) => object(v, { leastSats: NullableInteger, stepSats: NullableInteger2, mostSats: NullableInteger2, bars: (v) => array(v, Integer2, 0, 30) })
const Activity: Check = (v) => object(v, { kind: (v) => oneOf(v, 'listed', 'delisted', 'expired', 'sold', 'invalidated', 'offer', 'offer_ended', 'trade', 'transfer', 'inscribed'), at: dateTime, inscriptionId: Text4, inscriptionName: Text, contentType: NullableText, collectionSlug: NullableText, collectionName: NullableText2, verificationStatus: NullableVerificationStatus, floorSats: NullableInteger2, rank: NullableInteger4, priceSats: NullableInteger2, wasSats: NullableInteger2, itemCount: Integer6, fromAddress: NullableText3, toAddress: NullableText3, txid: NullableText4, external: boolean })
const ActivityResponse: Check = (v) => object(v, { activity: (v) => array(v, Activity), pagination: Pagination })
const ActivitySummaryResponse: Check = (v) => object(v, { volumeSats: Integer, sales: Integer2, buyers: Integer2, largestSats: NullableInteger2, hours: (v) => array(v, Integer, 24, 24) })
const NullableInteger5: Check = (v) => any(v, integer, nothing)
const InscriptionEscrow: Check = (v) => object(v, { owner: Text2, escrowForm: EscrowForm })
const Members: Check = (v) => object(v, { inscriptionId: Text4, inscriptionNumber: NullableInteger5, contentType: NullableText })
const List5: Check = (v) => array(v, Members)
const ItemNeighbour: Check = (v) => object(v, { inscriptionId: Text4, name: Text })
const NullableItemNeighbour: Check = (v) => any(v, ItemNeighbour, nothing)
const ItemNeighbours: Check = (v) => object(v, { place: NullableInteger4, previous: NullableItemNeighbour, next: NullableItemNeighbour })
const InscriptionListing: Check = (v) => object(v, { listingId: uuid, state: Choice, priceSats: Integer3, listedAt: dateTime, expiresAt: NullableTime })
const InscriptionResponse: Check = (v) => object(v, { inscriptionId: Text4, inscriptionNumber: NullableInteger5, name: Text, contentType: NullableText, contentBytes: NullableInteger3, owner: NullableText3, outpoint: (v) => any(v, SpendableUtxo, nothing), escrow: (v) => any(v, InscriptionEscrow, nothing), declinesBids: boolean, satOffset: NullableInteger3, sat: NullableInteger3, satributes: Satributes, cursed: boolean, genesisHeight: Integer2, inscribedAt: dateTime, delegateId: NullableText6, metaprotocol: NullableText, parents: List5, children: List5, childCount: Integer2, collections: (v) => array(v, (v) => object(v, { slug: Text3, name: Text, verificationStatus: VerificationStatus, floorSats: NullableInteger2, itemCount: Integer2, imageRenderingHint: NullableImageRenderingHint, rank: NullableInteger4, traits: (v) => array(v, (v) => object(v, { type: Text, value: Text, count: Integer2, floorSats: NullableInteger2 })) })), neighbours: (v) => any(v, ItemNeighbours, nothing), listing: (v) => any(v, InscriptionListing, nothing), moves: (v) => array(v, (v) => object(v, { height: Integer2, at: dateTime, txid: Text5, fromAddress: NullableText3, toAddress: NullableText3, priceSats: NullableInteger2, external: boolean })), movesFrom: NullableInteger3 })
const NullableText7: Check = (v) => any(v, Text3, nothing)
const SettledItem: Check = (v) => object(v, { inscriptionId: Text4, name: Text, contentType: NullableText, collectionSlug: NullableText7, priceSats: NullableInteger2 })
const SettlementResponse: Check = (v) => object(v, { txid: Text5, kind: (v) => oneOf(v, 'purchase', 'offer', 'counter', 'fill', 'swap', 'reclaim', 'move', 'exit'), state: (v) => oneOf(v, 'sending', 'mempool', 'confirmed', 'failed'), sentAt: dateTime, blockHeight: NullableInteger3, minedAt: NullableTime, hasReceipt: boolean, confirmations: Integer2, items: (v) => array(v, SettledItem) })
const NullableInteger6: Check = (v) => any(v, Integer4, nothing)
const ItemNamesResponse: Check = (v) => object(v, { items: (v) => array(v, (v) => object(v, { inscriptionId: Text4, name: Text, contentType: NullableText, imageRenderingHint: NullableImageRenderingHint, collectionSlug: NullableText7, collectionName: NullableText2, verificationStatus: NullableVerificationStatus, collectionFloorSats: NullableInteger2, sellerRoyaltyBps: NullableInteger6 })) })
const CarriesResponse: Check = (v) => object(v, { carries: Carries }, ['carries'])
const AskLevel: Check = (v) => object(v, { priceSats: Integer3, items: Integer2, cumulatedItems: Integer2, cumulatedSats: Integer })
const DepthOffer: Check = (v) => object(v, { offerId: uuid, scopeLabel: Text, sharesCoinWith: (v) => array(v, uuid, 0, 10) })
const BidLevel: Check = (v) => object(v, { priceSats: Integer3, items: Integer2, cumulatedItems: Integer2, cumulatedSats: Integer, offers: (v) => array(v, DepthOffer, 0, 20) })
const DepthResponse: Check = (v) => object(v, { asks: (v) => array(v, AskLevel, 0, 100), askCount: Integer2, bids: (v) => array(v, BidLevel, 0, 100), bidCount: Integer2, topOfferSats: NullableInteger2 })
const BestBid: Check = (v) => object(v, { offerId: uuid, collectionSlug: NullableText7, priceSats: Integer3, netSats: Integer3 })
const BestBidOfItem: Check = (v) => object(v, { inscriptionId: Text4, bid: BestBid })
const BestBidsResponse: Check = (v) => object(v, { bids: (v) => array(v, BestBidOfItem, 0, 48) })
const FittingItem: Check = (v) => object(v, { inscriptionId: Text4, name: Text, contentType: NullableText, listingId: NullableUuid, priceSats: NullableInteger2 })
const FittingItemsResponse: Check = (v) => object(v, { items: (v) => array(v, FittingItem), pagination: Pagination })
const Holding: Check = (v) => object(v, { inscriptionId: Text4, inscriptionNumber: NullableInteger5, name: Text, contentType: NullableText, imageRenderingHint: NullableImageRenderingHint, collectionSlug: NullableText7, collectionName: NullableText2, verificationStatus: NullableVerificationStatus, collectionFloorSats: NullableInteger2, topOfferSats: NullableInteger2, listingId: NullableUuid, listingState: NullableChoice, priceSats: NullableInteger2, traits: (v) => array(v, (v) => object(v, { type: Text, value: Text })), outpoint: SpendableUtxo })
const HoldingsResponse: Check = (v) => object(v, { holdings: (v) => array(v, Holding), pagination: Pagination })
const OwnListing: Check = (v) => object(v, { listingId: uuid, inscriptionId: Text4, name: Text, contentType: NullableText, imageRenderingHint: NullableImageRenderingHint, collectionSlug: NullableText7, collectionName: NullableText2, verificationStatus: NullableVerificationStatus, collectionFloorSats: NullableInteger2, state: (v) => oneOf(v, 'buyable', 'hidden_locked', 'pending_public', 'expired', 'invalidated'), priceSats: Integer3, receiveSats: Integer, listedAt: dateTime, expiresAt: NullableTime, endedAt: NullableTime, isInEscrow: boolean })
const OwnListingsResponse: Check = (v) => object(v, { listings: (v) => array(v, OwnListing), liveCount: Integer2, endedCount: Integer2, pagination: Pagination })
const OwnBid: Check = (v) => object(v, { id: uuid, target: CollectionOfferTarget, scopeLabel: Text, priceSats: Integer3, eligibleCount: Integer6, makerAddress: Text2, expiresAt: dateTime, createdAt: dateTime, totalSats: Integer3, status: Status3, executable: boolean, actionBindingId: NullableUuid, sampleInscription: NullableSampleInscription, collectionSlug: Text3, collectionName: Text }, ['actionBindingId', 'sampleInscription'])
const OwnBidsResponse: Check = (v) => object(v, { bids: (v) => array(v, OwnBid) })
const Text11: Check = (v) => text(v, 0, Infinity, /^[0-9]{1,18}$/u)
const InboxListing: Check = (v) => object(v, { endedBy: (v) => any(v, (v) => oneOf(v, 'expiry', 'move', 'sale', 'cancel'), nothing), isHeld: boolean })
const InboxEvent: Check = (v) => object(v, { eventId: Text11, kind: (v) => oneOf(v, 'offer', 'counter', 'acceptance', 'escrow', 'settling', 'sold', 'delivered', 'listing_ended', 'outbid', 'expiring', 'sign_in'), at: dateTime, isRead: boolean, inscriptionId: NullableText6, name: NullableText2, contentType: NullableText, imageRenderingHint: NullableImageRenderingHint, collectionSlug: NullableText7, collectionName: NullableText2, verificationStatus: NullableVerificationStatus, collectionFloorSats: NullableInteger2, proposalId: NullableUuid, priceSats: NullableInteger2, expiresAt: NullableTime, listing: (v) => any(v, InboxListing, nothing), client: NullableText })
const InboxResponse: Check = (v) => object(v, { events: (v) => array(v, InboxEvent), pagination: Pagination })
const InboxCounts: Check = (v) => object(v, { unreadCount: Integer2, unreadTradeCount: Integer2, latestEventId: (v) => any(v, Text11, nothing) })
const Waiting: Check = (v) => object(v, { kind: (v) => oneOf(v, 'offer', 'counter', 'acceptance', 'escrow'), orderId: Text, at: dateTime, expiresAt: NullableTime, inscriptionId: NullableText6, name: NullableText2, contentType: NullableText, imageRenderingHint: NullableImageRenderingHint, collectionSlug: NullableText7, collectionName: NullableText2, verificationStatus: NullableVerificationStatus, collectionFloorSats: NullableInteger2, proposalId: NullableUuid, priceSats: NullableInteger2, offeredSats: NullableInteger2, otherCount: Integer2 })
const WaitingResponse: Check = (v) => object(v, { waiting: (v) => array(v, Waiting), waitingCount: Integer2 })
const OwnSale: Check = (v) => object(v, { side: (v) => oneOf(v, 'bought', 'sold'), soldAt: dateTime, txid: Text5, inscriptionId: Text4, name: Text, collectionSlug: NullableText7, collectionName: NullableText2, priceSats: Integer, feesSats: NullableInteger, costSats: NullableInteger, priceUsd: NullableNumeric2 })
const OwnSalesResponse: Check = (v) => object(v, { sales: (v) => array(v, OwnSale), pagination: Pagination })
const LastBought: Check = (v) => object(v, { buyerAddress: Text2, paidSats: Integer, at: dateTime })
const ItemValue: Check = (v) => object(v, { inscriptionId: Text4, traitFloorSats: NullableInteger2, traitFloorOf: NullableText2, lastBought: (v) => any(v, LastBought, nothing) })
const ItemValuesResponse: Check = (v) => object(v, { values: (v) => array(v, ItemValue, 0, 48) })
const ValuePoint: Check = (v) => object(v, { at: dateTime, valueSats: Integer })
const PortfolioValueResponse: Check = (v) => object(v, { valueSats: Integer, valuedCount: Integer2, unvaluedCount: Integer2, priceChangeSats: integer, itemChangeSats: integer, points: (v) => array(v, ValuePoint, 0, 15) })
const CoinsResponse: Check = (v) => object(v, { coins: List3, totalSats: Integer, keptBackCount: Integer2, feeRateSatVb: Numeric2 })
const FoundTrait: Check = (v) => object(v, { collectionSlug: Text3, collectionName: Text, verificationStatus: VerificationStatus, type: Text, value: Text, count: Integer2 })
const FoundInscription: Check = (v) => object(v, { inscriptionId: Text4, inscriptionNumber: NullableInteger5, name: Text, contentType: NullableText, imageRenderingHint: NullableImageRenderingHint, collectionSlug: NullableText7, collectionName: NullableText2, verificationStatus: NullableVerificationStatus, priceSats: NullableInteger2 })
const FoundCollection: Check = (v) => object(v, { slug: Text3, name: Text, verificationStatus: VerificationStatus, sameNameAs: NullableSameName, previewInscriptionId: NullableText6, previewContentType: NullableText, imageRenderingHint: NullableImageRenderingHint, cardBackgroundColor: NullableCardBackgroundColor, itemCount: Integer2, floorSats: NullableInteger2 })
const SearchResponse: Check = (v) => object(v, { traits: (v) => array(v, FoundTrait), inscriptions: (v) => array(v, FoundInscription), collections: (v) => array(v, FoundCollection), addresses: (v) => array(v, Text2) })
const MatchingProposalsResponse: Check = (v) => object(v, { proposals: Proposals })
const ReplacingListing: Check = (v) => object(v, { listingId: uuid, priceSats: Integer3 })
const GoneListing: Check = (v) => object(v, { listingId: uuid, inscriptionId: Text4, reason: (v) => oneOf(v, 'sold', 'being-bought', 'delisted', 'repriced', 'expired', 'moved', 'own', 'unknown'), replacedBy: (v) => any(v, ReplacingListing, nothing) })
const Kind7: Check = (v) => oneOf(v, 'price', 'marketplaceFee', 'creatorRoyalty', 'postage', 'networkFee', 'cpfpFee', 'sellerTransfers', 'donation', 'bitcoinReceived', 'bitcoinPaid')
const Integer8: Check = (v) => integer(v, -2100000000000000, 2100000000000000)
const BillRow: Check = (v) => object(v, { kind: Kind7, sats: Integer8, rateBps: NullableInteger6 })
const Bill: Check = (v) => array(v, BillRow, 0, 20)
const Kind8: Check = (v) => oneOf(v, 'offer', 'collection-offer')
const BackedOrder: Check = (v) => object(v, { offerId: uuid, kind: Kind8, inscriptionId: NullableText6, collectionSlug: Text3, scopeLabel: NullableText2, priceSats: Integer3, replaced: boolean })
const SharesCoinWith: Check = (v) => array(v, BackedOrder, 0, 100)
const CollectionComparison: Check = (v) => object(v, { collectionSlug: Text3, collectionName: Text, verificationStatus: VerificationStatus, sameNameAs: NullableSameName, floorSats: NullableInteger2, topOfferSats: NullableInteger2 })
const TraitFloor: Check = (v) => object(v, { type: Text, value: Text, floorSats: Integer3 })
const NullableTraitFloor: Check = (v) => any(v, TraitFloor, nothing)
const TraitSales: Check = (v) => object(v, { leastSats: Integer3, mostSats: Integer3, count: Integer2 })
const NullableTraitSales: Check = (v) => any(v, TraitSales, nothing)
const NullableBestBid: Check = (v) => any(v, BestBid, nothing)
const ItemComparison: Check = (v) => object(v, { inscriptionId: Text4, lastSaleSats: NullableInteger2, traitFloor: NullableTraitFloor, traitSales: NullableTraitSales, topOfferSats: NullableInteger2, bestBid: NullableBestBid })
const Comparisons: Check = (v) => array(v, ItemComparison, 0, 20)
const PurchaseQuote: Check = (v) => object(v, { listings: (v) => array(v, PurchaseEconomicsItem, 0, 20), gone: (v) => array(v, GoneListing, 0, 20), estimatedPackageVsize: Integer2, estimatedNetworkFeeSats: Integer, cpfpFeeSats: Integer, listingTransferFeeSats: Integer, donationSats: Integer, totalBuyerCostSats: Integer, bill: Bill, totalSats: Integer8, exact: boolean, targetFeeRateSatVb: Numeric2, availableSats: NullableInteger, missingSats: NullableInteger, selectedPaymentUtxos: List3, sharesCoinWith: SharesCoinWith, collection: CollectionComparison, comparisons: Comparisons })
const QuoteRefusal: Check = (v) => object(v, { code: Text, error: Text })
const ListingQuoteItem: Check = (v) => object(v, { inscriptionId: Text4, priceSats: Integer3, inscriptionUtxoValueSats: Integer3, sellerMarketplaceFeeBps: Integer4, sellerMarketplaceFeeSats: Integer, buyerMarketplaceFeeBps: Integer4, buyerMarketplaceFeeSats: Integer, sellerCreatorRoyaltyBps: Integer4, sellerCreatorRoyaltySats: Integer, buyerCreatorRoyaltyBps: Integer4, buyerCreatorRoyaltySats: Integer, sellerReceiveSats: Integer, buyerPayTotalSats: Integer3, marketplaceRevenueSats: Integer, creatorRevenueSats: Integer, refused: (v) => any(v, QuoteRefusal, nothing) })
const ListingQuote: Check = (v) => object(v, { items: (v) => array(v, ListingQuoteItem, 0, 20), inscriptionUtxoValueSats: Integer, listingMinimumSats: Integer3, bill: Bill, totalSats: Integer8, collection: CollectionComparison, comparisons: Comparisons })
const OfferQuoteItem: Check = (v) => object(v, { inscriptionId: Text4, priceSats: Integer3, inscriptionUtxoValueSats: Integer3, sellerMarketplaceFeeBps: Integer4, sellerMarketplaceFeeSats: Integer, buyerMarketplaceFeeBps: Integer4, buyerMarketplaceFeeSats: Integer, sellerCreatorRoyaltyBps: Integer4, sellerCreatorRoyaltySats: Integer, buyerCreatorRoyaltyBps: Integer4, buyerCreatorRoyaltySats: Integer, sellerReceiveSats: Integer, buyerPayTotalSats: Integer3, marketplaceRevenueSats: Integer, creatorRevenueSats: Integer, estimatedNetworkFeeSats: Integer, totalBuyerCostSats: Integer3, minimumSats: Integer, minimumReason: Text, listingId: NullableUuid, listingPriceSats: NullableInteger2 })
const OfferQuote: Check = (v) => object(v, { items: (v) => array(v, OfferQuoteItem, 0, 20), bill: Bill, totalSats: Integer8, exact: boolean, targetFeeRateSatVb: Numeric2, availableSats: NullableInteger, missingSats: NullableInteger, selectedPaymentUtxos: List3, sharesCoinWith: SharesCoinWith, collection: CollectionComparison, comparisons: Comparisons })
const AcceptanceQuote: Check = (v) => object(v, { inscriptionId: Text4, priceSats: Integer3, inscriptionUtxoValueSats: Integer3, sellerMarketplaceFeeBps: Integer4, sellerMarketplaceFeeSats: Integer, buyerMarketplaceFeeBps: Integer4, buyerMarketplaceFeeSats: Integer, sellerCreatorRoyaltyBps: Integer4, sellerCreatorRoyaltySats: Integer, buyerCreatorRoyaltyBps: Integer4, buyerCreatorRoyaltySats: Integer, sellerReceiveSats: Integer, buyerPayTotalSats: Integer3, marketplaceRevenueSats: Integer, creatorRevenueSats: Integer, postageReturned: boolean, targetFeeRateSatVb: Numeric2, estimatedNetworkFeeSats: Integer, payoutSats: Integer, bill: Bill, totalSats: Integer8, collection: CollectionComparison, comparisons: Comparisons })
const CollectionOfferQuoteEntry: Check = (v) => object(v, { priceSats: Integer3, totalBuyerCostSats: Integer3, sellerNetSats: Integer, sharesCoinsWith: SharesCoinsWith2 })
const CollectionOfferQuote: Check = (v) => object(v, { offers: (v) => array(v, CollectionOfferQuoteEntry, 0, 10), eligibleCount: Integer2, targetFloorSats: NullableInteger2, bill: Bill, totalSats: Integer8, exact: boolean, targetFeeRateSatVb: Numeric2, availableSats: NullableInteger, missingSats: NullableInteger, selectedPaymentUtxos: List3, sharesCoinWith: SharesCoinWith, collection: CollectionComparison })
const CounterAcceptanceQuote: Check = (v) => object(v, { inscriptionId: Text4, priceSats: Integer3, inscriptionUtxoValueSats: Integer3, sellerMarketplaceFeeBps: Integer4, sellerMarketplaceFeeSats: Integer, buyerMarketplaceFeeBps: Integer4, buyerMarketplaceFeeSats: Integer, sellerCreatorRoyaltyBps: Integer4, sellerCreatorRoyaltySats: Integer, buyerCreatorRoyaltyBps: Integer4, buyerCreatorRoyaltySats: Integer, sellerReceiveSats: Integer, buyerPayTotalSats: Integer3, marketplaceRevenueSats: Integer, creatorRevenueSats: Integer, estimatedNetworkFeeSats: Integer, totalBuyerCostSats: Integer3, bill: Bill, totalSats: Integer8, exact: boolean, targetFeeRateSatVb: Numeric2, availableSats: NullableInteger, missingSats: NullableInteger, selectedPaymentUtxos: List3, sharesCoinWith: SharesCoinWith, collection: CollectionComparison, comparisons: Comparisons })
const SwapQuote: Check = (v) => object(v, { items: (v) => array(v, SwapItem, 0, 100), marketplaceFeeSats: Integer, networkFeeSats: Integer, acceptorNetSats: Integer8, proposerNetSats: Integer8, bill: Bill, totalSats: Integer8, exact: boolean, targetFeeRateSatVb: Numeric2, availableSats: NullableInteger, missingSats: NullableInteger, selectedPaymentUtxos: List3, sharesCoinWith: SharesCoinWith })
const ProposalQuote: Check = (v) => object(v, { estimatedOfferedValueSats: Integer, estimatedRequestedValueSats: Integer, marketplaceFeeSats: Integer, estimatedNetworkFeeSats: Integer, bill: Bill, totalSats: Integer8, exact: boolean, targetFeeRateSatVb: Numeric2, availableSats: NullableInteger, missingSats: NullableInteger, selectedPaymentUtxos: List3, sharesCoinWith: SharesCoinWith })
export const createAuthChallenge: Check = AuthChallengeResponse
export const verifyAuthChallenge: Check = AuthVerifyResponse
export const getMe: Check = MeResponse
export const listCollectionFloorStats: Check = CollectionFloorStatsResponse
export const listCollectionInscriptions: Check = CollectionInscriptionsResponse
export const listListings: Check = ListingsResponse
export const preflightListing: Check = ListingPreflightResponse
export const submitListing: Check = ListingSubmitResponse
export const delistListing: Check = ListingSubmitResponse
export const preflightPurchase: Check = PurchasePreflightResponse
export const submitPurchase: Check = PurchaseSubmitResponse
export const listSales: Check = SalesResponse
export const listTradeProposals: Check = TradeListResponse
export const listMyOffers: Check = ProfileOffersResponse
export const listInscriptionOffers: Check = OfferListResponse
export const listInscriptionOfferHistory: Check = OfferHistoryResponse
export const preflightCollectionOffer: Check = CollectionOfferPreflightResponse
export const submitCollectionOffer: Check = CollectionOfferSubmitResponse
export const cancelOffer: Check = OfferActionResponse
export const rejectOffer: Check = OfferActionResponse
export const declineBids: Check = BidsDeclined
export const preflightOfferAcceptance: Check = OfferAcceptPreflightResponse
export const submitOfferAcceptance: Check = OfferAcceptSubmitResponse
export const preflightCounterOffer: Check = CounterPreflightResponse
export const submitCounterOffer: Check = CounterSubmitResponse
export const rejectCounterOffer: Check = OfferActionResponse
export const preflightCounterOfferAcceptance: Check = CounterAcceptPreflightResponse
export const submitCounterOfferAcceptance: Check = OfferAcceptSubmitResponse
export const listCollectionOfferBook: Check = CollectionWideOfferBookResponse
export const listMySentCollectionOffers: Check = CollectionWideOfferBookResponse
export const previewCollectionOfferTarget: Check = CollectionWideOfferTargetPreviewResponse
export const previewCollectionOfferReplacementWarning: Check = CollectionWideOfferReplacementWarningResponse
export const preflightCollectionWideOffer: Check = CollectionWideOfferPreflightResponse
export const submitCollectionWideOffer: Check = CollectionWideOfferSubmitResponse
export const cancelCollectionWideOffer: Check = CollectionWideOfferCancelResponse
export const preflightCollectionOfferFill: Check = CollectionWideOfferFillPreflightResponse
export const submitCollectionOfferFill: Check = CollectionWideOfferFillSubmitResponse
export const getOrder: Check = OrderResponse
export const getReceipt: Check = ReceiptResponse
export const getEligibility: Check = EligibilityResponse
export const getMarketKeys: Check = MarketKeysResponse
export const getStatus: Check = StatusResponse
export const listMyEscrows: Check = EscrowsResponse
export const preflightRelist: Check = RelistPreflightResponse
export const submitRelist: Check = ListingSubmitResponse
export const preflightMove: Check = MovePreflightResponse
export const submitMove: Check = MoveSubmitResponse
export const preflightReclaim: Check = ReclaimPreflightResponse
export const submitReclaim: Check = ReclaimSubmitResponse
export const beginWebSignIn: Check = AuthChallengeResponse
export const openWebSession: Check = WebSessionResponse
export const getWebSession: Check = MeResponse
export const endWebSession: Check = WebSessionEnded
export const listWalletSessions: Check = WalletSessionsResponse
export const endWalletSession: Check = WebSessionEnded
export const endWalletSessions: Check = WalletSessionsEnded
export const sendExit: Check = ReclaimSubmitResponse
export const sendSplit: Check = ReclaimSubmitResponse
export const markInboxRead: Check = InboxReadResponse
export const listOwnProposals: Check = OwnProposalsResponse
export const createProposal: Check = OwnProposal
export const cancelProposal: Check = OwnProposal
export const getProposal: Check = OwnProposal
export const preflightAcceptance: Check = AcceptancePreflightResponse
export const submitAcceptance: Check = Acceptance
export const listAcceptances: Check = AcceptancesResponse
export const cancelAcceptance: Check = Acceptance
export const rejectAcceptance: Check = Acceptance
export const preflightSettlement: Check = SettlePreflightResponse
export const submitSettlement: Check = Acceptance
export const getMarket: Check = MarketResponse
export const browseCollections: Check = CollectionsResponse
export const getCollection: Check = CollectionResponse
export const browseItems: Check = ItemsResponse
export const listTraits: Check = CollectionTraitsResponse
export const listFreshItems: Check = FreshItemsResponse
export const getCollectionHistory: Check = CollectionHistoryResponse
export const getCollectionAnalytics: Check = CollectionAnalyticsResponse
export const getPriceHistogram: Check = PriceHistogramResponse
export const listActivity: Check = ActivityResponse
export const getActivitySummary: Check = ActivitySummaryResponse
export const getInscription: Check = InscriptionResponse
export const getSettlement: Check = SettlementResponse
export const listItems: Check = ItemNamesResponse
export const listCarries: Check = CarriesResponse
export const getDepth: Check = DepthResponse
export const listBestBids: Check = BestBidsResponse
export const listFittingItems: Check = FittingItemsResponse
export const listHoldings: Check = HoldingsResponse
export const listOwnListings: Check = OwnListingsResponse
export const listOwnBids: Check = OwnBidsResponse
export const listInbox: Check = InboxResponse
export const getInboxCounts: Check = InboxCounts
export const listWaiting: Check = WaitingResponse
export const listOwnSales: Check = OwnSalesResponse
export const listItemValues: Check = ItemValuesResponse
export const getPortfolioValue: Check = PortfolioValueResponse
export const listCoins: Check = CoinsResponse
export const search: Check = SearchResponse
export const listMatchingProposals: Check = MatchingProposalsResponse
export const quotePurchase: Check = PurchaseQuote
export const quoteListing: Check = ListingQuote
export const quoteOffers: Check = OfferQuote
export const quoteOfferAcceptance: Check = AcceptanceQuote
export const quoteCollectionOffers: Check = CollectionOfferQuote
export const quoteFill: Check = AcceptanceQuote
export const quoteCounter: Check = AcceptanceQuote
export const quoteCounterAcceptance: Check = CounterAcceptanceQuote
export const quoteAcceptance: Check = SwapQuote
export const quoteProposal: Check = ProposalQuote
