/**
 * The kinds of signature that trades need. By key: a transfer (the inscription's coin), a payment, and a transfer in a version 3
 * transaction. By an escrow leaf: a sale (sighash 131), a counter (129), a recovery (ALL), and its owner's exit.
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

/** Everything that a trader does with a wallet: its name for people, and the kinds of signature that it needs. */
export const FLOWS = {
  'sign-in': { name: 'sign in', needs: ['message'] },
  list: { name: 'list', needs: ['transfer', 'sale', 'recovery'] },
  // Needs no signature, but a listing must exist.
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
