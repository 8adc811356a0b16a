import { type FaultEntry, no, OPEN } from './fault.ts'

const COINS = { doctor: 'market coins', metric: 'ordbook_market_shortage' } as const
const ALLOWANCE = { ...COINS, alert: 'OrdbookAllowanceUsedUp' } as const
const ANY = no('several causes')

/** Faults of the market's coins, its trades and its requests. */
export const MARKET_FAULTS = {
  'coins-empty': {
    is: 'The market has no coin left to split into anchors and tail coins.',
    ...COINS,
    alert: 'OrdbookCoinsEmpty',
    status: { shortage: 'funds' },
  },
  'coins-low': {
    is: 'Less than half of the target number of anchors or tail coins is free.',
    doctor: 'market coins',
    metric: 'ordbook_market_pool_low',
    alert: 'OrdbookCoinsLow',
    status: OPEN,
  },
  'anchors-used-up': {
    is: 'No anchor is free, so listings and counter-offers are rejected.',
    ...COINS,
    alert: 'OrdbookCoinsUsedUp',
    status: { shortage: 'anchors' },
  },
  'fee-coins-used-up': {
    is: 'No tail coin is free, so purchases cost more or are rejected.',
    ...COINS,
    alert: 'OrdbookCoinsUsedUp',
    status: { shortage: 'fee-coins' },
  },
  'allowance-low': {
    is: 'Less than 50,000 sats of STRANDING_ALLOWANCE_SATS are left today.',
    doctor: no('it reports a used-up allowance'),
    metric: 'ordbook_market_allowance_left_sats',
    alert: 'OrdbookAllowanceLow',
    status: OPEN,
  },
  'allowance-used-up': {
    is: 'The daily allowance for failed trades is used up.',
    ...ALLOWANCE,
    status: { shortage: 'allowance' },
  },
  'new-wallet-allowance-used-up': {
    is: 'The daily allowance for new wallets is used up.',
    ...ALLOWANCE,
    status: { shortage: 'new-wallet-allowance' },
  },
  'ended-allowance-used-up': {
    is: 'The daily allowance for anchors of ended orders is used up.',
    ...ALLOWANCE,
    status: { shortage: 'ended-allowance' },
  },
  'ledger-unexplained': {
    is: 'Coins of the market moved without a reason in the ledger.',
    doctor: 'market coins',
    metric: 'ordbook_market_unexplained_transactions',
    alert: 'OrdbookLedgerUnexplained',
    status: OPEN,
  },
  'settlement-stuck': {
    is: 'A settlement has not confirmed for six hours.',
    doctor: 'settlements',
    metric: 'ordbook_settlement_age_seconds',
    alert: 'OrdbookSettlementStuck',
    status: OPEN,
  },
  maintenance: {
    is: 'An operator has paused trading.',
    doctor: 'maintenance',
    metric: 'ordbook_maintenance',
    alert: no('intended by the operator'),
    status: { reason: 'maintenance by the operator' },
  },
  'trading-paused': {
    is: 'Trading is paused.',
    doctor: ANY,
    metric: 'ordbook_trading_open',
    alert: 'OrdbookTradingPaused',
    status: ANY,
  },
  'requests-fail': {
    is: 'More than 5% of the requests fail.',
    doctor: ANY,
    metric: 'ordbook_http_request_seconds',
    alert: 'OrdbookRequestsFail',
    status: OPEN,
  },
  'requests-slow': {
    is: '5% of the requests take more than two seconds.',
    doctor: ANY,
    metric: 'ordbook_http_request_seconds',
    alert: 'OrdbookRequestsSlow',
    status: OPEN,
  },
} as const satisfies Record<string, FaultEntry>
