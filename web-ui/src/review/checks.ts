import type { Agreement } from './agreement.ts'

/** A check that the SDK made before the review. A failed check stops the trade before this dialog. */
type Check = string

const WHOLE = 'every input and output equals the transaction that your browser built from the agreement'
const KEYS = "the market's keys and address are the ones that your browser knows"
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

const BUYING: readonly Check[] = [
  ARRIVES,
  POSITION,
  FEES,
  RATE,
  CHANGE,
  OWN_COINS,
  TXID,
  WHOLE,
  SIGNED,
  KEYS,
  OUTPUTS,
]

const CHECKS: Record<Agreement['kind'], readonly Check[]> = {
  buy: ['the seller, the creator and the market receive the stated amounts', ...BUYING],
  'accept-counter': BUYING,
  offer: BUYING,
  list: [
    POSITION,
    PAYOUT,
    FEES,
    CONDITION,
    'the recovery returns the item to your ordinals address',
    WHOLE,
    KEYS,
    OUTPUTS,
  ],
  counter: [
    POSITION,
    PAYOUT,
    FEES,
    CONDITION,
    'the recovery returns the item to your ordinals address',
    TXID,
    WHOLE,
    KEYS,
    OUTPUTS,
  ],
  accept: [POSITION, PAYOUT, FEES, RATE, ONLY_ITEM, TXID, SIGNED, OUTPUTS],
  sell: [POSITION, PAYOUT, FEES, RATE, ONLY_ITEM, TXID, SIGNED, KEYS, OUTPUTS],
  bid: [
    'the criteria equal the ones that you chose',
    'the item can only go to your ordinals address',
    'you can withdraw the coins with your key',
    CHANGE,
    OWN_COINS,
    TXID,
    WHOLE,
    SIGNED,
    KEYS,
    OUTPUTS,
  ],
  swap: [
    'both sides move in this transaction',
    ARRIVES,
    POSITION,
    RATE,
    CHANGE,
    OWN_COINS,
    TXID,
    WHOLE,
    SIGNED,
    KEYS,
    OUTPUTS,
  ],
  withdraw: [
    'each item returns to your ordinals address',
    'the market pays the network fee',
    TXID,
    WHOLE,
    SIGNED,
    KEYS,
    OUTPUTS,
  ],
  move: [
    'each item moves to an escrow of your key',
    RATE,
    CHANGE,
    OWN_COINS,
    TXID,
    WHOLE,
    SIGNED,
    KEYS,
    OUTPUTS,
  ],
  exit: ['each item returns to your ordinals address', RATE, CHANGE, OWN_COINS, WHOLE, SIGNED, OUTPUTS],
  split: ['every sat of the coin stays at your addresses', RATE, CHANGE, WHOLE, SIGNED, OUTPUTS],
}

/** Returns the checks that passed, as sentences. */
export const checksOf = (agreement: Agreement): string[] =>
  CHECKS[agreement.kind].map((check) => `${check[0]!.toUpperCase()}${check.slice(1)}.`)
