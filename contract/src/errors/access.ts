import { entries } from './entry.ts'

/** 401, 403 and 410: the caller may not do it. */
export const ACCESS = {
  ...entries('unauthenticated', {
    'session-required': {
      about: 'The session token or cookie is missing, invalid or expired.',
      mend: 'Sign in, and send the token as Authorization: Bearer <sessionToken>.',
    },
    'session-ambiguous': {
      about: 'The request carries two session cookies.',
      mend: 'Delete the cookies of the site and sign in again.',
    },
    'challenge-signature-invalid': {
      about: 'A challenge was not signed by BIP-322 with the key of its address.',
      mend: 'Sign the exact text of the challenge with the address that it names.',
    },
    'operator-token-required': {
      about: 'Only the operator may read this.',
      mend: 'Send the METRICS_TOKEN of the server as bearer token.',
    },
  }),
  ...entries('forbidden', {
    'wallet-blocked': {
      about:
        'The operator does not let this wallet, or this inscription, start trades. Taking orders back always works.',
      mend: 'Ask the operator of the market.',
    },
    'wallet-underfunded': {
      about: 'The payment address holds fewer confirmed sats than a trading session needs.',
      mend: 'Fund the payment address, wait for a block and sign in again.',
    },
    'coins-of-market-exhausted': {
      about: 'A wallet without enough confirmed sats holds as many coins of the market as it may.',
      mend: 'Delist something, or fund the payment address.',
    },
    'binding-unknown': {
      about: 'The walletBindingId is not one of the caller.',
      mend: 'Use a walletBindingId of GET /me.',
    },
    'order-not-yours': {
      about: 'The order was made by, or to, another wallet than that of the binding.',
      mend: 'Use the binding of the wallet that made, or received, the order.',
    },
    'inscription-not-yours': {
      about: 'The inscription is not at the ordinals address of the binding.',
      mend: 'Use the binding whose ordinals address holds the inscription.',
    },
    'profile-gone': {
      about: 'The profile of the session no longer exists.',
      mend: 'Sign in again.',
    },
    'foreign-page': {
      about:
        'A page of another site, or a prefetch, asked for something that only the pages of the market may ask for.',
      mend: 'Use /api/v1 with a bearer token.',
    },
    'metrics-closed': {
      about: 'The figures of this server are closed.',
      mend: 'Set METRICS_TOKEN and send it as bearer token.',
    },
  }),
  ...entries('expired', {
    'challenge-expired': {
      about: 'A challenge lives ten minutes.',
      mend: 'Start a new sign-in.',
    },
  }),
}
