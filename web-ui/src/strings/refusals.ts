import type { ErrorCode } from '@ordbook/contract/errors.ts'
import type { ApiError } from '@ordbook/sdk/errors.ts'

type Refused = Pick<ApiError, 'retryAfterSeconds'>
type Text = string | ((refusal: Refused) => string)

const soon = ({ retryAfterSeconds }: Refused, otherwise: string) =>
  retryAfterSeconds === null ? otherwise : `Try again in ${retryAfterSeconds} s.`

const slowDown: Text = (refusal) => `Too many requests. ${soon(refusal, 'Try again in 60 s.')}`
// The market may have accepted the trade, so do not claim that nothing was sent.
const unavailable: Text = (refusal) =>
  `The market is unavailable. Check your activity before you repeat a trade. ${soon(refusal, 'Try again in a minute.')}`
const OPERATOR = 'This market is not set up for this action. You were not charged. Contact its operator.'
const MOVED = 'The terms changed since you reviewed this. You were not charged. Review it again.'
const SIGN_IN = 'The sign-in expired. Connect your wallet again.'
const SESSION = 'Your session has ended. Connect your wallet again.'
const WALLET = 'This belongs to another wallet. Nothing was sent. Connect that wallet.'
const SIGNED_OTHERWISE =
  'Your wallet did not sign what was requested. Nothing was sent. Update your wallet or use another one.'
const WAIT_FOR_BLOCK = 'Nothing was sent. Try again after the next block, in about 10 minutes.'
const OFFER_GONE = 'This offer has ended. Nothing was sent. Choose another offer.'
const ITEM_GONE = 'Item not found. Check the id, or search.'
const OUTDATED_PAGE = 'This page is out of date. Nothing was sent. Reload the page.'
const RISK =
  'The market has reached its limit for such purchases. You were not charged. Make an offer, or try again later.'

