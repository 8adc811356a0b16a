/** Must match the table `settlement_kinds`. */
export const SETTLEMENT_KINDS = ['purchase', 'offer', 'counter', 'fill', 'swap'] as const
export type SettlementKindName = (typeof SETTLEMENT_KINDS)[number]
