import { entries } from './entry.ts'

/** 400: the request itself is wrong. */
export const INVALID = entries('invalid', {
  'path-invalid': {
    about: 'The path cannot be decoded, or one of its parameters is too long.',
    mend: 'Percent-encode each parameter of the path.',
  },
  'request-invalid': {
    about:
      'A parameter or a field of the body is missing, or does not have the type, format or range that its operation takes.',
    mend: 'Correct the field that the text names; /openapi.json has the schema of each.',
  },
  'body-not-json': {
    about: 'The body is not valid JSON, or Content-Type does not say application/json.',
    mend: 'Send valid JSON with Content-Type: application/json.',
  },
  'cursor-invalid': {
    about: 'The cursor belongs to another route, sort or filter, or was changed.',
    mend: 'Begin again without a cursor, and pass each nextCursor on unchanged.',
  },
  'duplicate-entry': {
    about: 'A list names the same thing twice.',
    mend: 'Remove the second entry that the text names.',
  },
  'entries-mismatched': {
    about:
      'Lists that belong together differ in length or order, or a signing step is missing or out of place.',
    mend: 'Send one entry for each item, in the order that the preflight answered.',
  },
  'echo-mismatched': {
    about: 'A field of the submit differs from what the preflight was asked with or answered.',
    mend: 'Repeat the fields of the preflight unchanged, or start a new preflight.',
  },
  'address-invalid': {
    about: "An address is not a Bitcoin address of this market's network.",
    mend: 'Use an address of the network that the market trades on.',
  },
  'address-type-unsupported': {
    about:
      'The type of an address cannot be used for this: inscriptions are traded at taproot (P2TR) addresses.',
    mend: 'Sign in with an address of a type that the text names.',
  },
  'challenges-mismatched': {
    about: 'The verifications do not answer each challenge of the sign-in exactly once, by its address.',
    mend: 'Send one verification for each challenge, with the address of that challenge.',
  },
  'price-out-of-range': {
    about:
      'A price or an amount is below the minimum, or not a multiple of the step, that this market takes.',
    mend: 'Choose a price that the text allows.',
  },
  'fee-rate-too-high': {
    about: 'The fee rate is above the highest that this market signs for.',
    mend: 'Choose a targetFeeRateSatVb that the text allows.',
  },
  'not-in-collection': {
    about: 'An inscription or a listing does not belong to the collection of the request.',
    mend: 'Use the slug of its own collection.',
  },
  'collection-not-traded': {
    about: 'The collection is shown here and not traded.',
    mend: 'Trade its inscriptions elsewhere, or ask the operator.',
  },
  'listing-mismatched': {
    about: 'The listing is of another inscription than the request says.',
    mend: 'Read the listing again and send its inscriptionId.',
  },
  'own-order': {
    about: 'The order is your own: a wallet cannot trade with itself.',
    mend: 'Cancel the order instead, or choose another one.',
  },
  'criteria-unmet': {
    about: 'An inscription is not what the order asks for, or too few inscriptions match the criteria.',
    mend: 'Choose an inscription that matches, or widen the criteria.',
  },
  'traits-too-long': {
    about: 'The traits that an order names, types and values together, have more than 4,000 bytes of UTF-8.',
    mend: 'Name fewer values, or make several orders.',
  },
  'proposal-incomplete': {
    about:
      'A proposal must offer something and ask for something, with an inscription on at least one side and sats on at most one.',
    mend: 'Change what is offered or wanted as the text says.',
  },
  'proposal-too-large': {
    about:
      'A proposal wants more inscriptions in all than one acceptance can give, which is 50, or names more than 250 to choose from.',
    mend: 'Want fewer, or make several proposals.',
  },
  'fills-mismatched': {
    about: 'The fills of an acceptance do not give each leg of the proposal what it wants.',
    mend: 'Read the proposal again and fill each leg with as many matching inscriptions as it wants.',
  },
  'inscriptions-share-coin': {
    about: 'Two of the inscriptions named are in one coin.',
    mend: 'Name one of them, or move them to coins of their own first.',
  },
  'coins-required': {
    about: 'The request pays with coins, and does not say which coins may be spent.',
    mend: 'Send spendableUtxos: confirmed coins of the payment address.',
  },
  'payment-key-required': {
    about: 'Coins of the payment address pay, and its public key is missing.',
    mend: 'Send paymentPublicKey.',
  },
  'coins-insufficient': {
    about:
      'The coins that may be spent do not cover the cost. The message gives the reason for each coin that was passed over.',
    mend: 'Offer more coins, or fund the payment address and wait for a block.',
  },
  'coins-fragmented': {
    about: 'The coins that may be spent are too small or too many to pay in one transaction.',
    mend: 'Offer larger coins, or merge small coins first.',
  },
  'exit-invalid': {
    about: 'The transaction takes no inscription of this wallet out of escrow.',
    mend: 'Build it from the coins that GET /escrows lists.',
  },
  'key-mismatch': {
    about: 'A public key is not the key of the address that it stands for.',
    mend: 'Send the public key of the address of the binding, as the wallet gives it.',
  },
  'psbt-malformed': {
    about: 'A signed PSBT, or a transaction, cannot be read.',
    mend: 'Send the PSBT as the wallet returned it, in base64 or hex.',
  },
  'transaction-changed': {
    about: 'A signed PSBT is not the transaction that the preflight answered.',
    mend: 'Sign the PSBT of the preflight without a change.',
  },
  'input-unsigned': {
    about: 'An input that the signing steps name has no signature.',
    mend: 'Have the wallet sign each input that the step lists, with the key that it names.',
  },
  'wrong-sighash': {
    about: 'An input was signed with another sighash type than its step says.',
    mend: 'Have the wallet sign with the sighash type of the step.',
  },
  'signature-invalid': {
    about: 'A signature of a PSBT is not valid for its input.',
    mend: 'Sign again with the key that the step names; never sign by other means.',
  },
  'escrow-key-path-signed': {
    about: 'The wallet signed an escrow input by its key path; the escrow takes a script-path signature.',
    mend: 'Have the wallet sign the leaf that the PSBT carries; a wallet that signs only by key path needs the other escrowForm.',
  },
  'escrow-other-leaf-signed': {
    about: 'The wallet signed another leaf of an escrow input than the one that the PSBT carries.',
    mend: 'Have the wallet sign the leaf of the PSBT, or ask for the other escrowForm.',
  },
  'escrow-finalised': {
    about: 'The wallet finalised an escrow input, which has to stay open for the other signatures.',
    mend: 'Have the wallet sign without finalising (autoFinalize false).',
  },
  'inscription-misplaced': {
    about: 'The inscription would not arrive where the trade says.',
    mend: 'Do not sign: start a new preflight, and report it if it happens again.',
  },
  'amounts-unpayable': {
    about:
      'An amount cannot be paid on the chain: below the dust limit, too small for its fees, or out of range.',
    mend: 'Choose another price or fee rate.',
  },
})
