import type { Envelope } from './envelope.ts'
import type { Outpoint } from './outpoint.ts'
import type { TxOutput } from './transaction.ts'

export interface Position {
  outpoint: Outpoint
  offset: number
  /** The output that holds it; null when unbound or lost. */
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
  /** Parents in the reveal's inputs with a lower number; `envelope.parents` are the claimed ones. */
  parents: string[]
  envelope: Envelope
  /** Its share of the reveal's fee, as in ord: the fee divided by the number of inscriptions. */
  feeSats: number
  /** Offset of its sat over all inputs of the reveal. */
  inputOffset: number
  /** Set when its sat went to an OP_RETURN or was lost at birth; ord keeps that as a charm, of unbound ones too. */
  bornIn: 'op_return' | 'lost' | null
  /** The sequence of the first inscription on its sat; its own if it is unbound. */
  satId: number
  to: Position
}

export interface Moved {
  kind: 'moved'
  inscriptionId: string
  sequence: number
  txid: string
  /** Index of the transaction in the block; 0, the coinbase, for sats spent as fee. */
  transactionIndex: number
  from: Position
  to: Position
}

/** The counters that run on from block to block. */
export interface InscriptionCounters {
  nextSequence: number
  blessed: number
  cursed: number
  unbound: number
  lostSats: number
}
