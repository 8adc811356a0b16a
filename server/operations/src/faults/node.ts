import { type FaultEntry, no, OF_SETUP, OPEN } from './fault.ts'

const NODE_POLICY = { doctor: 'node', metric: 'ordbook_trade_disabled', alert: 'OrdbookNotTraded' } as const

/** Faults of the Bitcoin node, the index and the ord server. */
export const NODE_FAULTS = {
  'node-unset': {
    is: 'BITCOIN_RPC_URL is not set.',
    doctor: 'node',
    ...OF_SETUP,
    status: no('the server does not start'),
  },
  'node-down': {
    is: 'The Bitcoin node does not respond, or rejects the password.',
    doctor: 'node',
    metric: 'ordbook_node_up',
    alert: 'OrdbookNodeDown',
    status: { reason: 'the Bitcoin node does not respond' },
  },
  'node-wrong-network': {
    is: 'The node is on another network than CHAIN.',
    doctor: 'node',
    ...OF_SETUP,
    status: no('the server does not start'),
  },
  'node-other-chain': {
    is: 'The node lacks blocks of the index: after a deep reorg, or on another or an empty chain.',
    doctor: 'node',
    metric: 'ordbook_index_fault_height',
    alert: 'OrdbookIndexFault',
    status: { reason: 'the Bitcoin node does not have block {height} of the index' },
  },
  'node-behind': {
    is: 'The node has fewer blocks than the index.',
    doctor: 'index',
    metric: 'ordbook_trading_open',
    alert: 'OrdbookTradingPaused',
    status: { reason: 'the Bitcoin node is {blocks} blocks behind the index' },
  },
  'node-version': {
    is: 'Bitcoin Core is older than version 28.',
    doctor: 'node',
    ...OF_SETUP,
  },
  'node-syncing': {
    is: 'The node has not downloaded all known blocks.',
    doctor: 'node',
    metric: 'ordbook_tip_age_seconds',
    alert: 'OrdbookChainStale',
    status: OPEN,
  },
  'chain-stale': {
    is: 'The newest block of the index is more than two hours old.',
    doctor: 'index',
    metric: 'ordbook_tip_age_seconds',
    alert: 'OrdbookChainStale',
    status: OPEN,
  },
  'node-pruned': {
    is: 'The node is pruned.',
    doctor: 'node',
    ...OF_SETUP,
  },
  'node-txindex-off': {
    is: 'The node has no transaction index.',
    doctor: 'node',
    ...OF_SETUP,
  },
  'node-txindex-syncing': {
    is: 'The transaction index of the node is not synced.',
    doctor: 'node',
    ...OF_SETUP,
  },
  'node-rest-off': {
    is: 'The REST interface of the node is off.',
    doctor: 'node',
    ...OF_SETUP,
  },
  'node-minrelaytxfee': {
    is: 'minrelaytxfee of the node is higher than the fee of a transfer into escrow.',
    ...NODE_POLICY,
    status: { notTraded: ['listings', 'counters'] },
  },
  'node-dustrelayfee': {
    is: 'dustrelayfee of the node makes outputs of 330 sats dust.',
    ...NODE_POLICY,
    status: { notTraded: ['listings', 'counters'] },
  },
  'node-packages': {
    is: 'The node rejects version 3 parents without a fee: Core before 28, or Knots without corepolicy=1.',
    ...NODE_POLICY,
    status: { notTraded: ['collection-offers'] },
  },
  'index-empty': {
    is: 'The index has no blocks, because no follower has run yet.',
    doctor: 'index',
    metric: no('`ordbook_index_height` is absent'),
    alert: no('only before the first start'),
    status: OPEN,
  },
  'index-behind': {
    is: 'The index is behind the node.',
    doctor: 'index',
    metric: 'ordbook_lag_blocks',
    alert: 'OrdbookIndexBehind',
    status: { reason: 'the index is {blocks} blocks behind the node' },
  },
  'index-fault': {
    is: 'The follower cannot index a block.',
    doctor: 'index',
    metric: 'ordbook_index_fault_height',
    alert: 'OrdbookIndexFault',
    status: { reason: 'block {height} cannot be indexed yet' },
  },
  'mempool-stale': {
    is: 'The follower has not read the mempool for a minute.',
    doctor: 'index',
    metric: 'ordbook_mempool_age_seconds',
    alert: 'OrdbookMempoolStale',
    status: { reason: 'the mempool {age}' },
  },
  'coins-loading': {
    is: 'The coins of addresses are being loaded.',
    doctor: 'coins',
    metric: no('`ordbook_utxo_height` is absent'),
    alert: no('it ends by itself'),
    status: no('in `utxos`'),
  },
  'coins-failed': {
    is: 'The coins of addresses cannot be loaded, or are behind the node.',
    doctor: 'coins',
    metric: 'ordbook_utxo_failed',
    alert: 'OrdbookCoinsFailed',
    status: no('in `utxos`'),
  },
  'ord-unset': {
    is: 'Neither ORD_URL nor ADDRESS_INDEX_URL is set on mainnet.',
    doctor: 'ord',
    ...OF_SETUP,
  },
  'ord-down': {
    is: 'The ord server does not respond.',
    doctor: 'ord',
    metric: 'ordbook_ord_up',
    alert: 'OrdbookOrdDown',
    status: { reason: 'the ord server does not respond' },
  },
  'ord-behind': {
    is: 'The ord server is behind the index.',
    doctor: 'ord',
    metric: 'ordbook_trading_open',
    alert: 'OrdbookTradingPaused',
    status: { reason: 'the ord server is {blocks} blocks behind the index' },
  },
  'ord-indexes': {
    is: 'The ord server has no address index or no rune index.',
    doctor: 'ord',
    ...OF_SETUP,
  },
  'ord-reorged': {
    is: 'A reorg was too deep for the ord server.',
    doctor: 'ord',
    metric: no('the ord server falls behind'),
    alert: 'OrdbookTradingPaused',
    status: no('reported as an ord server that is behind'),
  },
} as const satisfies Record<string, FaultEntry>
