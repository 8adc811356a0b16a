import { money } from '../format/format.ts'

/** Texts of selling into an offer. */
export const sale = {
  sell: (name: string) => `Sell ${name}`,
  sellShort: 'Sell',
  sellNow: 'Sell now',
  sellNowFor: 'Sell now for',
  sellFor: (sats: number) => `Sell for ${money(sats)}`,
  thisOffer: 'This offer',
  forAny: (scope: string) => `For ${scope}`,
  postageBack: (sats: number) => `The postage comes back on top: ${money(sats)}.`,
  postageLeaves: (sats: number) => `The postage of ${money(sats)} goes to the buyer with the item.`,
  once: 'You sign once. Nothing moves unless all of it does.',
  changed: 'The offers or the fees changed while you looked. Check the bill, then press again.',
  noneFits: 'You hold nothing that this offer takes',
  connect: 'Connect your wallet to see what this offer takes',
  listedFor: 'Listed for',
  running: (name: string) => `Selling ${name}`,
  done: (txid: string) => `Sold in ${txid}.`,
} as const
