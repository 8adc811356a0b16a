import type { ErrorCode } from '@ordbook/contract/errors.ts'
import type { ApiError } from '@ordbook/sdk/errors.ts'

/** Fields of an API error that a text may use. */
type Refused = Pick<ApiError, 'retryAfterSeconds'>
type Text = string | ((refusal: Refused) => string)

const soon = ({ retryAfterSeconds }: Refused, otherwise: string) =>
  retryAfterSeconds === null ? otherwise : `Back in ${retryAfterSeconds} s.`

const slowDown: Text = (refusal) => `Slow down a moment. ${soon(refusal, 'Back in 60 s.')}`
// The outage may have started after the market accepted a signed trade, so the text must not promise that nothing was sent.
const unavailable: Text = (refusal) =>
  `The market cannot answer now. Look at your activity before you repeat a trade. ${soon(refusal, 'Try again in a minute.')}`
const OPERATOR = 'This market is not set up for it. You were not charged. Tell its operator.'
const MOVED = 'The market moved since you reviewed this. You were not charged. Review it again.'
const SIGN_IN = 'The sign-in ran out. Connect your wallet again.'
const SESSION = 'Your session has ended. Connect your wallet again.'
const WALLET = 'Your wallet is not the one that this belongs to. Nothing was sent. Connect the other wallet.'
const SIGNED_OTHERWISE =
  'Your wallet did not sign what was requested. Nothing was sent. Update your wallet or use another one.'
const WAIT_FOR_BLOCK = 'Nothing was sent. Try again after the next block, in about 10 minutes.'
const OFFER_GONE = 'This offer has ended. Nothing was sent. Look at the other offers.'
const ITEM_GONE = 'We could not find this item. Check the id, or search.'
const OUTDATED_PAGE = 'This page is not up to date. Nothing was sent. Load it again.'
const RISK =
  'The market takes no more of these purchases for now. You were not charged. Make an offer, or try again later.'

/**
 * Texts for API errors, by code: the cause, what happened to the money and the next step. Codes that these pages cannot cause have no
 * text.
 */
