import { sumSats } from '@ordbook/bitcoin/sats.ts'
import { fullTime, money } from '../format/format.ts'
import { plural } from '../strings/plural.ts'
import { type Agreement, itemsOf, type TradedItem } from './agreement.ts'

/** Up to this number of items, sentences name each. */
const MAX_NAMED = 3

const items = (count: number) => plural(count, { one: '# item', other: '# items' })

/** Names a few items, or counts them. */
function named(all: readonly Pick<TradedItem, 'name'>[]): string {
  if (all.length > MAX_NAMED) return items(all.length)
  return listed(all.map(({ name }) => name))
}

const listed = (parts: readonly string[]) =>
  parts.length < 2 ? (parts[0] ?? '') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`

const pick = <T>(count: number, one: T, several: T) => (count === 1 ? one : several)

/** Title of the dialog. */
export function headingOf(agreement: Agreement): string {
  const { length } = itemsOf(agreement)
  switch (agreement.kind) {
    case 'buy':
      return pick(length, 'Review your purchase', `Review your purchase of ${items(length)}`)
    case 'list':
      return pick(length, 'Review your listing', `Review ${length} listings`)
    case 'offer':
      return 'Review your offer'
    case 'bid': {
      const count = agreement.pricesSats.length
      return pick(count, 'Review your collection offer', `Review ${count} collection offers`)
    }
    case 'accept':
    case 'sell':
      return 'Review your sale'
    case 'counter':
      return 'Review your counter-offer'
    case 'accept-counter':
      return 'Review your purchase'
    case 'swap':
      return 'Review the trade'
    case 'withdraw':
      return 'Review the withdrawal'
    case 'move':
      return 'Review the move'
    case 'exit':
      return 'Review the exit'
    case 'split':
      return 'Review the split'
  }
}

/** Name of the trade in progress messages. */
export function titleOf(agreement: Agreement): string {
  const all = itemsOf(agreement)
  const subject = all.length === 1 ? all[0]!.name : items(all.length)
  switch (agreement.kind) {
    case 'buy':
    case 'accept-counter':
      return `Buy ${subject}`
    case 'list':
      return `List ${subject}`
    case 'offer':
      return `Offer for ${subject}`
    case 'bid':
      return `Offer for ${agreement.about}`
    case 'accept':
    case 'sell':
      return `Sell ${subject}`
    case 'counter':
      return `Counter-offer for ${subject}`
    case 'swap':
      return agreement.completes ? 'Complete the trade' : 'Accept the trade'
    case 'withdraw':
      return `Withdraw ${subject}`
    case 'move':
      return `Move ${subject} to a new escrow`
    case 'exit':
      return `Exit escrow with ${subject}`
    case 'split':
      return `Split the coin of ${subject}`
  }
}

/** Returns the sentence that describes an agreement. Every number, plural and condition follows from the agreement. */
export function sentence(agreement: Agreement): string {
  switch (agreement.kind) {
    case 'buy':
      return buySentence(agreement)
    case 'list':
      return listSentence(agreement)
    case 'offer':
      return `You offer ${money(agreement.priceSats)} for ${agreement.item.name}. Your coins stay in your wallet. When the owner accepts, you pay and receive the item in one transaction. Spending one of these coins, or cancelling, ends the offer.`
    case 'bid':
      return bidSentence(agreement)
    case 'accept':
    case 'sell':
      return `You sell ${agreement.item.name} for ${money(agreement.priceSats)}, less the fees in the bill. The item and the payment move in one transaction, or nothing moves.`
    case 'counter':
      return `You ask this buyer for ${money(agreement.priceSats)} for ${agreement.item.name}. Nothing leaves your wallet until the buyer accepts. You can cancel until then. ${signedText(1, 'the buyer accepts')}`
    case 'accept-counter':
      return `You pay ${money(agreement.priceSats)} plus the postage and fees in the bill, and receive ${agreement.item.name}. Both happen in one transaction, or nothing happens.`
    case 'swap':
      return swapSentence(agreement)
    default:
      return ownSentence(agreement)
  }
}

function buySentence({ bought }: Extract<Agreement, { kind: 'buy' }>): string {
  const totalSats = sumSats(bought.map(({ priceSats }) => priceSats))
  const receive = named(bought.map(({ item }) => item))
  const all = pick(bought.length, 'Both happen in one transaction', 'All of it happens in one transaction')
  return `You pay ${money(totalSats)} plus the postage and fees in the bill, and receive ${receive}. ${all}, or nothing happens.`
}

function listSentence({ listed: all, isInEscrow }: Extract<Agreement, { kind: 'list' }>): string {
  const subject = named(all.map(({ item }) => item))
  const [only] = all
  const price =
    all.length === 1
      ? `You list ${subject} for ${money(only!.priceSats)}.`
      : `You list ${subject}, each at its price. Each listing is independent.`
  const until = isInEscrow
    ? `${pick(all.length, 'It is', 'They are')} sold directly from escrow. The market no longer signs your earlier prices.`
    : `Nothing leaves your wallet until ${pick(all.length, 'it sells', 'one sells')}, and then only that item. You can delist at any time. ${signedText(all.length, 'a buyer pays')}`
  return [price, until, ...endedListings(all.map(({ item }) => item))].join(' ')
}

/** Says what is signed for a sale through escrow: the sale, the transfer and the recovery. */
const signedText = (count: number, when: 'a buyer pays' | 'the buyer accepts') =>
  `You sign ${pick(count, 'the sale', 'each sale')}, the move to escrow that is sent when ${when}, and the return ${pick(count, 'of the item', 'of the items')} to you if the sale then fails.`

/** Names the listings that end, at most one per coin. */
const endedListings = (all: readonly TradedItem[]): string[] =>
  all.flatMap(({ name, listedForSats }) =>
    listedForSats === null
      ? []
      : [`This ends the earlier listing of the coin that holds ${name}, for ${money(listedForSats)}.`],
  )

function bidSentence({ about, pricesSats }: Extract<Agreement, { kind: 'bid' }>): string {
  const count = pricesSats.length
  const offered =
    count === 1
      ? `You offer ${money(pricesSats[0]!)} for any one of ${about}.`
      : `You make ${count} offers from ${money(Math.max(...pricesSats))} down to ${money(Math.min(...pricesSats))}, each for any one of ${about}. Offers that share a coin end together.`
  return `${offered} Nothing is paid before an owner accepts. Two keys of the market then release the coins only for an eligible inscription, and you can withdraw them until then. This market decides which inscriptions are eligible.`
}

function swapSentence({
  gives,
  gets,
  netSats,
  completes,
  endsAt,
}: Extract<Agreement, { kind: 'swap' }>): string {
  const side = (all: readonly TradedItem[], sats: number) =>
    listed([...(all.length > 0 ? [named(all)] : []), ...(sats > 0 ? [money(sats)] : [])]) || 'nothing'
  const when = completes
    ? ''
    : ` Until the other side signs too, you can withdraw.${endsAt === null ? '' : ` If they do not sign by ${fullTime(endsAt)}, the trade ends and nothing moves.`}`
  return `You give ${side(gives, -netSats)} and receive ${side(gets, netSats)}. Both sides move together in one transaction, or nothing moves.${when}`
}

function ownSentence({
  kind,
  items: all,
  maxNetworkSats,
}: Extract<Agreement, { kind: 'withdraw' | 'move' | 'exit' | 'split' }>): string {
  const count = all.length
  const subject = named(all)
  const noLonger = pick(count, 'It is no longer for sale.', 'They are no longer for sale.')
  switch (kind) {
    case 'withdraw':
      return `${subject} ${pick(count, 'returns', 'return')} to your ordinals address. ${noLonger} The market pays the network fee.`
    case 'exit':
      return `${subject} ${pick(count, 'returns', 'return')} to your ordinals address with your signature only. ${noLonger} You pay the network fee, at most ${money(maxNetworkSats)}.`
    case 'move':
      return `${subject} ${pick(count, 'moves', 'move')} to ${pick(count, 'a new escrow', 'new escrows')} and ${pick(count, 'stays', 'stay')} yours. After it confirms, no price that you signed before is valid, even if the market’s key is stolen. ${pick(count, 'Its listing ends', 'Their listings end')}; you can list again. You pay the network fee, at most ${money(maxNetworkSats)}.`
    case 'split':
      return `${subject} ${pick(count, 'moves', 'move')} to ${pick(count, 'a separate coin', 'separate coins')} at your own address. Nothing leaves your wallet but the network fee, at most ${money(maxNetworkSats)}.`
  }
}

/** Texts about the moves now and later, if the trade is not sent immediately. */
export interface Later {
  leavesNow: string
  leavesThen: string
  arrivesThen: string
}

/** Returns the texts about later moves. Null if the trade is sent immediately. */
export function laterOf(agreement: Agreement): Later | null {
  switch (agreement.kind) {
    case 'list': {
      const { length } = agreement.listed
      return {
        leavesNow: 'Nothing. Listing costs no network fee.',
        leavesThen: pick(
          length,
          `${agreement.listed[0]!.item.name}, through escrow to its buyer.`,
          'That item only, through escrow to its buyer.',
        ),
        arrivesThen: pick(
          length,
          'The amount under "You receive", plus the postage.',
          'Its amount under "You receive", plus the postage.',
        ),
      }
    }
    case 'counter':
      return {
        leavesNow: 'Nothing.',
        leavesThen: `${agreement.item.name}, through escrow to this buyer.`,
        arrivesThen: 'The amount under "You receive", plus the postage.',
      }
    case 'offer':
      return {
        leavesNow: 'Nothing.',
        leavesThen: 'The amount under "Most you pay".',
        arrivesThen: `${agreement.item.name}, with its postage.`,
      }
    case 'bid': {
      const { length } = agreement.pricesSats
      return {
        leavesNow: 'Nothing.',
        leavesThen: pick(
          length,
          'The amount under "Most you pay".',
          'The price of the offer that was accepted.',
        ),
        arrivesThen: `Any one of ${agreement.about}, with its postage.`,
      }
    }
    default:
      return null
  }
}

/** Says when later happens. */
export function laterWhen(agreement: Agreement): string {
  if (agreement.kind === 'list') return agreement.listed.length === 1 ? 'when it sells' : 'when one sells'
  return agreement.kind === 'counter' ? 'when the buyer accepts' : 'when an owner accepts'
}

/** One line next to the buttons: what happens if the trade does not go through. */
export function footnoteOf(agreement: Agreement): string {
  switch (agreement.kind) {
    case 'buy':
      return 'If another buyer pays first, nothing is sent and you pay nothing.'
    case 'list':
      return pick(
        agreement.listed.length,
        `The listing expires after ${plural(agreement.days, { one: '# day', other: '# days' })}.`,
        `The listings expire after ${plural(agreement.days, { one: '# day', other: '# days' })}.`,
      )
    case 'offer':
    case 'bid':
      return 'You can cancel at any time before an owner accepts.'
    case 'counter':
      return 'You can cancel until the buyer accepts.'
    case 'split':
      return 'You can trade the items after the next block.'
    default:
      return 'If it does not go through, nothing is sent.'
  }
}