/** Texts of API errors by code. Codes that pages cannot cause have no text. */
export const REFUSALS: Partial<Record<ErrorCode, Text>> = {
  'rate-limited': slowDown,
  'connection-backlog-full': slowDown,
  'content-backlog-full': slowDown,
  'too-many-streams': slowDown,
  'unfunded-rate-limited': (refusal) =>
    `This wallet holds little bitcoin, so its rate limit is lower. ${soon(refusal, 'Try again in 60 s.')}`,
  'escrow-prices-limited':
    'This item had too many price changes. Its price is unchanged. Choose one of the earlier prices, or wait an hour.',

  'session-required': SESSION,
  'session-ambiguous': SESSION,
  'profile-gone': SESSION,
  'session-unknown': 'This session has already ended.',
  'challenge-signature-invalid':
    'The signature does not match this address. You are not signed in. Choose the right account in your wallet, and connect again.',
  'challenge-expired': SIGN_IN,
  'challenge-used': SIGN_IN,
  'sign-in-unknown': SIGN_IN,
  'challenges-mismatched': SIGN_IN,
  'address-linked':
    'One of these addresses is already paired with another address here. You are not signed in. Connect with the pair that you used before.',
  'address-invalid':
    'This address belongs to another network. Switch the network in your wallet, and connect again.',
  'address-type-unsupported':
    'This market trades inscriptions at taproot addresses only. Choose a taproot account in your wallet, and connect again.',
  'wallet-blocked':
    'The operator has blocked this wallet. You can withdraw items from escrow without the market.',
  'wallet-underfunded':
    'Your payment address holds too little confirmed bitcoin to trade here. Add bitcoin, wait for a block, and connect again.',
  'coins-of-market-exhausted':
    'This wallet has reached the number of listings that its bitcoin allows. Nothing was listed. Delist an item, or add bitcoin to the payment address.',
  'binding-unknown': WALLET,
  'order-not-yours': WALLET,
  'inscription-not-yours':
    'This item is not at your ordinals address. Nothing was sent. Connect the wallet that holds it.',
  'foreign-page': OUTDATED_PAGE,

  'collection-unknown': 'Collection not found. Check the name, or search.',
  'inscription-unknown': ITEM_GONE,
  'content-missing': ITEM_GONE,
  'chain-data-missing': ITEM_GONE,
  'listing-unknown': 'This listing has ended. You were not charged. Reload the page.',
  'offer-unknown': OFFER_GONE,
  'proposal-unknown': 'Trade not found. Check the link, or see the open trades.',
  'acceptance-unknown': 'This acceptance of the trade has ended. Nothing was sent. Reload the page.',
  'escrow-unknown': 'This item is no longer in escrow. Nothing was sent. Reload the page.',
  'trade-unknown': 'Trade not found. A new trade appears here within a minute.',
  'path-unknown': OUTDATED_PAGE,
  'method-not-allowed': OUTDATED_PAGE,
  'cursor-invalid': OUTDATED_PAGE,
  'body-too-large': 'Too many items. Nothing was sent. Choose fewer.',
  'request-timeout': 'The request timed out because the connection is slow. Nothing was done. Try again.',

  'price-out-of-range':
    'The market does not accept this amount. Nothing was sent. Check the minimum and the step.',
  'fee-rate-too-high': 'This fee rate is too high. Nothing was sent. Choose a lower one.',
  'collection-not-traded': 'This collection is shown here but cannot be traded.',
  'not-in-collection': 'This item is not in that collection. Nothing was sent. Reload the page.',
  'listing-mismatched': MOVED,
  'own-order': 'This is your own order. Cancel it, or choose another one.',
  'duplicate-entry': 'The same item was chosen twice. Nothing was sent. Remove one of them.',
  'criteria-unmet':
    'This item does not match what the other side wants. Nothing was sent. Choose another item.',
  'traits-too-long': 'Too many traits for one order. Nothing was sent. Choose fewer.',
  'proposal-incomplete':
    'A trade needs something on both sides, an item on at least one side, and bitcoin on one side only. Nothing was sent.',
  'proposal-too-large':
    'A trade can ask for at most 50 items, out of 250. Nothing was sent. Ask for fewer, or propose several trades.',
  'fills-mismatched':
    'The chosen items do not match the trade. Nothing was sent. Choose one item for each item that the trade asks for.',
  'inscriptions-share-coin':
    'Two of these items are in one coin. Nothing was sent. Choose one of them, or move one to another coin first.',
  'coins-required':
    'Your payment address has no confirmed coin to pay with. You were not charged. Add bitcoin, and wait for a block.',
  'coins-insufficient':
    'You do not have enough bitcoin. You were not charged. Unconfirmed and protected coins do not count: add bitcoin, and wait for a block.',
  'coins-fragmented':
    'Your bitcoin is in too many small coins for one payment. You were not charged. Send it to yourself in one payment first.',
  'payment-key-required': SIGNED_OTHERWISE,
  'key-mismatch': 'Your wallet switched to another account. Nothing was sent. Switch back, or connect again.',
  'psbt-malformed': SIGNED_OTHERWISE,
  'transaction-changed': SIGNED_OTHERWISE,
  'input-unsigned': SIGNED_OTHERWISE,
  'wrong-sighash': SIGNED_OTHERWISE,
  'signature-invalid': SIGNED_OTHERWISE,
  'escrow-key-path-signed': SIGNED_OTHERWISE,
  'escrow-other-leaf-signed': SIGNED_OTHERWISE,
  'escrow-finalised': SIGNED_OTHERWISE,
  'inscription-misplaced':
    'The transaction would send the item to the wrong output. Nothing was sent. Review it again, and report it if it happens again.',
  'amounts-unpayable':
    'This amount is too small for its network fee. Nothing was sent. Choose a higher amount.',
  'exit-invalid':
    'This transaction does not withdraw an item of yours from escrow. Nothing was sent. Reload the page.',
  'split-invalid':
    'This transaction does not pay only your own addresses. Nothing was sent. Reload the page.',

  'preflight-expired': MOVED,
  'preflight-outdated': MOVED,
  'settlement-mismatched': MOVED,
  'echo-mismatched': MOVED,
  'entries-mismatched': MOVED,
  'idempotency-key-reused': MOVED,
  'idempotent-call-running':
    'The market is still processing this request. Wait a moment before you try again.',
  'fees-risen': 'Network fees rose since you reviewed this. You were not charged. Review it again.',
  'minimum-risen': 'The minimum offer for this item rose. Nothing was sent. Offer more.',
  'listing-not-buyable': 'This item is no longer for sale. You were not charged.',
  'listing-ended': 'This listing has ended, or its item is being sold. Reload the page.',
  'inscription-in-trade':
    'Another wallet is buying this item. You were not charged. Check again in a few minutes.',
  'inscription-moving': `This item is in an unconfirmed transaction. ${WAIT_FOR_BLOCK}`,
  'inscription-immature':
    'This item was just mined and cannot move for 100 blocks, about 17 hours. Nothing was sent.',
  'inscription-not-held': 'This item is not indexed yet. It appears after its block is indexed.',
  'inscription-coin-shared':
    'This item shares its coin with another inscription or rune. Nothing was sent. Split the coin first, with the ordbook command.',
  'inscription-coin-too-small':
    'The coin of this item is too small to trade. Nothing was sent. Move it to a larger coin first.',
  'inscription-in-escrow': 'This item is in your escrow. Nothing was sent. Change its price there.',
  'inscription-leaving-escrow': `This item is leaving escrow. ${WAIT_FOR_BLOCK}`,
  'inscription-not-eligible':
    'This item does not fit the offer. Nothing was sent. Choose another item or offer.',
  'owner-not-taproot': 'Its owner holds this item at an address that cannot accept offers. Nothing was sent.',
  'bids-declined': 'You turned off collection offers on this item. Nothing was sent. Turn them on first.',
  'better-bid': 'Another offer pays you more. Nothing was sent. Accept that offer, or ask for more.',
  'offer-not-active': OFFER_GONE,
  'offer-being-accepted': 'This offer is being accepted. Nothing was sent. Check again in a few minutes.',
  'order-duplicate': 'You already have the same offer. Nothing was sent. Cancel it first.',
  'too-many-orders':
    'Your wallet has reached the limit of open orders. Nothing was sent. Cancel an order first.',
  'proposal-unavailable': `An item of this trade is in an unconfirmed transaction. ${WAIT_FOR_BLOCK}`,
  'coin-spent': 'A coin of this trade was spent elsewhere. You were not charged. Review it again.',
  'coins-chain-too-long': `Your coins depend on too many unconfirmed payments. ${WAIT_FOR_BLOCK}`,
  'signer-refused': 'The market did not sign this. You were not charged. Contact its operator.',
  'guardian-refused': 'The market did not sign this. Nothing was sent. Choose another offer.',
  'escrow-exhausted':
    'This escrow accepts no more prices. Nothing was sent. Withdraw the item, and list it again.',
  'escrow-spent': 'This item has left its escrow. Nothing was sent. Reload the page.',
  'escrow-unconfirmed': `This item is moving into escrow. ${WAIT_FOR_BLOCK}`,
  'network-refused':
    'The Bitcoin network rejected this transaction and will reject it again. You were not charged. Reload the page.',
  'donation-not-offered': MOVED,
  'wallet-allowance-spent': RISK,
  'market-allowance-spent': RISK,
  'listing-allowance-spent':
    'The market accepts no more listings for now. Nothing was listed. Try again later.',

  'trading-paused': (refusal) =>
    `Trading is paused while the market catches up with the chain. Nothing was sent. ${soon(refusal, 'Try again in a minute.')}`,
  maintenance:
    'The market is under maintenance. Nothing was sent. Cancelling and withdrawing still work; trade again when it is over.',
  'internal-error': unavailable,
  'database-unavailable': unavailable,
  'node-unavailable': unavailable,
  'ord-unavailable': unavailable,
  'signer-unavailable': unavailable,
  'address-index-unavailable': unavailable,
  'address-index-building':
    'The market is still reading all coins. Nothing was sent. Try again in a few minutes.',
  'funding-check-unavailable': unavailable,
  'server-busy': unavailable,
  'server-not-ready': unavailable,
  'ord-unfit': OPERATOR,
  'address-index-missing': OPERATOR,
  'node-policy-unfit': OPERATOR,
  'transaction-index-missing': OPERATOR,
  'market-coins-exhausted': `The market has no free coin for this. ${WAIT_FOR_BLOCK}`,
  'fee-budget-spent':
    'The market has spent its network-fee budget for now. You were not charged. Try again later.',
  'network-fee-too-high':
    'Network fees are too high for this purchase. You were not charged. Buy fewer items, or wait.',
  'settlement-undecided':
    'The network has not accepted this trade yet. The market keeps it and sends it again. Do not sign another trade with the same coins.',
}
