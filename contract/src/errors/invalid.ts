import { entries } from './entry.ts'

/** 400: the request is invalid. */
export const INVALID = entries('invalid', {
  'path-invalid': {
    about: 'The path is not valid percent-encoding, or a path parameter is too long.',
    mend: 'Percent-encode each path parameter.',
  },
  'request-invalid': {
    about: 'A parameter or body field is missing or malformed.',
    mend: 'Correct the field in the message (schemas: /openapi.json).',
  },
  'body-not-json': {
    about: 'The body is not valid JSON, or Content-Type is not application/json.',
    mend: 'Send JSON with Content-Type: application/json.',
  },
  'cursor-invalid': {
    about: 'The cursor was modified, or belongs to another route, sort or filter.',
    mend: 'Restart without a cursor. Pass each nextCursor unchanged.',
  },
  'duplicate-entry': {
    about: 'A list contains the same entry twice.',
    mend: 'Remove the duplicate named in the message.',
  },
  'entries-mismatched': {
    about: 'Related lists differ in length or order, or a signing step is missing or misplaced.',
    mend: 'Send one entry per item, in the order of the preflight response.',
  },
  'echo-mismatched': {
    about: 'A submitted field differs from the preflight request or response.',
    mend: "Repeat the preflight's fields, or start a new preflight.",
  },
  'address-invalid': {
    about: "An address is not valid on this market's network.",
    mend: 'Use one of the right network.',
  },
  'address-type-unsupported': {
    about: 'Unsupported address type. Inscriptions are traded at taproot (P2TR) addresses.',
    mend: 'Use an address type from the message.',
  },
  'challenges-mismatched': {
    about: 'The verifications do not match the challenges one to one.',
    mend: 'Send one verification per challenge.',
  },
  'price-out-of-range': {
    about: "A price or amount is below the market's minimum or not a multiple of its step.",
    mend: 'Choose a price that the message allows.',
  },
  'fee-rate-too-high': {
    about: "The fee rate exceeds the market's maximum.",
    mend: 'Lower targetFeeRateSatVb.',
  },
  'not-in-collection': {
    about: 'An inscription or listing is not in the collection.',
    mend: "Use its collection's slug. An inscription in no collection of the market cannot be listed or get offers, but its owner can offer it in a swap. The operator adds collections.",
  },
  'collection-not-traded': {
    about: 'Trading is disabled for this collection.',
    mend: 'Trade its inscriptions elsewhere, or ask the operator.',
  },
  'listing-mismatched': {
    about: 'The listing is for a different inscription.',
    mend: 'Read the listing again and send its inscriptionId.',
  },
  'own-order': {
    about: 'The order is your own.',
    mend: 'Cancel the order, or choose another.',
  },
  'criteria-unmet': {
    about: 'An inscription does not match the order, or too few inscriptions match the criteria.',
    mend: 'Choose another inscription, or widen the criteria.',
  },
  'traits-too-long': {
    about: 'The trait types and values of the order exceed 4,000 bytes of UTF-8.',
    mend: 'Name fewer values, or create several orders.',
  },
  'proposal-incomplete': {
    about:
      'A proposal must offer and request something: an inscription on at least one side, sats on at most one.',
    mend: 'Change the proposal as the message explains.',
  },
  'proposal-too-large': {
    about: 'A proposal requests more than 50 inscriptions, or names more than 250 candidates.',
    mend: 'Request fewer, or create several proposals.',
  },
  'fills-mismatched': {
    about: 'The fills of an acceptance do not match the legs of the proposal.',
    mend: 'Fill each leg with the requested number of matching inscriptions.',
  },
  'inscriptions-share-coin': {
    about: 'Two of the inscriptions are in the same coin.',
    mend: 'Name one, or move each to a separate coin.',
  },
  'coins-required': {
    about: 'The request needs payment coins, but none are listed.',
    mend: 'Send spendableUtxos: confirmed coins of the payment address.',
  },
  'payment-key-required': {
    about: 'Coins of the payment address are spent, but its public key is missing.',
    mend: 'Send paymentPublicKey.',
  },
  'coins-insufficient': {
    about: 'The listed coins do not cover the cost. The message explains each skipped coin.',
    mend: 'List more coins, or fund the payment address. On a test chain, [spend mined coins first](signing.md#coins-on-a-test-chain).',
  },
  'coins-fragmented': {
    about: 'The listed coins are too small or too many for one transaction.',
    mend: 'List larger coins, or merge small coins first.',
  },
  'exit-invalid': {
    about: 'The transaction does not withdraw an inscription of this wallet from escrow.',
    mend: 'Build it from the coins that GET /escrows returns.',
  },
  'split-invalid': {
    about: 'An output of the transaction pays another address.',
    mend: 'Pay only addresses of the wallet.',
  },
  'key-mismatch': {
    about: 'A public key does not match its address.',
    mend: "Send the wallet's public key for the binding's address.",
  },
  'psbt-malformed': {
    about: 'A signed PSBT or transaction cannot be parsed.',
    mend: 'Send the PSBT as the wallet returned it, in base64 or hex.',
  },
  'transaction-changed': {
    about: 'A signed PSBT is not the transaction of the preflight.',
    mend: "Sign the preflight's PSBT unchanged.",
  },
  'input-unsigned': {
    about: 'An input of the signing steps is unsigned.',
    mend: 'Sign each input of the step with the key it names.',
  },
  'wrong-sighash': {
    about: 'An input was signed with a sighash type other than its step requires.',
    mend: 'Sign with the sighash type of the step.',
  },
  'signature-invalid': {
    about: 'A PSBT contains an invalid signature.',
    mend: 'Sign again with the key that the step names. Do not sign some other way.',
  },
  'escrow-key-path-signed': {
    about: 'The wallet signed an escrow input by key path. Escrow inputs need a script-path signature.',
    mend: "Sign the PSBT's leaf. If the wallet cannot, request the other escrowForm.",
  },
  'escrow-other-leaf-signed': {
    about: 'The wallet signed a different escrow leaf.',
    mend: "Sign the PSBT's leaf, or request the other escrowForm.",
  },
  'escrow-finalised': {
    about: 'The wallet finalized an escrow input that still needs other signatures.',
    mend: 'Sign without finalizing (autoFinalize: false).',
  },
  'inscription-misplaced': {
    about: 'The inscription would not arrive at the agreed output.',
    mend: 'Do not sign. Start a new preflight, and report a repeated failure.',
  },
  'amounts-unpayable': {
    about: 'An amount is below the dust limit, too small for its fees, or out of range.',
    mend: 'Choose another price or fee rate.',
  },
})
