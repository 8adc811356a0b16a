/**
 * Kinds of signature in trades. With a key: transfer of the inscription's coin, payment, and a version 3 transaction. With an escrow leaf:
 * sale (sighash 131), counter (129), recovery (ALL), and exit.
 */
export const KINDS = [
  'message',
  'transfer',
  'payment',
  'version-3',
  'sale',
  'counter',
  'recovery',
  'exit',
] as const
export type Kind = (typeof KINDS)[number]

/** Actions of a trader, and the kinds of signature they require. */
export const FLOWS = {
  'sign-in': { name: 'sign in', needs: ['message'] },
  list: { name: 'list', needs: ['transfer', 'sale', 'recovery'] },
  // Needs no signature, but a listing.
  delist: { name: 'delist', needs: ['transfer', 'sale', 'recovery'] },
  buy: { name: 'buy', needs: ['payment'] },
  offer: { name: 'offer', needs: ['payment'] },
  accept: { name: 'accept an offer', needs: ['transfer'] },
  counter: { name: 'counter an offer', needs: ['transfer', 'counter', 'recovery'] },
  'accept-counter': { name: 'accept a counter', needs: ['payment'] },
  bid: { name: 'bid on a collection', needs: ['payment', 'version-3'] },
  fill: { name: 'fill a collection bid', needs: ['version-3'] },
  'accept-swap': { name: 'accept a swap', needs: ['transfer', 'payment'] },
  'propose-swap': { name: 'propose a swap', needs: ['transfer', 'payment'] },
  exit: { name: 'leave escrow', needs: ['exit'] },
} as const satisfies Record<string, { name: string; needs: readonly Kind[] }>
export type Flow = keyof typeof FLOWS
