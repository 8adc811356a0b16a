/** Checks in the bitcoin package that the SDK's verifiers call. */
export const KERNEL = ['assertPreparedPsbt', 'checkSettlement']

/**
 * Redundant checks: without them, the same lies are rejected by the checks given here or do not change what is signed. Keys are names of
 * `Check`, truncated.
 */
export const SECOND: Readonly<Record<string, string>> = {
  "answer-checks.ts: `the buyer's payment for ${inscriptionId} is not the sum tha":
    'assertPreparedPsbt, or the other checks of the fees',
  "collection-offer.ts: 'a fill spends the inscription and the offer, and nothing el":
    'sellersView, the txid',
  "counter.ts: 'the settlement does not pay seller and market'":
    'assertPreparedPsbt, the terms of the escrow',
  'escrow-facts.ts: brings': 'assertPreparedPsbt, or there is no leaf to read',
  "escrow.ts: 'the leg is of another generation than announced'": 'assertPreparedPsbt, demandGeneration',
  "escrow.ts: 'the market brings no coin for the fee'": 'there is no input to read',
  "facts.ts: 'the transaction has too few inputs'": 'there is no input to read',
  'facts.ts: `input ${index} is not a coin of the market`':
    'assertPreparedPsbt, the value of anchors and pads',
  'facts.ts: `the market chose ${name}, a coin that you did not offer`': 'there is no own coin to spend',
  "facts.ts: 'the transaction pays no seller'": 'there is no output to read',
  'listing.ts: `the leg of ${inscriptionId} would use up ${generation - las':
    'assertPreparedPsbt, the range of generations',
  "listing.ts: 'the market prepared another number of listings than was agr":
    'the inscription of each listing',
  "listing.ts: `the market's coins of ${inscriptionId} are not anchors`":
    'the rebuilt transaction is signed, with the right value',
  'offer.ts: `nothing in the transaction brings ${inscriptionId}`': 'assertPreparedPsbt',
  "purchase.ts: 'the market prepared another number of items'": 'the listing of each item',
  "purchase.ts: 'the settlement pays the market nothing'": 'assertPreparedPsbt',
  "purchase.ts: 'the creators get another sum than is owed'": 'there is no output to read',
  "sellers-view.ts: 'the settlement does not pay you'": 'assertPreparedPsbt, the payout',
  'swap.ts: `input ${index} spends a coin of yours that is not part of t': 'there is no own coin to spend',
  'swap.ts: `the ${from} of this swap gives another number of inscriptio': 'the inscription of each item',
  'swap.ts: `${item.inscriptionId} is not part of this swap`': 'there is no coin to spend',
  'swap.ts: `nothing in the swap brings ${inscriptionId}`': 'there is no input to read',
  "offers.ts: 'the market prepared another offer than was agreed'":
    'the rebuilt transaction is signed: nothing is signed over the id',
}

/** Checks that no lie of the run reaches: the suite that tests them, or the reason. */
export const ELSEWHERE: Readonly<Record<string, string>> = {
  'answer-checks.ts: `${inscriptionId} is not in the coin that was named`':
    'it holds an argument or the wallet to account, not an answer',
  'answer-checks.ts: `market and creators take ${costs.feesSats} sats, agreed wer': 'limits.test.ts',
  "counter.ts: 'a counter has three signing steps'": 'the form of the contract is refused first',
  'counter.ts: `the settlement pays you ${answer.sellerReceiveSats} sats, a': 'limits.test.ts',
  "counter.ts: 'the settlement has no outputs'": 'no lie comes this far',
  "counter.ts: 'an acceptance of a counter has two signing steps'":
    'the form of the contract is refused first',
  'counter.ts: `the settlement pays ${paidSats} sats, less than the ${price': 'no lie comes this far',
  'escrow-facts.ts: `the escrow of ${inscriptionId} is of another form`': 'no lie comes this far',
  'escrow-facts.ts: `the transfer of ${inscriptionId} is not what was agreed`': 'no lie comes this far',
  'escrow.ts: `${feeSats} sats leave your coins, agreed were at most ${max': 'limits.test.ts',
  'facts.ts: `input ${index} is of a kind that no trade spends`': 'no lie comes this far',
  'facts.ts: "the market\'s keys are not x-only keys"': 'lying-market.test.ts',
  "facts.ts: 'the market holds its coins at an address of another kind'": 'lying-market.test.ts',
  "facts.ts: 'the transaction pays no creator'": 'no lie comes this far',
  'listing.ts: `the leg of ${inscriptionId} has the generation of one that ': 'no lie comes this far',
  "listing.ts: 'a listing has two signing steps'": 'the form of the contract is refused first',
  "offer.ts: 'an offer has one signing step'": 'the form of the contract is refused first',
  'offer.ts: `the sale leaves you ${netSats} sats, agreed were at least $': 'limits.test.ts',
  "offer.ts: 'an acceptance has one or two signing steps'": 'the form of the contract is refused first',
  "offer.ts: 'the payout that was announced is missing'": 'no lie comes this far',
  "plan.ts: 'the wallet returned another number of PSBTs'":
    'it holds an argument or the wallet to account, not an answer',
  "purchase.ts: 'a purchase has one signing step'": 'the form of the contract is refused first',
  "purchase.ts: 'the market’s coins before the inscriptions are not pads'": 'no lie comes this far',
  "purchase.ts: 'the settlement pays no seller'": 'no lie comes this far',
  'purchase.ts: new OverBudget(`it costs ${totalCostSats} sats, agreed were ': 'limits.test.ts',
  'swap.ts: `the market takes ${marketplaceFeeSats} sats, agreed were at': 'limits.test.ts',
  'swap.ts: `the swap leaves you ${verified.netSats} sats, agreed were $': 'no lie comes this far',
  "swap.ts: 'a swap has one signing step'": 'the form of the contract is refused first',
  "swap.ts: 'the swap misstates who holds an inscription'": 'no lie comes this far',
  'swap.ts: `input ${index} misstates your coin`': 'no lie comes this far',
  'swap.ts: `the swap misstates the coin of ${inscriptionId}`': 'no lie comes this far',
  "swap.ts: 'the swap pays more addresses than its two sides and the mar": 'no lie comes this far',
  "verifier.ts: 'the answer of the market is not of the form that the contra":
    'the client refuses the form first',
  "collection-offers.ts: new BelowTopOffer(topOfferId ?? '')": 'offers/states.test.ts',
  checkSettlement: 'assertPreparedPsbt refuses first',
}