export const REFUSALS: Partial<Record<ErrorCode, Text>> = {
  'rate-limited': slowDown,
  'connection-backlog-full': slowDown,
  'content-backlog-full': slowDown,
  'too-many-streams': slowDown,
  'unfunded-rate-limited': (refusal) =>
    `This wallet holds little bitcoin, so its limits are lower. ${soon(refusal, 'Back in 60 s.')}`,
  'escrow-prices-limited':
    'This item had too many prices lately. It keeps the price that it has. Choose one of the earlier prices, or wait an hour.',

  'session-required': SESSION,
  'session-ambiguous': SESSION,
  'profile-gone': SESSION,
  'session-unknown': 'This session has ended already.',
  'challenge-signature-invalid':
    'The signature is not of this address. You are not signed in. Choose the right account in your wallet, and connect again.',
  'challenge-expired': SIGN_IN,
  'challenge-used': SIGN_IN,
  'sign-in-unknown': SIGN_IN,
  'challenges-mismatched': SIGN_IN,
  'address-linked':
    'One of these addresses is signed in with another partner here. You are not signed in. Connect with the pair that you used before.',
  'address-invalid':
    'This address is of another network. Switch the network in your wallet, and connect again.',
  'address-type-unsupported':
    'Inscriptions are traded at taproot addresses here. Choose a taproot account in your wallet, and connect again.',
  'wallet-blocked':
    'The operator has blocked this wallet or item from new trades. You can still cancel your orders.',
  'wallet-underfunded':
    'Your payment address holds too little confirmed bitcoin to trade here. Add some, wait for a block, and connect again.',
  'coins-of-market-exhausted':
    'This wallet has as many listings as its bitcoin allows. Nothing was listed. Delist an item, or add bitcoin to the payment address.',
  'binding-unknown': WALLET,
  'order-not-yours': WALLET,
  'inscription-not-yours':
    'This item is not at your ordinals address. Nothing was sent. Connect the wallet that holds it.',
  'foreign-page': OUTDATED_PAGE,

  'collection-unknown': 'We could not find this collection. Check its name, or search.',
  'inscription-unknown': ITEM_GONE,
  'content-missing': ITEM_GONE,
  'chain-data-missing': ITEM_GONE,
  'listing-unknown': 'This listing has ended. You were not charged. Look at the item again.',
  'offer-unknown': OFFER_GONE,
  'proposal-unknown': 'We could not find this trade. Check the link, or look at the open trades.',
  'acceptance-unknown': 'This answer to the trade has ended. Nothing was sent. Look at the trade again.',
  'escrow-unknown': 'This item is no longer in escrow. Nothing was sent. Look at it again.',
  'trade-unknown': 'We could not find this trade. A new one appears here within a minute.',
  'path-unknown': OUTDATED_PAGE,
  'method-not-allowed': OUTDATED_PAGE,
  'cursor-invalid': OUTDATED_PAGE,
  'body-too-large': 'Too many items. Nothing was sent. Choose fewer.',
  'request-timeout': 'The connection is too slow. Nothing was done. Try again.',

  'price-out-of-range':
    'The market does not take this amount. Nothing was sent. Check the least amount and the step.',
  'fee-rate-too-high': 'This fee rate is too high. Nothing was sent. Choose a lower one.',
  'collection-not-traded': 'This collection is shown here and not traded.',
  'not-in-collection': 'This item is not in that collection. Nothing was sent. Look at the item again.',
  'listing-mismatched': MOVED,
  'own-order': 'This is your own order. Cancel it, or choose another one.',
  'duplicate-entry': 'The same item was chosen twice. Nothing was sent. Remove one of them.',
  'criteria-unmet': 'This item is not what the other side asks for. Nothing was sent. Choose another item.',
  'traits-too-long': 'These are too many traits for one order. Nothing was sent. Choose fewer.',
  'proposal-incomplete':
    'A trade needs something on both sides, an item on one of them, and bitcoin on one side only. Nothing was sent.',
  'proposal-too-large':
    'A trade asks for 50 items at most, out of 250. Nothing was sent. Ask for fewer, or make several trades.',
  'fills-mismatched': 'Choose one fitting item for each that the trade asks for. Nothing was sent.',
  'inscriptions-share-coin':
    'Two of these items are in one coin. Nothing was sent. Choose one of them, or move one away first.',
  'coins-required':
    'Your payment address has no confirmed coin for this. You were not charged. Add bitcoin, and wait for a block.',
  'coins-insufficient':
    'You need more bitcoin for this. You were not charged. Unconfirmed and protected coins do not count: add bitcoin, and wait for a block.',
  'coins-fragmented':
    'Your bitcoin is in too many small coins for one payment. You were not charged. Send it to yourself in one payment first.',
  'payment-key-required': SIGNED_OTHERWISE,
  'key-mismatch': 'Your wallet is on another account now. Nothing was sent. Switch back, or connect again.',
  'psbt-malformed': SIGNED_OTHERWISE,
  'transaction-changed': SIGNED_OTHERWISE,
  'input-unsigned': SIGNED_OTHERWISE,
  'wrong-sighash': SIGNED_OTHERWISE,
  'signature-invalid': SIGNED_OTHERWISE,
  'escrow-key-path-signed': SIGNED_OTHERWISE,
  'escrow-other-leaf-signed': SIGNED_OTHERWISE,
  'escrow-finalised': SIGNED_OTHERWISE,
  'inscription-misplaced':
    'The item would not arrive where it should. Nothing was sent. Review it again, and report it if it happens again.',
  'amounts-unpayable': 'This amount is too small for its network fee. Nothing was sent. Choose a higher one.',
  'exit-invalid': 'This takes no item of yours out of escrow. Nothing was sent. Load the page again.',

  'preflight-expired': MOVED,
  'preflight-outdated': MOVED,
  'settlement-mismatched': MOVED,
  'echo-mismatched': MOVED,
  'entries-mismatched': MOVED,
  'idempotency-key-reused': MOVED,
  'idempotent-call-running': 'The market is still working on this. Wait a moment before you try again.',
  'fees-risen': 'Network fees rose since you reviewed this. You were not charged. Review it again.',
  'minimum-risen': 'The least offer for this item rose. Nothing was sent. Offer more.',
  'listing-not-buyable': 'It is no longer for sale. You were not charged.',
  'listing-ended': 'This listing has ended, or is being sold. Look at the item again.',
  'inscription-in-trade':
    'Another wallet is buying this item right now. You were not charged. Look again in a few minutes.',
  'inscription-moving': `This item is moving. ${WAIT_FOR_BLOCK}`,
  'inscription-immature':
    'This item was just mined and cannot move for 100 blocks, about 17 hours. Nothing was sent.',
  'inscription-not-held': 'Not indexed yet. It appears once its block is scanned.',
  'inscription-coin-shared':
    'This item shares its coin with another inscription or rune. Nothing was sent. Split the coin first, with the ordbook command.',
  'inscription-coin-too-small':
    'The coin of this item is too small to trade. Nothing was sent. Move it to a larger coin first.',
  'inscription-in-escrow': 'This item is in your escrow. Nothing was sent. Change its price there.',
  'inscription-leaving-escrow': `This item is on its way out of escrow. ${WAIT_FOR_BLOCK}`,
  'inscription-not-eligible':
    'This item does not fit the offer. Nothing was sent. Choose another item or offer.',
  'owner-not-taproot': 'Its owner holds this item at an address that cannot accept offers. Nothing was sent.',
  'bids-declined': 'You declined collection offers on this item. Nothing was sent. Take them again first.',
  'better-bid': 'Another offer pays you more. Nothing was sent. Take that one, or ask for more.',
  'offer-not-active': OFFER_GONE,
  'offer-being-accepted':
    'This offer is being accepted right now. Nothing was sent. Look again in a few minutes.',
  'order-duplicate': 'You have the same offer already. Nothing was sent. Cancel that one first.',
  'too-many-orders': 'You have as many open orders as a wallet may. Nothing was sent. Cancel one first.',
  'proposal-unavailable': `Something in this trade is moving. ${WAIT_FOR_BLOCK}`,
  'coin-spent': 'A coin of this trade was spent elsewhere. You were not charged. Review it again.',
  'coins-chain-too-long': `Your coins wait on too many unconfirmed payments. ${WAIT_FOR_BLOCK}`,
  'signer-refused': 'The market did not sign this. You were not charged. Tell its operator.',
  'guardian-refused': 'The market did not sign this. Nothing was sent. Choose another offer.',
  'escrow-exhausted':
    'This escrow takes no further price. Nothing was sent. Take the item back, and list it again.',
  'escrow-spent': 'This item has left its escrow. Nothing was sent. Look at it again.',
  'escrow-unconfirmed': `This item is on its way into escrow. ${WAIT_FOR_BLOCK}`,
  'network-refused':
    'The Bitcoin network refused this transaction, and would refuse it again. You were not charged. Look at the item again.',
  'donation-not-offered': MOVED,
  'wallet-allowance-spent': RISK,
  'market-allowance-spent': RISK,
  'listing-allowance-spent':
    'The market takes no more listings for now. Nothing was listed. Try again later.',

  'trading-paused': (refusal) =>
    `Trading is paused while the market catches up with the chain. Nothing was sent. ${soon(refusal, 'Try again in a minute.')}`,
  'internal-error': unavailable,
  'database-unavailable': unavailable,
  'node-unavailable': unavailable,
  'ord-unavailable': unavailable,
  'signer-unavailable': unavailable,
  'funding-check-unavailable': unavailable,
  'server-busy': unavailable,
  'server-not-ready': unavailable,
  'ord-unfit': OPERATOR,
  'address-index-missing': OPERATOR,
  'node-policy-unfit': OPERATOR,
  'transaction-index-missing': OPERATOR,
  'market-coins-exhausted': `The market has no free coin for this. ${WAIT_FOR_BLOCK}`,
  'fee-budget-spent': 'The market has spent its network fees for now. You were not charged. Try again later.',
  'network-fee-too-high':
    'Network fees are too high for this now. You were not charged. Buy fewer items, or wait.',
  'settlement-undecided':
    'The network has not taken this trade yet. The market keeps it and sends it again. Do not sign another trade with the same coins.',
}
