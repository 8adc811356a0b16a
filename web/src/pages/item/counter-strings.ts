import { money } from '@ordbook/web-ui/format/format.ts'
import { sale } from '@ordbook/web-ui/strings/sale.ts'

export const counter = {
  counter: 'Counter',
  title: 'Counter this offer',
  theirOffer: 'Their offer:',
  hint: 'The buyer pays the network fee.',
  postageBack: sale.postageBack,
  running: 'Sending the counter-offer',
  done: (price: string) => `Counter-offer placed. ${price} for this buyer.`,
  accept: 'Accept',
  acceptTitle: 'Accept this counter-offer',
  buyFor: (sats: number) => `Buy for ${money(sats)}`,
  accepting: 'Accepting the counter-offer',
  bought: (txid: string) => `Bought in ${txid}.`,
  once: sale.once,
} as const
