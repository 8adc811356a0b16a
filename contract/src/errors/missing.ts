import { entries } from './entry.ts'

/** 404: not found. */
export const MISSING = entries('missing', {
  'path-unknown': {
    about: 'No route matches this path.',
    mend: 'See /openapi.json for the routes.',
  },
  'collection-unknown': {
    about: 'No collection has this slug.',
    mend: 'Read the slugs from GET /web/v1/collections.',
  },
  'inscription-unknown': {
    about: 'The inscription is not indexed, or no output holds it.',
    mend: 'Check the id, or wait for its block.',
  },
  'listing-unknown': {
    about: 'No listing has this id.',
    mend: 'Read the listings again.',
  },
  'offer-unknown': {
    about: 'No offer or counter-offer of this kind has this id.',
    mend: 'Read the offers on the inscription or collection again.',
  },
  'proposal-unknown': {
    about: 'No proposal visible to you has this id.',
    mend: 'Read the proposals again.',
  },
  'acceptance-unknown': {
    about: 'No acceptance visible to you has this id.',
    mend: 'Read the acceptances again.',
  },
  'escrow-unknown': {
    about: 'The outpoint is not a known escrow coin.',
    mend: 'Read the escrow coins from GET /escrows.',
  },
  'sign-in-unknown': {
    about: 'No pending sign-in or challenge has this id.',
    mend: 'Start a new sign-in.',
  },
  'session-unknown': {
    about: 'None of your open sessions has this id.',
    mend: 'Read the open sessions from GET /web/v1/sessions.',
  },
  'trade-unknown': {
    about: 'The transaction is not a settlement or fill of this market.',
    mend: 'Use the transaction id returned by the trade.',
  },
  'content-missing': {
    about: 'The inscription is not indexed or has no content.',
    mend: 'Check the id, or wait for its block.',
  },
  'chain-data-missing': {
    about: 'The block, transaction, output, sat or metadata does not exist.',
    mend: 'Check the identifier.',
  },
})
