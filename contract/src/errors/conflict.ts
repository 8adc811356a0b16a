import { entries } from './entry.ts'

/** 409: the request is valid, but conflicts with the current state. */
export const CONFLICT = entries('conflict', {
  'challenge-used': {
    about: 'The challenge was already used.',
    mend: 'Start a new sign-in.',
  },
  'address-linked': {
    about: 'One address is linked to another partner, or has its maximum of partners.',
    mend: 'Sign in with a pair that signed in before.',
  },
  'idempotency-key-reused': {
    about: 'The Idempotency-Key was used for a different request.',
    mend: 'Use a new key for each request.',
  },
  'idempotent-call-running': {
    about: 'The first request with this Idempotency-Key is still running.',
    mend: 'Retry after Retry-After.',
    retryable: true,
  },
  'preflight-expired': {
    about: "The submit's handle is unknown, expired, or belongs to another wallet.",
    mend: 'Start a new preflight and submit in time.',
  },
  'preflight-outdated': {
    about: 'The listing, the inscription, a coin or the eligible items changed since the preflight.',
    mend: 'Read again and start a new preflight. Never sign old PSBTs.',
  },
  'fees-risen': {
    about: "The network no longer accepts transactions at the preflight's fee rate.",
    mend: 'Start a new preflight.',
  },
  'minimum-risen': {
    about: 'The minimum offer for the inscription has risen since the preflight.',
    mend: 'Start a new preflight at an allowed price.',
  },
  'settlement-mismatched': {
    about: 'An expected transaction id or the fee rate differs from the prepared trade.',
    mend: 'Start a new preflight and send its ids.',
  },
  'listing-not-buyable': {
    about: 'The listing is sold, ended, or in a trade.',
    mend: 'Read the listings again and choose another.',
  },
  'listing-ended': {
    about: 'The listing has already ended, or is in a trade.',
    mend: 'Read the listing again. To relist, start a new preflight.',
  },
  'inscription-in-trade': {
    about: 'The inscription is being bought.',
    mend: 'Wait until the trade settles or fails.',
    retryable: true,
  },
  'inscription-moving': {
    about: 'A pending transaction moves the inscription.',
    mend: 'Wait for the next block.',
    retryable: true,
  },
  'inscription-immature': {
    about: "The inscription's coinbase output has fewer than 100 confirmations.",
    mend: 'Wait until the coinbase matures.',
    retryable: true,
  },
  'inscription-not-held': {
    about: 'No indexed output holds the inscription.',
    mend: 'Wait for its block, or choose another inscription.',
  },
  'inscription-coin-shared': {
    about: "The inscription's coin holds another inscription or a rune.",
    mend: "Use `ordbook split` or the SDK's `split`. Move runes with a rune wallet.",
  },
  'inscription-coin-too-small': {
    about: "The inscription's coin has too few sats to trade.",
    mend: 'Move it to a coin of the size in the message.',
  },
  'inscription-in-escrow': {
    about: "The inscription is in its owner's escrow.",
    mend: 'List it there with POST /escrows/relist/preflight.',
  },
  'inscription-leaving-escrow': {
    about: 'The inscription is leaving escrow.',
    mend: 'Wait for the next block.',
  },
  'inscription-not-eligible': {
    about: 'The inscription was not in the collection when the offer was made.',
    mend: 'Choose another inscription or offer.',
  },
  'owner-not-taproot': {
    about: 'The inscription is at an address type that cannot accept offers.',
    mend: 'Choose another inscription.',
  },
  'bids-declined': {
    about: 'The owner has turned off collection and trait offers on the inscription.',
    mend: 'Call declineBids with declined: false, then accept.',
  },
  'better-bid': {
    about: 'Another offer on the inscription pays its seller more.',
    mend: 'Accept or decline it, raise the price, or confirm as the message explains.',
  },
  'offer-not-active': {
    about: 'The order is no longer active.',
    mend: 'Read it again and choose another.',
  },
  'offer-being-accepted': {
    about: 'The offer or counter-offer is being accepted.',
    mend: 'Wait until the trade settles or fails.',
    retryable: true,
  },
  'order-duplicate': {
    about: 'An identical offer or acceptance is already active.',
    mend: 'Use that one, or cancel it first.',
  },
  'too-many-orders': {
    about: 'The wallet has reached its limit of active orders of this kind.',
    mend: 'Cancel one first.',
  },
  'proposal-unavailable': {
    about: 'Something that the proposal offers is moving, or its wallet is unknown.',
    mend: 'Wait for the next block, or choose another proposal.',
  },
  'coin-spent': {
    about: 'A coin of the trade is spent, or a pending transaction spends it.',
    mend: 'Start a new preflight with other coins.',
  },
  'coins-chain-too-long': {
    about: 'The coins have too many unconfirmed ancestors.',
    mend: 'Wait for the next block, or pay with confirmed coins.',
    retryable: true,
  },
  'signer-refused': {
    about: "The signer rejected the server's request.",
    mend: 'Report the message to the operator.',
  },
  'escrow-exhausted': {
    about: 'The escrow coin has no generation left for another price.',
    mend: 'Use POST /escrows/reclaim/preflight or POST /escrows/move/preflight.',
  },
  'guardian-refused': {
    about: 'The guardian rejected the fill of the collection offer.',
    mend: 'See the message, or choose another offer.',
  },
  'escrow-spent': {
    about: 'The escrow coin is spent, unconfirmed, or holds another inscription.',
    mend: 'Read GET /escrows again.',
  },
  'escrow-unconfirmed': {
    about: 'The escrow coin is not confirmed yet.',
    mend: 'Wait for the next block.',
    retryable: true,
  },
  'network-refused': {
    about: 'The network rejected the transaction permanently.',
    mend: 'Do not retry. If the message names an ended order, leave it out.',
  },
  'donation-not-offered': {
    about: 'This market does not collect donations.',
    mend: 'Omit roundUpDonation.',
  },
  'wallet-allowance-spent': {
    about: "The wallet's unconfirmed purchases have reached the market's limit per wallet.",
    mend: 'Buy from escrow, make an offer, or retry later.',
    retryable: true,
  },
  'market-allowance-spent': {
    about:
      'The market has reached its daily limit for purchases that may not settle, or its limit for new wallets.',
    mend: 'Buy from escrow, make an offer, or retry later.',
    retryable: true,
  },
  'listing-allowance-spent': {
    about: "Failed listings and counter-offers used up the wallet's daily network-fee budget.",
    mend: 'Retry later.',
    retryable: true,
  },
})
