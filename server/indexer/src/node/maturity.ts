/** Confirmations before a coinbase output can be spent (consensus rule). */
export const COINBASE_MATURITY = 100

export const isImmature = ({ coinbase, confirmations }: { coinbase: boolean; confirmations: number }) =>
  coinbase && confirmations < COINBASE_MATURITY
