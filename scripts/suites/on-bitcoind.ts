import { listedFiles } from '../listed-files.ts'

/** Tests of `e2e` on bitcoind: each kind of trade, rules of the node, and attacks. `thorough` runs all files. */
export const ON_BITCOIND = listedFiles([
  'devnet/test/chain.test.ts',
  'e2e/bitcoind',
  'e2e/collection-offers/bids.test.ts',
  'e2e/escrows/escrows.test.ts',
  'e2e/escrows/forms.test.ts',
  'e2e/escrows/reorg.test.ts',
  'e2e/escrows/stranding.test.ts',
  'e2e/indexer/hostile-blocks.test.ts',
  'e2e/listings/bundles.test.ts',
  'e2e/listings/lifecycle.test.ts',
  'e2e/listings/split.test.ts',
  'e2e/offers/offers.test.ts',
  'e2e/operations/doctor.test.ts',
  'e2e/proposals/swaps.test.ts',
  'e2e/purchases/attacks.test.ts',
  'e2e/purchases/hostile.test.ts',
  'e2e/purchases/money.test.ts',
  'e2e/purchases/trade.test.ts',
  'e2e/red-team',
  'e2e/settlements/market-coins.test.ts',
  'e2e/settlements/node-policy.test.ts',
  'e2e/settlements/package-acceptance.test.ts',
  'e2e/settlements/reorg.test.ts',
  'e2e/signer/signer.test.ts',
])
