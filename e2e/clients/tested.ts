/** The trades that a program makes, in this order. */
export const TRADES = ['list and buy', 'offer', 'collection offer'] as const

/** What a generated client reached. */
export interface Tested {
  /** Folder of its program in e2e/clients/programs. */
  id: string
  generator: string
  version: string
  language: string
  generates: boolean
  compiles: boolean
  /** Reads that it parsed as the market sent them. */
  reads: number
  ofReads: number
  /** The number of trades, of TRADES. */
  trades: number
}
