import type { Answer } from '@ordbook/sdk/operations.ts'
import { count, money } from '../format/format.ts'
import { signedPercent } from '../money/difference.ts'
import type { Problem } from '../money/parse.ts'
import type { Unit } from '../money/units.ts'
import type { BackedOffer, Guard, GuardId, WayOut } from '../rules/guards.ts'
import { verification } from './pages.ts'
import { plural } from './plural.ts'

const inBoth = (sats: number) => `${money(sats)} (${count(sats)} sats)`

export const ticket = {
  buyNow: 'Buy now',
  makeOffer: 'Make offer',
  offerFor: (name: string) => `Offer for ${name}`,
  buyItem: (name: string) => `Buy ${name}`,
  buying: (name: string) => `Buying ${name}`,
  anyItem: 'Any item of this collection',
  bidFor: (
    { name, verificationStatus }: { name: string; verificationStatus: 'verified' | 'unverified' },
    trait: { type: string; value: string } | null,
  ) => `${verification.named(name, verificationStatus)}${trait ? `, ${trait.type}: ${trait.value}` : ''}`,
  reviewOffer: 'Review offer',
  price: 'Price',
  yourOffer: 'Your offer',
  priceAgain: 'Type the price again',
  expiresIn: 'Expires in',
  inUnit: (label: string, unit: string) => `${label} in ${unit}`,
  feesOnTop: 'Market and network fees are added. You see the total before you sign.',
  editPrice: 'Edit price',
  editPriceOf: (name: string) => `Edit price of ${name}`,
  listItem: (name: string) => `List ${name}`,
  changePrice: (sats: number | null) => (sats ? `Change price to ${money(sats)}` : 'Change price'),
  listForSale: 'List for sale',
  list: (sats: number | null) => (sats ? `List for ${money(sats)}` : 'List'),
  counter: 'Send counter-offer',
  addAmount: 'Amount to add',
  unitOf: (label: string) => `Unit of ${label.toLowerCase()}`,
  atLeast: (sats: number) => `At least ${sats.toLocaleString('en')} sats.`,
  rounded: (sats: number) => `Rounded down to ${money(sats)}.`,
  use: (amount: string) => `Use ${amount}`,
  unitChanged: (sats: number) => `This is now ${inBoth(sats)}.`,
  unitWas: (sats: number) => `Before the unit changed, it was ${inBoth(sats)}.`,
  useAmount: (sats: number) => `Use ${money(sats)}`,
  bill: 'Bill',
  youPay: 'You pay',
  mostYouPay: 'Most you pay',
  youReceive: 'You receive',
  postageStays: 'Comes with the item and stays yours',
  transferAdvanced: 'Moves the item out of the seller’s wallet. The market pays this first.',
  transferFaster: 'Raises the fee of these moves to this rate',
  rateOfMarket: 'The market sets the rate for the next blocks',
  about: 'Estimated at the current network fee. Connect your wallet for the exact amount.',
  tooLittle: (missing: string, available: string) => `You need ${missing} more. Available: ${available}.`,
  otherPrice: 'The two prices do not match.',
  comparison: 'To compare',
  noneYet: 'None yet',
  floor: 'Floor',
  traitFloor: 'Trait floor',
  topOffer: 'Top offer',
  lastSale: 'Last sale',
  choices: 'Quick choices',
  bestBid: 'Best bid',
  bidKinds: { item: 'offer on this item', collection: 'top offer', trait: 'trait bid' },
  listLess: (difference: string) => `List price ${difference}`,
  options: 'Options',
  until: (period: string) => `Expires in ${period}`,
  coins: 'Pay from',
  freeCoins: 'Coins that back no other offer',
  anyCoins: 'Any of my coins',
  ifAllSell: 'You receive if all sell',
  postageBack: (sats: number) => `and ${sats.toLocaleString('en')} sats of postage back`,
  nothingNow: 'Nothing is paid before an owner accepts.',
  staysYours: 'Nothing leaves your wallet until it sells. Cancel at any time.',
  coinsStay: 'Your BTC stays in your wallet until an owner accepts.',
  coinsAside:
    'Your BTC stays in your wallet until an owner accepts. If nobody does, the offer ends and nothing moves. Cancel at any time.',
  refused: (code: string) =>
    code === 'inscription-in-trade'
      ? 'This item is being bought and will not be listed.'
      : code === 'inscription-coin-shared'
        ? 'This coin also contains another inscription. Separate the coin first, then list the item.'
        : 'This item cannot be listed now and will not be listed.',
  endTogether: 'Offers that share a coin end together. The total counts only offers that can all be filled.',
}

