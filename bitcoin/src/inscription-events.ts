import type { Envelope } from './envelope.ts'
import type { Outpoint } from './outpoint.ts'
import type { TxOutput } from './transaction.ts'

export interface Position {
  outpoint: Outpoint
  offset: number
  /** Output that contains the sat; null if the inscription is unbound or the sat is lost. */
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
  /** Parents among the reveal's inputs with a lower number; `envelope.parents` has the claimed ones. */
  parents: string[]
  envelope: Envelope
  /** The reveal's fee divided by its number of inscriptions, as in ord. */
  feeSats: number
  /** Offset of its sat across all inputs of the reveal. */
  inputOffset: number
  /** Set if its sat went to an OP_RETURN or was lost in the reveal. ord stores this as a charm, also for unbound inscriptions. */
  bornIn: 'op_return' | 'lost' | null
  /** Sequence of the first inscription on its sat; equals `sequence` if unbound. */
  satId: number
  to: Position
}

export interface Moved {
  kind: 'moved'
  inscriptionId: string
  sequence: number
  txid: string
  /** Index of the transaction in the block; 0 (the coinbase) for sats spent as fee. */
  transactionIndex: number
  from: Position
  to: Position
}

/** Counters that continue from block to block. */
export interface InscriptionCounters {
  nextSequence: number
  blessed: number
  cursed: number
  unbound: number
  lostSats: number
}
