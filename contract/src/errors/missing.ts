import { entries } from './entry.ts'

/** 404: there is no such thing here. */
export const MISSING = entries('missing', {
  'path-unknown': {
    about: 'The server has nothing at this path.',
    mend: 'See /openapi.json for the paths of the API.',
  },
  'collection-unknown': {
    about: 'No collection of this slug is known here.',
    mend: 'Read the slugs from GET /collections.',
  },
  'inscription-unknown': {
    about: 'The index does not know the inscription, or it is held by no output.',
    mend: 'Check the id; a new inscription is known after its block.',
  },
  'listing-unknown': {
    about: 'No listing has this id.',
    mend: 'Read the book again.',
  },
  'offer-unknown': {
    about: 'No offer or counter of this kind has this id here.',
    mend: 'Read the offers of the inscription or collection again.',
  },
  'proposal-unknown': {
    about: 'No proposal that the caller may see has this id.',
    mend: 'Read the proposals again.',
  },
  'acceptance-unknown': {
    about: 'No acceptance that the caller may see has this id.',
    mend: 'Read the acceptances again.',
  },
  'escrow-unknown': {
    about: 'The outpoint is no escrow coin that is known here.',
    mend: 'Read the escrow coins from GET /escrows.',
  },
  'sign-in-unknown': {
    about: 'No sign-in, or no challenge of it, has this id.',
    mend: 'Start a new sign-in.',
  },
  'session-unknown': {
    about: 'No open session of the caller has this id.',
    mend: 'Read the open sessions from GET /sessions.',
  },
  'trade-unknown': {
    about: 'The transaction is no settlement or fill of this market.',
    mend: 'Use the transaction id that the trade was answered with.',
  },
  'content-missing': {
    about: 'The inscription is unknown, or has no content.',
    mend: 'Check the id; a new inscription is known after its block.',
  },
  'chain-data-missing': {
    about: 'The chain has no such block, transaction, output, sat or metadata.',
    mend: 'Check the identifier; content reads the same at every server that follows the chain.',
  },
})
