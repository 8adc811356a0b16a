import type { Agreement } from './agreement.ts'

/** A check that the SDK made before the review. A failed check stops the trade before this dialog. */
type Check = string

const WHOLE = 'every input and output equals the transaction that your browser built from the agreement'
const KEYS = "the market's keys are the ones that your browser knows"
const SIGNED = 'your signatures commit to the whole transaction'
const TXID = 'the transaction id equals the announced one'
const RATE = 'the network fee is at most the one in the bill'
const OWN_COINS = 'only your payment coins are spent, none twice'
const CHANGE = 'change returns to your payment address'
const ARRIVES = 'the item arrives at your ordinals address, alone in front of its output'
const POSITION = "the item's coin and position match the index"
const FEES = 'fees and royalties are at most the agreed ones'
const PAYOUT = 'your payout is the price less the agreed fees, at your payment address'
const ONLY_ITEM = "only the item's coin leaves your wallet"
const OUTPUTS = 'every output has a known purpose and recipient'
const CONDITION = 'your signature is valid only together with the payment to you'

const RECOVERY = 'the recovery returns the item to your ordinals address'
const RETURNS = 'each item returns to your ordinals address'

const OWN_MONEY: readonly Check[] = [RATE, CHANGE, OWN_COINS]
/** Checks of a transaction of which the browser signs or knows every part. */
const WHOLE_TRADE: readonly Check[] = [TXID, WHOLE, SIGNED, KEYS, OUTPUTS]
const BUYING: readonly Check[] = [ARRIVES, POSITION, FEES, ...OWN_MONEY, ...WHOLE_TRADE]
const LISTING: readonly Check[] = [POSITION, PAYOUT, FEES, CONDITION, RECOVERY]
const SELLING: readonly Check[] = [POSITION, PAYOUT, FEES, RATE, ONLY_ITEM, TXID, SIGNED]

const CHECKS: Record<Agreement['kind'], readonly Check[]> = {
  buy: ['the seller, the creator and the market receive the stated amounts', ...BUYING],
  'accept-counter': BUYING,
  offer: BUYING,
  list: [...LISTING, WHOLE, KEYS, OUTPUTS],
  counter: [...LISTING, TXID, WHOLE, KEYS, OUTPUTS],
  accept: [...SELLING, OUTPUTS],
  sell: [...SELLING, KEYS, OUTPUTS],
  bid: [
    'the criteria equal the ones that you chose',
    'the item can only go to your ordinals address',
    'you can withdraw the coins with your key',
    CHANGE,
    OWN_COINS,
    ...WHOLE_TRADE,
  ],
  swap: ['both sides move in this transaction', ARRIVES, POSITION, ...OWN_MONEY, ...WHOLE_TRADE],
  withdraw: [RETURNS, 'the market pays the network fee', ...WHOLE_TRADE],
  move: ['each item moves to an escrow of your key', ...OWN_MONEY, ...WHOLE_TRADE],
  exit: [RETURNS, ...OWN_MONEY, WHOLE, SIGNED, OUTPUTS],
  split: ['every sat of the coin stays at your addresses', RATE, CHANGE, WHOLE, SIGNED, OUTPUTS],
}

/** Returns the checks that passed, as sentences. */
export const checksOf = (agreement: Agreement): string[] =>
  CHECKS[agreement.kind].map((check) => `${check[0]!.toUpperCase()}${check.slice(1)}.`)
