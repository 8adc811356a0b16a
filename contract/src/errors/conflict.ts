import { entries } from './entry.ts'

/** 409: the request was right, and the state does not allow it. */
export const CONFLICT = entries('conflict', {
  'challenge-used': {
    about: 'A challenge serves once, and this one has.',
    mend: 'Start a new sign-in.',
  },
  'address-linked': {
    about:
      'The operator pinned one of the addresses to another partner, or one of them has as many partners as it may have.',
    mend: 'Sign in with a pair that signed in before.',
  },
  'idempotency-key-reused': {
    about: 'The Idempotency-Key came with another request of the profile before.',
    mend: 'Send a new key with each new request.',
  },
  'idempotent-call-running': {
    about: 'The first request with the Idempotency-Key is not answered yet.',
    mend: 'Repeat it after Retry-After.',
    retryable: true,
  },
  'preflight-expired': {
    about: 'The handle of the submit is unknown, used by another wallet, or too old.',
    mend: 'Start a new preflight and submit it within its lifetime.',
  },
  'preflight-outdated': {
    about:
      'Something has changed since the preflight: the listing, the inscription, a coin or the eligible items.',
    mend: 'Read again and start a new preflight; never sign old PSBTs.',
  },
  'fees-risen': {
    about: 'The network takes no transaction at the fee rate of the preflight any more.',
    mend: 'Start a new preflight.',
  },
  'minimum-risen': {
    about: 'The least that an offer on the inscription may be has risen since the preflight.',
    mend: 'Start a new preflight at a price that the text allows.',
  },
  'settlement-mismatched': {
    about: 'An expected transaction id, or the fee rate, is not that of the trade as it was prepared.',
    mend: 'Start a new preflight and send the ids that it answers.',
  },
  'listing-not-buyable': {
    about: 'The listing is sold, ended, or in a trade.',
    mend: 'Read the book again and choose another listing.',
  },
  'listing-ended': {
    about: 'The listing has ended by other means than the request, or is in a trade.',
    mend: 'Read the listing again; to list the inscription again, start a new preflight.',
  },
  'inscription-in-trade': {
    about: 'The inscription is being bought right now.',
    mend: 'Wait until the trade has settled or failed, and read again.',
    retryable: true,
  },
  'inscription-moving': {
    about: 'A pending transaction moves the inscription.',
    mend: 'Wait for the next block and read again.',
    retryable: true,
  },
  'inscription-immature': {
    about: 'The inscription is in a coinbase, which cannot be spent before its 100th confirmation.',
    mend: 'Wait until the coinbase has matured.',
    retryable: true,
  },
  'inscription-not-held': {
    about: 'The inscription is held by no output that the index knows.',
    mend: 'Wait until the index has read its block, or choose another inscription.',
  },
  'inscription-coin-shared': {
    about: 'The coin of the inscription holds another inscription or a rune.',
    mend: 'Split the coin first: `ordbook split`, or `split` of the SDK, moves inscriptions on different sats to separate coins. Move runes with a wallet that supports them.',
  },
  'inscription-coin-too-small': {
    about: 'The coin of the inscription holds too few sats to be traded.',
    mend: 'Move the inscription to a coin of at least the size that the text names.',
  },
  'inscription-in-escrow': {
    about: "The inscription rests in its owner's escrow, where it is listed by other operations.",
    mend: 'List it there: POST /escrows/relist/preflight.',
  },
  'inscription-leaving-escrow': {
    about: 'The inscription is on its way out of its escrow.',
    mend: 'Wait for the next block and read it again.',
  },
  'inscription-not-eligible': {
    about: 'The inscription was not in the collection when the offer was made.',
    mend: 'Choose another inscription, or another offer.',
  },
  'owner-not-taproot': {
    about: 'The owner of the inscription holds it at an address that cannot accept offers.',
    mend: 'Choose another inscription.',
  },
  'bids-declined': {
    about: 'The owner declines collection and trait offers on the inscription.',
    mend: 'Take them again (declineBids with declined false), then fill.',
  },
  'better-bid': {
    about: 'An offer on the inscription leaves its seller more than the request does.',
    mend: 'Take the better offer, ask for more, decline it, or confirm as the text says.',
  },
  'offer-not-active': {
    about: 'The offer, counter, acceptance or proposal has ended, or was taken by a faster trade.',
    mend: 'Read it again and choose another.',
  },
  'offer-being-accepted': {
    about: 'The offer or counter is being accepted right now.',
    mend: 'Wait until the trade has settled or failed, and read again.',
    retryable: true,
  },
  'order-duplicate': {
    about: 'The same offer or acceptance stands already.',
    mend: 'Use the one that stands, or cancel it first.',
  },
  'too-many-orders': {
    about: 'The wallet has as many active orders of this kind as it may.',
    mend: 'Cancel one first.',
  },
  'proposal-unavailable': {
    about: 'Something that the proposal offers is moving, or its wallet is not known here.',
    mend: 'Wait for the next block and read the proposal again, or choose another.',
  },
  'coin-spent': {
    about: 'A coin of the trade is spent, or another transaction is spending it.',
    mend: 'Read what you trade again, and start a new preflight with other coins.',
  },
  'coins-chain-too-long': {
    about: 'The coins rest on too many unconfirmed transactions for one more.',
    mend: 'Wait for the next block, or pay with confirmed coins.',
    retryable: true,
  },
  'signer-refused': {
    about: 'The keys of the market do not sign what the server asks of them for this request.',
    mend: 'Act on the reason in the text, and tell the operator: the settings of server and signer differ.',
  },
  'escrow-exhausted': {
    about: 'The escrow coin has had the last price that a sequence number can name.',
    mend: 'Take it back with POST /escrows/reclaim/preflight, or move it with POST /escrows/move/preflight.',
  },
  'guardian-refused': {
    about: 'The guardian of the collection offer does not sign the fill.',
    mend: 'Act on the reason in the text, or choose another offer.',
  },
  'escrow-spent': {
    about: 'The escrow coin is spent, holds another inscription, or is not in a block yet.',
    mend: 'Read GET /escrows again.',
  },
  'escrow-unconfirmed': {
    about: 'The escrow coin is in no block yet.',
    mend: 'Wait for the next block.',
    retryable: true,
  },
  'network-refused': {
    about: 'The network refuses the transaction for the reason in the text, and would refuse it again.',
    mend: 'Do not repeat it. If the text names an order that has ended, trade without it.',
  },
  'donation-not-offered': {
    about: 'This market has no donation initiative.',
    mend: 'Leave roundUpDonation out.',
  },
  'wallet-allowance-spent': {
    about:
      'The wallet has bought more than the market risks for one wallet until the transfers are in a block.',
    mend: 'Buy what is in escrow already, make an offer, or try again later.',
    retryable: true,
  },
  'market-allowance-spent': {
    about:
      'The market has used up what it risks in a day for purchases that may not settle, or the share of it for wallets that have paid few fees.',
    mend: 'Buy what is in escrow already, make an offer, or try again later.',
    retryable: true,
  },
  'listing-allowance-spent': {
    about:
      'Listings and counters of this wallet that came to nothing cost the market as much in network fees as it spends on one wallet in a day.',
    mend: 'Try again later.',
    retryable: true,
  },
})
