/** Confirmations that an output of a coinbase needs before it can be spent (consensus). */
export const COINBASE_MATURITY = 100

/** True when an unspent coin cannot be spent in the next block yet. */
export const isImmature = ({ coinbase, confirmations }: { coinbase: boolean; confirmations: number }) =>
  coinbase && confirmations < COINBASE_MATURITY
