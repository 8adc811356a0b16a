import { plural } from '@ordbook/web-ui/strings/plural.ts'

const items = (count: number) => plural(count, { one: '# item', other: '# items' })

export const batch = {
  tools: 'Fill in prices',
  toolsFor: (chosen: number) => `Price for ${chosen} chosen`,
  tool: { floor: 'Floor', trait: 'Trait floor', bid: 'Best bid', ladder: 'Ladder' },
  adjust: 'Adjust by percent',
  adjustWrong: 'Type a percentage, such as +5 or -2.5.',
  ladderStep: 'Step',
  apply: 'Apply',
  undo: 'Undo',
  rounded: 'Rounded up to 0.00001 BTC, below 0.001 BTC to 10 sats.',
  noneFilled: 'None of the chosen items has this price.',
  table: 'Prices',
  all: 'Choose all',
  choose: (name: string) => `Choose ${name}`,
  item: 'Item',
  floor: 'Floor',
  topOffer: 'Top offer',
  royalty: 'Royalty',
  percent: (percent: number) => (percent === 0 ? 'none' : `${percent}%`),
  traitFloor: 'Trait floor',
  bestBid: 'Best bid',
  listedAt: 'Listed at',
  notListed: 'Not listed',
  price: (unit: string) => `Price, ${unit}`,
  priceOf: (name: string, unit: string) => `Price of ${name} in ${unit}`,
  versusFloor: 'vs floor',
  versusTrait: 'vs trait floor',
  receive: 'You receive',
  was: (amount: string) => `was ${amount}`,
  keys: 'Arrow keys move between prices. Enter keeps a price and goes down, Escape restores it. Prices can be typed as +5%, floor, trait or bid.',
  none: 'Choose items, or type their prices.',
  changes: (count: number) => plural(count, { one: '# change', other: '# changes' }),
  newListings: 'New listings',
  priceChanges: 'Price changes',
  withoutPrice: (count: number) =>
    `${plural(count, { one: '# chosen item has', other: '# chosen items have' })} no new price and will not be listed.`,
  invalid: (count: number) => `Correct ${plural(count, { one: '# price', other: '# prices' })} first.`,
  more: (count: number) => `and ${plural(count, { one: '# more', other: '# more' })}.`,
  underTrait: (count: number) =>
    `${plural(count, { one: '# price is', other: '# prices are' })} 10% or more under the trait floor.`,
  sameAsOffer: (count: number) =>
    `${plural(count, { one: '# price pays', other: '# prices pay' })} the same as an offer that you can accept now.`,
  refused: (name: string) => `${name} cannot be listed now and will not be listed.`,
  ifSells: (count: number) => (count === 1 ? 'You receive when it sells' : 'You receive if all sell'),
  /** `wallet`: null if it is not in the browser. */
  windows: (wallet: string | null, windows: number, of: number) =>
    windows === 1
      ? `${wallet ?? 'Your wallet'} asks once for ${of === 1 ? 'the listing' : `all ${of}`}.`
      : `${wallet ?? 'Your wallet'} asks ${windows} times, once for each transaction.`,
  stays: 'Nothing leaves your wallet until an item sells.',
  expires: 'Expires in',
  review: (count: number, underFloor: number, farAbove: number) => {
    const risks = [
      ...(underFloor > 0 ? [`${underFloor} under the floor`] : []),
      ...(farAbove > 0 ? [`${farAbove} far above the floor`] : []),
    ]
    return [`Review ${count}`, ...risks].join(', ')
  },
  reviewNone: 'Review',
  continueWith: (risks: number) =>
    `Continue with ${plural(risks, { one: '# warning', other: '# warnings' })}`,
  listing: (count: number) => `Listing ${items(count)}`,
  listed: (count: number) => `Listed ${items(count)}.`,
  listedCount: (count: number) => `Listed, of the chosen: ${count}`,
  clear: 'Clear',
  details: 'Show the bill',
  summary: 'Summary',
}
