/** Confirmations before a coinbase output can be spent (consensus rule). */
export const COINBASE_MATURITY = 100

/** Whether an unspent coin cannot be spent in the next block yet. */
export const isImmature = ({ coinbase, confirmations }: { coinbase: boolean; confirmations: number }) =>
  coinbase && confirmations < COINBASE_MATURITY
