import { BitcoinError } from '../errors.ts'
import { SEQUENCE_RBF } from '../transaction.ts'

/**
 * Smallest sequence of a leg. Leg n has sequence `0xfffffffd - n`, so the signer can reject old prices. Sequences below 0x80000000 would be
 * relative locktimes (BIP-68), and those above 0xfffffffd are not replaceable (BIP-125).
 */
const MIN_SEQUENCE = 0x80000000

export const LAST_GENERATION = SEQUENCE_RBF - MIN_SEQUENCE

/** Encodes a generation as a sequence. Throws `generation-invalid`. */
export function sequenceOfGeneration(generation: number): number {
  if (!Number.isInteger(generation) || generation < 0 || generation > LAST_GENERATION)
    throw new BitcoinError('generation-invalid', `generation must be between 0 and ${LAST_GENERATION}`, {
      generation,
    })
  return SEQUENCE_RBF - generation
}

/** Decodes a generation from a sequence. Throws `generation-invalid`. */
export function generationOf(sequence: number): number {
  if (!Number.isInteger(sequence) || sequence < MIN_SEQUENCE || sequence > SEQUENCE_RBF)
    throw new BitcoinError('generation-invalid', `sequence ${sequence} does not encode a generation`, {
      sequence,
    })
  return SEQUENCE_RBF - sequence
}
