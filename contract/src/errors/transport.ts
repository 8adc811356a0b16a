import { entries } from './entry.ts'

/** HTTP errors, rate limits and outages. */
export const TRANSPORT = {
  ...entries('method-refused', {
    'method-not-allowed': {
      about: 'The path does not support this method.',
      mend: 'Use a method from the Allow header.',
    },
  }),
  ...entries('unacceptable', {
    'encoding-not-acceptable': {
      about: "The client accepts none of the content's encodings.",
      mend: "Name the content's encoding in Accept-Encoding.",
    },
  }),
  ...entries('late', {
    'request-timeout': {
      about: 'The request was not received in time.',
      mend: 'Send the complete request again.',
    },
  }),
  ...entries('too-large', {
    'body-too-large': {
      about: 'The body exceeds 4 MiB.',
      mend: 'Send fewer items per request.',
    },
  }),
  ...entries('unsupported-encoding', {
    'encoding-unsupported': {
      about: 'The body has a Content-Encoding.',
      mend: 'Send the body without compression.',
    },
  }),
  ...entries('out-of-range', {
    'range-not-satisfiable': {
      about: 'The range is outside the content.',
      mend: 'Request a range within the size in Content-Range.',
    },
  }),
  ...entries('headers-too-large', {
    'headers-too-large': {
      about: 'The request line and headers exceed 64 KiB.',
      mend: 'Send shorter headers. Put long lists in the body.',
    },
  }),
  ...entries('throttled', {
    'rate-limited': {
      about: "The client or profile exceeded the bucket's limit per minute.",
      mend: 'Wait for Retry-After.',
    },
    'escrow-prices-limited': {
      about: 'The escrow coin was prepared for more prices than its age allows.',
      mend: 'List it at one of these prices, or wait for Retry-After.',
    },
    'unfunded-rate-limited': {
      about: 'A wallet with too few confirmed sats has a lower write limit.',
      mend: 'Wait for Retry-After, or fund the payment address.',
    },
    'connection-backlog-full': {
      about: 'Too many requests on one connection are waiting for responses.',
      mend: 'Read responses first.',
    },
    'content-backlog-full': {
      about: 'Too much content is being sent to this client.',
      mend: 'Finish reading it before you request more.',
    },
    'too-many-streams': {
      about: 'The address has reached its limit of open event streams.',
      mend: 'Share one stream between the parts of your program.',
    },
  }),
  ...entries('unexpected', {
    'internal-error': {
      about: 'Unexpected server error.',
      mend: 'Retry once with the same body.',
    },
  }),
  ...entries('unavailable', {
    'trading-paused': {
      about: 'The index is behind the chain, or a required service is unavailable.',
      mend: 'Wait for Retry-After. GET /status names the reason.',
    },
    maintenance: {
      about: 'The operator has paused trading for maintenance. The message contains the notice.',
      mend: 'Wait for Retry-After. GET /status shows whether it has ended. Cancelling, declining and withdrawing still work.',
    },
    'database-unavailable': {
      about: 'The database is unavailable.',
      mend: 'Retry after Retry-After.',
    },
    'node-unavailable': {
      about: 'The Bitcoin node is unavailable, starting, or lacks the data.',
      mend: 'Retry after Retry-After.',
    },
    'ord-unavailable': {
      about: 'The ord server is unavailable or behind the chain.',
      mend: 'Retry after Retry-After.',
    },
    'ord-unfit': {
      about: "The market's ord server does not report the contents of coins.",
      mend: 'Contact the operator.',
      retryable: false,
    },
    'address-index-missing': {
      about: 'This market has no address index.',
      mend: 'Send spendableUtxos.',
      retryable: false,
    },
    'address-index-unavailable': {
      about: 'The address index is unavailable or behind the chain.',
      mend: 'Retry after Retry-After, or send spendableUtxos.',
    },
    'address-index-building': {
      about: 'The address index is loading.',
      mend: 'Retry after Retry-After, or send spendableUtxos.',
    },
    'node-policy-unfit': {
      about: "The Bitcoin node's settings prevent the market from broadcasting this trade.",
      mend: 'Contact the operator.',
      retryable: false,
    },
    'transaction-index-missing': {
      about: 'The Bitcoin node has no transaction index.',
      mend: 'Ask the operator to set txindex=1.',
      retryable: false,
    },
    'signer-unavailable': {
      about: "The market's signer or guardian is unavailable or not signing.",
      mend: 'Retry after Retry-After.',
    },
    'funding-check-unavailable': {
      about: 'The balance of the payment address cannot be checked.',
      mend: 'Wait for Retry-After, then start a new sign-in.',
    },
    'market-coins-exhausted': {
      about: 'The market has no free coin for the trade.',
      mend: 'Retry after the next block.',
    },
    'fee-budget-spent': {
      about: 'The market has reached its limit on network fees.',
      mend: 'Retry later.',
    },
    'network-fee-too-high': {
      about: 'The network fee exceeds what the market can pay.',
      mend: 'Buy fewer listings at a time, or wait.',
    },
    'settlement-undecided': {
      about: 'The network does not accept the trade yet. The market retries.',
      mend: 'Submit again for the outcome. Do not sign another trade with these coins.',
    },
    'server-busy': {
      about: 'The server is overloaded.',
      mend: 'Retry after Retry-After.',
    },
    'server-not-ready': {
      about: 'The server is starting or shutting down.',
      mend: 'Use another server, or wait.',
    },
  }),
}
