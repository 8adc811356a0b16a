/** Checks in the bitcoin package that the SDK calls. */
export const KERNEL = ['assertPreparedPsbt', 'checkSettlement']

/** Redundant checks. Other checks reject the same lies, or the lies do not change what is signed. Keys are truncated names of `Check`. */
export const SECOND: Readonly<Record<string, string>> = {
  "answer-checks.ts: `the buyer's payment for ${inscriptionId} is not the sum of ":
    'assertPreparedPsbt, or the other checks of the fees',
  "collection-offer.ts: 'a fill must spend only the inscription and the offer'": 'sellersView, the txid',
  "counter.ts: 'the settlement does not pay seller and market'":
    'assertPreparedPsbt, the terms of the escrow',
  'escrow-facts.ts: notSpent': 'assertPreparedPsbt, or the leaf is missing',
  "escrow.ts: 'the leg does not have the announced generation'": 'assertPreparedPsbt, assertGeneration',
  "escrow.ts: 'the market adds no coin for the fee'": 'the input is missing',
  "facts.ts: 'the transaction has too few inputs'": 'the input is missing',
  'facts.ts: `input ${index} is not a coin of the market`':
    'assertPreparedPsbt, the value of anchors and pads',
  'facts.ts: `the market chose ${name}, a coin that you did not offer`': 'no coin of the wallet is spent',
  "facts.ts: 'the transaction does not pay the seller'": 'the output is missing',
  'listing.ts: `the leg of ${inscriptionId} would skip ${generation - lastG':
    'assertPreparedPsbt, the range of generations',
  "listing.ts: 'the market prepared a different number of listings'": 'the inscription of each listing',
  "listing.ts: `the market's coins of ${inscriptionId} are not anchors`":
    'the rebuilt transaction is signed, with the right value',
  'offer.ts: `the transaction does not spend the coin of ${inscriptionId}': 'assertPreparedPsbt',
  "purchase.ts: 'the market prepared a different number of items'": 'the listing of each item',
  "purchase.ts: 'the settlement does not pay the market'": 'assertPreparedPsbt',
  "purchase.ts: 'the settlement pays the creators a wrong amount'": 'the output is missing',
  "sellers-view.ts: 'the settlement does not pay you'": 'assertPreparedPsbt, the payout',
  'swap.ts: `input ${index} spends a coin of yours that is not part of t': 'no coin of the wallet is spent',
  'swap.ts: `the ${from} gives a different number of inscriptions`': 'the inscription of each item',
  'swap.ts: `${item.inscriptionId} is not part of this swap`': 'no coin is spent',
  'swap.ts: `the swap does not spend the coin of ${inscriptionId}`': 'the input is missing',
  "offers.ts: 'the market prepared a different offer'":
    'the rebuilt transaction is signed, and does not contain the id',
}

/** Checks that no lie reaches, with the suite that tests them or a reason. */
export const ELSEWHERE: Readonly<Record<string, string>> = {
  'answer-checks.ts: `${inscriptionId} is not in the given coin`':
    'it checks an argument or the wallet, not a response',
  'answer-checks.ts: `market and creator fees of ${costs.feesSats} sats exceed th': 'limits.test.ts',
  "counter.ts: 'a counter has three signing steps'": 'the schema check rejects it first',
  'counter.ts: `the settlement pays you ${answer.sellerReceiveSats} sats, l': 'limits.test.ts',
  "counter.ts: 'the settlement has no outputs'": 'no lie reaches this check',
  "counter.ts: 'an acceptance of a counter has two signing steps'": 'the schema check rejects it first',
  'counter.ts: `the settlement pays ${paidSats} sats, less than the agreed ': 'no lie reaches this check',
  'escrow-facts.ts: `the escrow of ${inscriptionId} has an unknown form`': 'no lie reaches this check',
  'escrow-facts.ts: `the transfer of ${inscriptionId} does not match the agreeme':
    'no lie reaches this check',
  'facts.ts: `input ${index} has a script type that trades do not spend`': 'no lie reaches this check',
  'facts.ts: "the market\'s keys are not x-only keys"': 'lying-market.test.ts',
  'facts.ts: "the market\'s address is not taproot"': 'lying-market.test.ts',
  "facts.ts: 'the transaction does not pay the creator'": 'no lie reaches this check',
  'listing.ts: `the generation of the leg of ${inscriptionId} is not later ': 'no lie reaches this check',
  "listing.ts: 'a listing has two signing steps'": 'the schema check rejects it first',
  "offer.ts: 'an offer has one signing step'": 'the schema check rejects it first',
  'offer.ts: `the sale pays you ${netSats} sats after fees, less than the': 'limits.test.ts',
  "offer.ts: 'an acceptance has one or two signing steps'": 'the schema check rejects it first',
  "offer.ts: 'the announced payout is missing'": 'no lie reaches this check',
  "plan.ts: 'the wallet returned a different number of PSBTs'":
    'it checks an argument or the wallet, not a response',
  "purchase.ts: 'a purchase has one signing step'": 'the schema check rejects it first',
  "purchase.ts: 'the market’s coins before the inscriptions are not pads'": 'no lie reaches this check',
  "purchase.ts: 'the settlement does not pay the seller'": 'no lie reaches this check',
  'purchase.ts: new OverBudget( `The purchase costs ${totalCostSats} sats, w': 'limits.test.ts',
  'swap.ts: `the market fee of ${marketplaceFeeSats} sats exceeds the ag': 'limits.test.ts',
  'swap.ts: `the swap pays you ${verified.netSats} sats instead of the a': 'no lie reaches this check',
  "swap.ts: 'a swap has one signing step'": 'the schema check rejects it first',
  "swap.ts: 'the swap misstates who holds an inscription'": 'no lie reaches this check',
  'swap.ts: `input ${index} misstates your coin`': 'no lie reaches this check',
  'swap.ts: `the swap misstates the coin of ${inscriptionId}`': 'no lie reaches this check',
  "swap.ts: 'the swap pays too many addresses'": 'no lie reaches this check',
  "collection-offers.ts: new BelowTopOffer(topOfferId ?? '')": 'offers/states.test.ts',
  checkSettlement: 'assertPreparedPsbt rejects it first',
}
