import { BitcoinError } from '../errors.ts'
import { SEQUENCE_RBF } from '../transaction.ts'

/**
 * Legs on one escrow coin have generations. Leg n is signed with sequence `0xfffffffd - n`, to which its signature commits, so that the
 * signer can recognize and reject an old price. Sequences below 0x80000000 would be relative locktimes (BIP-68), and above 0xfffffffd not
 * replaceable (BIP-125), so they are not generations.
 */
const MIN_SEQUENCE = 0x80000000

/** The last generation that a sequence can name. */
export const LAST_GENERATION = SEQUENCE_RBF - MIN_SEQUENCE

/** The sequence of leg `generation`, counted from 0. Throws `generation-invalid`. */
export function sequenceOfGeneration(generation: number): number {
  if (!Number.isInteger(generation) || generation < 0 || generation > LAST_GENERATION)
    throw new BitcoinError('generation-invalid', `a leg has a generation from 0 to ${LAST_GENERATION}`, {
      generation,
    })
  return SEQUENCE_RBF - generation
}

/** The generation of the leg that an input of this sequence carries. Throws `generation-invalid`. */
export function generationOf(sequence: number): number {
  if (!Number.isInteger(sequence) || sequence < MIN_SEQUENCE || sequence > SEQUENCE_RBF)
    throw new BitcoinError('generation-invalid', `sequence ${sequence} names no generation of a leg`, {
      sequence,
    })
  return SEQUENCE_RBF - sequence
}
