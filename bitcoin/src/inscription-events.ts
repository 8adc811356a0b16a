import type { Envelope } from './envelope.ts'
import type { Outpoint } from './outpoint.ts'
import type { TxOutput } from './transaction.ts'

export interface Position {
  outpoint: Outpoint
  offset: number
  /** Output with the sat, or null if unbound or lost. */
  output: TxOutput | null
}

export interface Inscribed {
  kind: 'inscribed'
  inscriptionId: string
  sequence: number
  number: number
  cursed: boolean
  vindicated: boolean
  unbound: boolean
  reinscription: boolean
  /** Valid parents. `envelope.parents` has the claimed ones. */
  parents: string[]
  envelope: Envelope
  /** Fee of the reveal divided by its number of inscriptions, as in ord. */
  feeSats: number
  /** Offset across all inputs of the reveal. */
  inputOffset: number
  /** Set if the reveal burned or lost the sat (ord's charms). */
  bornIn: 'op_return' | 'lost' | null
  /** Sequence of the first inscription on the sat, or `sequence` if unbound. */
  satId: number
  to: Position
}

export interface Moved {
  kind: 'moved'
  inscriptionId: string
  sequence: number
  txid: string
  /** Index in the block. Fees move in the coinbase, at 0. */
  transactionIndex: number
  from: Position
  to: Position
}

/** Running counters. */
export interface InscriptionCounters {
  nextSequence: number
  blessed: number
  cursed: number
  unbound: number
  lostSats: number
}
