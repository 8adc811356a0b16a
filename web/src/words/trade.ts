import { money } from '../format.ts'
import type { Guard, GuardId, WayOut } from '../guards.ts'
import type { Problem } from '../money/parse.ts'
import type { Unit } from '../money/units.ts'

/** The words of trades: buttons, bills, guards and what happens next. */
export const ticket = {
  buyNow: 'Buy now',
  makeOffer: 'Make offer',
  reviewOffer: 'Review offer',
  price: 'Price',
  priceForAll: 'One price for all',
  yourOffer: 'Your offer',
  priceAgain: 'Type the price again',
  expiresIn: 'Expires in',
  inUnit: (label: string, unit: string) => `${label} in ${unit}`,
  feesOnTop: 'Fees and the network come on top; you see all of it before you sign.',
  editPrice: 'Edit price',
  listForSale: 'List for sale',
  list: (sats: number | null) => (sats ? `List for ${money(sats)}` : 'List'),
  listAll: (count: number) => `List ${count}`,
  counter: 'Send counter-offer',
  addAmount: 'Amount to add',
  unitOf: (label: string) => `Unit of ${label.toLowerCase()}`,
  atLeast: (sats: number) => `At least ${sats.toLocaleString('en')} sats.`,
  rounded: (sats: number) => `Rounded down to ${money(sats)}.`,
  use: (amount: string) => `Use ${amount}`,
  bill: 'Bill',
  youPay: 'You pay',
  mostYouPay: 'Most you pay',
  youReceive: 'You receive',
  postageStays: 'Comes with the item and stays yours',
  about: 'About, at the present network fee. It is exact once your wallet is connected.',
  tooLittle: (missing: string, available: string) => `You need ${missing} more. Available: ${available}.`,
  otherPrice: 'This is another price than above.',
}

const DECIMALS: Record<Unit, string> = {
  btc: 'A bitcoin has 8 decimals: nothing is smaller than 0.00000001.',
  sats: 'A sat has no parts.',
  fiat: 'At most two decimals.',
}

/** Says why a text is no amount, and what to type instead. */
export function problemText(problem: Problem, suggestion: string | null, unit: Unit): string {
  if (problem === 'exponent') return 'Write the amount out, without an exponent.'
  if (problem === 'decimals' || problem === 'part-of-sat') return DECIMALS[unit]
  if (problem === 'most') return 'There will never be so much bitcoin.'
  if (problem === 'step') return `The market takes steps only. The next lower amount is ${suggestion}.`
  return suggestion ? `Did you mean ${suggestion}?` : 'Type an amount, such as 0.0015.'
}

const percent = (value = 0) => `${Math.abs(value).toFixed(Math.abs(value) < 10 ? 1 : 0)}%`
/** A slip of a factor of ten reads better as a multiple. */
const times = (value = 0) => `${Math.round(value / 100 + 1)} times`

interface GuardText {
  title: string
  text: string
  /** The button that names the risk; null for a guard that asks for no second press. */
  risk: string | null
}

