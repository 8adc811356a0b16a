/**
 * Kinds of signature in trades. With a key: a transfer of the inscription's coin, a payment, and a transfer in a version 3 transaction.
 * With an escrow leaf: a sale (sighash 131), a counter (129), a recovery (ALL), and an exit of the owner.
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

/** Actions of a trader: display name, and the required kinds of signature. */
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
