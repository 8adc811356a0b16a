import { entries } from './entry.ts'

/** Refusals by HTTP itself, rate limits, and outages. */
export const TRANSPORT = {
  ...entries('method-refused', {
    'method-not-allowed': {
      about: 'The path takes another method.',
      mend: 'Use a method that Allow names.',
    },
  }),
  ...entries('unacceptable', {
    'encoding-not-acceptable': {
      about: 'The content has no form that the client takes.',
      mend: 'Name the encoding of the text in Accept-Encoding.',
    },
  }),
  ...entries('late', {
    'request-timeout': {
      about: 'The request did not arrive in time.',
      mend: 'Send it again, all of it at once.',
    },
  }),
  ...entries('too-large', {
    'body-too-large': {
      about: 'The body is larger than 4 MiB.',
      mend: 'Send fewer items in one request.',
    },
  }),
  ...entries('out-of-range', {
    'range-not-satisfiable': {
      about: 'The content has no byte of the range.',
      mend: 'Ask for a range below the size that Content-Range names.',
    },
  }),
  ...entries('headers-too-large', {
    'headers-too-large': {
      about: 'The request line and headers are larger than 64 KiB.',
      mend: 'Send shorter headers; long lists belong into the body.',
    },
  }),
  ...entries('throttled', {
    'rate-limited': {
      about: 'The client or the profile has sent more requests in a minute than the bucket allows.',
      mend: 'Wait as long as Retry-After says. A refused request counts, too.',
    },
    'escrow-prices-limited': {
      about: 'The escrow coin was prepared for more prices than its age allows.',
      mend: 'List it at one of these prices, or wait as long as Retry-After says.',
    },
    'unfunded-rate-limited': {
      about: 'A wallet without enough confirmed sats has a smaller budget of writes.',
      mend: 'Wait as long as Retry-After says, or fund the payment address.',
    },
    'connection-backlog-full': {
      about: 'Too many requests of one connection wait for their answers.',
      mend: 'Read answers before you send more, or use more connections.',
    },
    'content-backlog-full': {
      about: 'Too much content is already on its way to the client.',
      mend: 'Read the content that is being sent before you ask for more.',
    },
    'too-many-streams': {
      about: 'One address has as many event streams open as it may.',
      mend: 'Share one stream between the parts of a program.',
    },
  }),
  ...entries('unexpected', {
    'internal-error': {
      about: 'The server failed in a way that it did not expect.',
      mend: 'Retry once; a submit that is repeated with the same body answers the same.',
    },
  }),
  ...entries('unavailable', {
    'trading-paused': {
      about: 'The index is behind the chain, or something that trades need does not answer.',
      mend: 'Wait as long as Retry-After says; GET /status names the reason.',
    },
    'database-unavailable': {
      about: 'The database does not answer.',
      mend: 'Wait as long as Retry-After says and send the same request again.',
    },
    'node-unavailable': {
      about: 'The Bitcoin node does not answer, is starting, or does not know enough.',
      mend: 'Wait as long as Retry-After says and send the same request again.',
    },
    'ord-unavailable': {
      about: 'The ord server does not answer, or is behind the chain.',
      mend: 'Wait as long as Retry-After says and send the same request again.',
    },
    'ord-unfit': {
      about: 'The ord server of this market does not say what coins carry.',
      mend: 'Only the operator can mend that.',
      retryable: false,
    },
    'address-index-missing': {
      about: 'This market has no index of the coins of an address.',
      mend: 'Offer the coins yourself (spendableUtxos), or ask the operator for an index of addresses.',
      retryable: false,
    },
    'node-policy-unfit': {
      about: 'The settings of the Bitcoin node do not let the market broadcast such a trade.',
      mend: 'Only the operator can mend that.',
      retryable: false,
    },
    'transaction-index-missing': {
      about: 'The Bitcoin node of this server keeps no index of transactions.',
      mend: 'Only the operator can mend that: txindex=1.',
      retryable: false,
    },
    'signer-unavailable': {
      about:
        'The process that holds the keys of the market, or of the guardian, does not answer or does not sign.',
      mend: 'Wait as long as Retry-After says and send the same request again.',
    },
    'funding-check-unavailable': {
      about: 'The funds of the payment address cannot be looked up.',
      mend: 'Wait as long as Retry-After says, then start a new sign-in.',
    },
    'market-coins-exhausted': {
      about: 'The market has no free coin for the trade.',
      mend: 'Try again after the next block.',
    },
    'fee-budget-spent': {
      about: 'The market has spent as much on network fees as it may for now.',
      mend: 'Try again later.',
    },
    'network-fee-too-high': {
      about: 'The network fee is above what the market can carry.',
      mend: 'Buy fewer listings at once, or wait.',
    },
    'settlement-undecided': {
      about: 'The network does not take the trade now. The market keeps it and sends it again.',
      mend: 'Submit the same again to learn how it ends; never sign another trade with the same coins.',
    },
    'server-busy': {
      about: 'The server has too much to do at once.',
      mend: 'Wait as long as Retry-After says and send the same request again.',
    },
    'server-not-ready': {
      about: 'The server cannot work yet, or no longer.',
      mend: 'Send requests to another server, or wait.',
    },
  }),
}