const GUARDS: Record<GuardId, (guard: Guard) => GuardText> = {
  'far-under': ({ percent: by, againstSats }) => ({
    title: `This is ${percent(by)} under ${money(againstSats ?? 0)}.`,
    text: 'Type the price again to list so far under the floor or the last sale.',
    risk: `List ${percent(by)} under`,
  }),
  'under-floor': ({ percent: by, againstSats }) => ({
    title: `This is ${percent(by)} under the floor.`,
    text: `The floor is ${money(againstSats ?? 0)}.`,
    risk: `List ${percent(by)} under the floor`,
  }),
  'under-offer': ({ againstSats }) => ({
    title: 'An offer pays you more.',
    text: `You would receive ${money(againstSats ?? 0)} now, after all fees.`,
    risk: null,
  }),
  'same-as-offer': ({ againstSats }) => ({
    title: 'An offer pays you the same.',
    text: `You would receive ${money(againstSats ?? 0)} now, after all fees.`,
    risk: null,
  }),
  'above-listing': ({ againstSats }) => ({
    title: 'You can buy it for less.',
    text: `It is for sale for ${money(againstSats ?? 0)}.`,
    risk: 'Offer more than its price',
  }),
  'above-floor': ({ againstSats }) => ({
    title: 'This is above the floor.',
    text: `You can buy one for ${money(againstSats ?? 0)}.`,
    risk: 'Offer more than the floor',
  }),
  replaces: ({ offerCount = 0 }) => ({
    title:
      offerCount === 1 ? 'This replaces one of your offers.' : `This replaces ${offerCount} of your offers.`,
    text: 'The same coin backs both, and no other coin of yours is enough.',
    risk: offerCount === 1 ? 'Replace the offer' : `Replace ${offerCount} offers`,
  }),
  'below-top-offer': ({ againstSats }) => ({
    title: 'Another offer pays you more.',
    text: `You would receive ${money(againstSats ?? 0)} from it, after all fees.`,
    risk: 'Take the lower offer',
  }),
  size: ({ percent: by, againstSats }) => ({
    title: `This is ${times(by)} the floor.`,
    text: `The floor is ${money(againstSats ?? 0)}. Check the decimal point.`,
    risk: `Go on at ${times(by)} the floor`,
  }),
  balance: ({ againstSats }) => ({
    title: 'This takes nearly all that you have.',
    text: `Available: ${money(againstSats ?? 0)}.`,
    risk: 'Use nearly all of it',
  }),
}

export const guardText = (guard: Guard): GuardText => GUARDS[guard.id](guard)

export const WAYS_OUT: Record<WayOut, string> = {
  'match-floor': 'Match the floor',
  'sell-now': 'Sell now for more',
  'buy-now': 'Buy now',
  'sweep-floor': 'Buy the cheapest',
  'better-offer': 'Take the better one',
}

const BILL_ROWS = {
  price: 'Price',
  marketplaceFee: 'Marketplace fee',
  creatorRoyalty: 'Creator royalty',
  postage: 'Postage',
  networkFee: 'Network fee',
  cpfpFee: 'Speeding up the transfers',
  sellerTransfers: 'Seller transfer',
  donation: 'Donation',
  bitcoinPaid: 'You pay',
  bitcoinReceived: 'You receive',
}

/** A row of a bill, with the rate where it has one. */
export function billLabel({
  kind,
  rateBps,
}: {
  kind: keyof typeof BILL_ROWS
  rateBps: number | null
}): string {
  return rateBps ? `${BILL_ROWS[kind]}, ${rateBps / 100}%` : BILL_ROWS[kind]
}

/** The review before a signature. */
export const review = {
  youGive: 'You give',
  youReceive: 'You receive',
  checked:
    'Checked in your browser: it matches what you agreed to. All of this is read from the transaction, not from what the server says.',
  checkedSeveral: (count: number) =>
    `Checked in your browser: all ${count} transactions match what you agreed to.`,
  totalChanged: (from: string, to: string) => `The total went from ${from} to ${to}.`,
  cancel: 'Cancel',
  sign: 'Sign in the wallet',
  showAll: (count: number) => `Show all ${count} transactions`,
  transaction: 'The transaction',
  transactionOf: (n: number, count: number) => `Transaction ${n} of ${count}`,
  onlyWithPayment: 'valid only with the payment to you',
  buyerPaysNetwork: 'The buyer pays the network fee.',
  toMiners: 'to the miners',
  details: 'Show inputs, outputs and the raw PSBT',
  script: 'script',
  yours: 'yours',
  youSign: 'you sign',
  goesTo: (own: 'ordinals' | 'payment' | null) =>
    own === 'ordinals' ? 'to your ordinals address' : own === 'payment' ? 'back to you' : 'to',
}
