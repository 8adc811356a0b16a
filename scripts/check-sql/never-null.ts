/**
 * Columns that are never null although no constraint guarantees it, with the reason. The key is a column of a relation, or of one
 * statement's rows (`file function property`).
 */
export const NEVER_NULL: Record<string, string> = {
  'inscriptions.txid': 'every inscription is on a sat, and the root of its tree has an output',
  'inscriptions.vout': 'every inscription is on a sat, and the root of its tree has an output',

  'server/indexer/src/inscriptions/queries.ts listInscribedCoins txid':
    'the join compares it with a given output',
  'server/indexer/src/inscriptions/queries.ts listInscribedCoins vout':
    'the join compares it with a given output',
  'server/indexer/src/inscriptions/queries.ts listInscriptionsIn txid':
    'the join compares it with a given output',
  'server/indexer/src/inscriptions/queries.ts listInscriptionsIn vout':
    'the join compares it with a given output',
  'server/indexer/src/inscriptions/queries.ts listRareSatsIn txid':
    'the join compares it with a given output',
  'server/indexer/src/inscriptions/queries.ts listRareSatsIn vout':
    'the join compares it with a given output',
  'server/indexer/src/inscriptions/queries.ts listRareSatsIn satOffset':
    'a rare sat has an offset wherever it has an output',
  'server/indexer/src/inscriptions/queries.ts listRareSatsByKey txid':
    'the key of null is null, and no key equals it',
  'server/indexer/src/inscriptions/queries.ts listRareSatsByKey vout':
    'a rare sat has an output number wherever it has a txid',
  'server/indexer/src/inscriptions/queries.ts listRareSatsByKey satOffset':
    'a rare sat has an offset wherever it has an output',
  'server/market/src/collections/new-children-queries.ts takeStale kind':
    'the statement compares it with null',
  'server/market/src/collections/new-children-queries.ts takeStale sourceId':
    'the statement compares it with null',
  'server/db/src/lease/lease.ts endSessionsOfHolder holder': 'the statement selects leases with a holder',
  'server/market/src/escrows/queries.ts findLeaving leavingTxid': 'the join compares it',
  'server/market/src/listings/book-queries.ts listBook outputValueSats':
    'a listed inscription is in an output',
  'server/market/src/listings/log-queries.ts listEventsAt fromState':
    'a sale has a previous state, and the comparison excludes null',
  'server/market/src/listings/log-queries.ts listUnnotedVoids voidTxid': 'set with the state spending',
  'server/market/src/market-coins/queries.ts findRetiredHandle handle':
    'a retired coin was held for an order',
  'server/market/src/market-coins/queries.ts listRetired handle': 'a retired coin was held for an order',
  'server/market/src/market-coins/queries.ts listRetired retiredAt': 'set with the state retired',
  'server/market/src/market-coins/report-queries.ts listCausers walletBindingId':
    'the statement selects rows with a value',
  'server/market/src/offers/queries.ts listIdleCounterRecoveries recoveryHandle': 'the join compares it',
  'server/market/src/proposals/queries.ts listOffered outputValueSats':
    'the statement selects rows with a value',
  'server/site/src/collections/collection-queries.ts listSats sat': 'the statement selects rows with a value',
}
