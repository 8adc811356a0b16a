import { money } from '../format/format.ts'

export const sale = {
  sell: (name: string) => `Sell ${name}`,
  sellShort: 'Sell',
  sellNow: 'Sell now',
  sellNowFor: 'Sell now for',
  sellFor: (sats: number) => `Sell for ${money(sats)}`,
  /** The seller of a collection offer pays a network fee, which is estimated. */
  youReceive: (isEstimate: boolean) => (isEstimate ? 'You receive about' : 'You receive'),
  thisOffer: 'This offer',
  forAny: (scope: string) => `For ${scope}`,
  postageBack: (sats: number) => `You also get the postage back: ${money(sats)}.`,
  postageLeaves: (sats: number) => `The postage of ${money(sats)} goes to the buyer with the item.`,
  once: 'You sign once. Either everything moves or nothing does.',
  changed: 'The offers or the fees changed. Check the new bill, then press again.',
  noneFits: 'You have no item that matches this offer',
  connect: 'Connect your wallet to see your items that match this offer',
  listedFor: 'Listed for',
  running: (name: string) => `Selling ${name}`,
  done: (txid: string) => `Sold in ${txid}.`,
} as const