const DECIMALS: Record<Unit, string> = {
  btc: 'Use at most 8 decimals. The smallest amount is 0.00000001.',
  sats: 'Use whole sats.',
  fiat: 'Use at most two decimals.',
}

/** Explains why an amount is invalid. */
export function problemText(problem: Problem, suggestion: string | null, unit: Unit): string {
  if (problem === 'exponent') return 'Type the amount without an exponent.'
  if (problem === 'decimals' || problem === 'part-of-sat') return DECIMALS[unit]
  if (problem === 'rate')
    return 'The exchange rate is more than ten minutes old. Type the amount in BTC or sats.'
  if (problem === 'most') return 'The amount exceeds 21 million BTC. Type a smaller amount.'
  if (problem === 'step')
    return `The amount does not match the price step. The next lower amount is ${suggestion}.`
  return suggestion ? `Did you mean ${suggestion}?` : 'Type an amount, such as 0.0015.'
}

const percent = (value = 0) => `${Math.abs(value).toFixed(Math.abs(value) < 10 ? 1 : 0)}%`
const times = (value = 0) => `${count(Math.round(value / 100 + 1))} times`

interface GuardText {
  title: string
  text: string
  /** Label of the confirm button; null if none is needed. */
  risk: string | null
}

const MAX_NAMED = 3

function offersText(offers: readonly BackedOffer[]): string {
  const named = offers
    .slice(0, MAX_NAMED)
    .map((offer) => `${money(offer.priceSats)} for ${offer.scopeLabel ?? offer.collectionSlug}`)
  const rest = offers.length - named.length
  return [...named, ...(rest > 0 ? [`${rest} more`] : [])].join(', ')
}

