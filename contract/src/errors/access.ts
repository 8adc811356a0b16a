import { entries } from './entry.ts'

/** 401, 403 and 410: not signed in, not allowed, or expired. */
export const ACCESS = {
  ...entries('unauthenticated', {
    'session-required': {
      about: 'The session token or cookie is missing, invalid or expired.',
      mend: 'Sign in and send Authorization: Bearer <sessionToken>.',
    },
    'session-ambiguous': {
      about: 'The request has two session cookies.',
      mend: "Delete the site's cookies and sign in again.",
    },
    'challenge-signature-invalid': {
      about: 'A challenge has no valid BIP-322 signature by its address.',
      mend: 'Sign the exact challenge text with the address it names.',
    },
    'operator-token-required': {
      about: 'Only the operator can read this.',
      mend: "Send the server's METRICS_TOKEN as the bearer token.",
    },
  }),
  ...entries('forbidden', {
    'wallet-blocked': {
      about: 'The operator has blocked an address of this wallet.',
      mend: 'Contact the operator. Inscriptions in escrow can leave without the market.',
    },
    'wallet-underfunded': {
      about: 'The payment address has too few confirmed sats.',
      mend: 'Fund the payment address, wait for a block and sign in again.',
    },
    'coins-of-market-exhausted': {
      about: 'A wallet with too few confirmed sats has reserved its maximum of market coins.',
      mend: 'Delist something, or fund the payment address.',
    },
    'binding-unknown': {
      about: 'The walletBindingId is not one of your bindings.',
      mend: 'Use a walletBindingId from GET /me.',
    },
    'order-not-yours': {
      about: 'The order belongs to a different wallet than the binding.',
      mend: 'Use the binding that made or received the order.',
    },
    'inscription-not-yours': {
      about: 'The inscription is not at the ordinals address of the binding.',
      mend: 'Use the binding that holds it.',
    },
    'profile-gone': {
      about: "The session's profile no longer exists.",
      mend: 'Sign in again.',
    },
    'foreign-page': {
      about: "A POST below /web/v1 without the market's origin in the Origin header, or a prefetch.",
      mend: 'Use the operation of /api/v1 with a bearer token. If the API does not have it, as with swaps, send Origin and a session cookie (/docs/session).',
    },
    'metrics-closed': {
      about: 'Metrics are disabled on this server.',
      mend: 'Set METRICS_TOKEN and send it as the bearer token.',
    },
  }),
  ...entries('expired', {
    'challenge-expired': {
      about: 'The challenge is more than ten minutes old.',
      mend: 'Start a new sign-in.',
    },
  }),
}