const GUARDS: Record<GuardId, (guard: Guard) => GuardText> = {
  'in-line': ({ againstSats = 0, mostSats = 0, trait }) => ({
    title: 'In line with its traits.',
    text: `${trait} last sold for ${money(againstSats)}${againstSats === mostSats ? '' : ` to ${money(mostSats)}`}.`,
    risk: null,
  }),
  unverified: ({ collections }) => ({
    title: collections
      ? plural(collections, {
          one: '# collection is not verified by this market.',
          other: '# collections are not verified by this market.',
        })
      : 'Not verified by this market.',
    text: `Check the inscription ids before you ${collections ? 'sign' : 'buy'}.`,
    risk: null,
  }),
  'same-name': ({ name = '' }) => ({
    title: verification.notThe(name),
    text: 'This is another collection with a similar name.',
    risk: 'Continue with the unverified collection',
  }),
  'fee-rate': ({ percent: by }) => ({
    title: `The network fee is ${percent(by)} of the price.`,
    text: 'The fee is lower when the network is less busy.',
    risk: null,
  }),
  'price-moved': ({ againstSats = 0, mostSats = 0 }) => ({
    title: `The total went from ${money(Math.abs(againstSats))} to ${money(Math.abs(mostSats))}.`,
    text: 'Check the new bill before you continue.',
    risk: null,
  }),
  shares: ({ offers = [] }) => ({
    title:
      offers.length === 1
        ? 'This shares a coin with one of your offers.'
        : `This shares a coin with ${offers.length} of your offers.`,
    text: `When one of them is accepted, the others end: ${offersText(offers)}.`,
    risk: 'Share the coin',
  }),
  'far-under': ({ percent: by, against = 'floor', againstSats, retype }) => ({
    title: `This is ${percent(by)} under the ${against}.`,
    text: `The ${against} is ${money(againstSats ?? 0)}. ${retype ? 'To list this far under it, type the price again.' : 'Check the decimal point.'}`,
    risk: `Continue at ${percent(by)} under the ${against}`,
  }),
  'under-floor': ({ percent: by, againstSats }) => ({
    title: `This is ${percent(by)} under the floor.`,
    text: `The floor is ${money(againstSats ?? 0)}.`,
    risk: `Continue at ${percent(by)} under the floor`,
  }),
  'under-trait-floor': ({ percent: by, againstSats }) => ({
    title: `This is ${percent(by)} under the trait floor.`,
    text: `The trait floor is ${money(againstSats ?? 0)}.`,
    risk: null,
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
    title: 'You can buy this item for less.',
    text: `It is for sale for ${money(againstSats ?? 0)}.`,
    risk: 'Offer more than its price',
  }),
  'above-floor': ({ against = 'floor', againstSats }) => ({
    title: `This is above the ${against}.`,
    text: `The ${against} is ${money(againstSats ?? 0)}: you can buy one for that.`,
    risk: `Offer more than the ${against}`,
  }),
  replaces: ({ offers = [] }) => ({
    title:
      offers.length === 1
        ? 'This replaces one of your offers.'
        : `This replaces ${offers.length} of your offers.`,
    text: `The same coin backs ${offersText(offers)}.`,
    risk: offers.length === 1 ? 'Replace the offer' : `Replace ${offers.length} offers`,
  }),
  'below-top-offer': ({ againstSats }) => ({
    title: 'Another offer pays you more.',
    text: `You would receive ${money(againstSats ?? 0)} from it, after all fees.`,
    risk: 'Accept the lower offer',
  }),
  size: ({ percent: by, against = 'floor', againstSats }) => ({
    title: `This is ${times(by)} the ${against}.`,
    text: `The ${against} is ${money(againstSats ?? 0)}. Check the decimal point.`,
    risk: `Continue at ${times(by)} the ${against}`,
  }),
  uneven: ({ percent: by = 0, against, againstSats }) => ({
    title: `You get ${Math.abs(by).toFixed(1)}% less than you give.`,
    text: `The difference is ${money(againstSats ?? 0)} by ${against}.`,
    risk: signedPercent(by),
  }),
  balance: ({ againstSats }) => ({
    title: 'This uses almost your whole balance.',
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
  'better-offer': 'Accept the better offer',
  'verified-one': verification.seeThe,
  'new-total': 'Accept the new total',
  'other-coin': 'Use another coin',
}

const BILL_ROWS = {
  price: 'Price',
  buyerFee: 'Buyer fee',
  sellerFee: 'Seller fee',
  tradeFee: 'Trade fee',
  creatorRoyalty: 'Creator royalty',
  postage: 'Postage',
  networkFee: 'Network fee',
  cpfpFee: 'Speeding up the transfers',
  sellerTransfers: 'Seller transfer',
  donation: 'Donation',
  bitcoinPaid: 'BTC that you add',
  bitcoinReceived: 'BTC that you get',
}

/** Returns the label of a bill row. A seller's deductions are negative. `satVb`: fee rate of the transaction. */
export function billLabel(
  { kind, sats, rateBps }: Answer<'quotePurchase'>['bill'][number],
  satVb?: number,
  isSwap = false,
): string {
  if (kind === 'networkFee' && satVb) return `${BILL_ROWS[kind]}, ${satVb} sat/vB`
  const name = kind !== 'marketplaceFee' ? kind : isSwap ? 'tradeFee' : sats < 0 ? 'sellerFee' : 'buyerFee'
  return rateBps ? `${BILL_ROWS[name]}, ${rateBps / 100}%` : BILL_ROWS[name]
}
