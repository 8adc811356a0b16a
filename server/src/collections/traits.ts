export interface Trait {
  type: string
  value: string
}

/** Bytes of a trait's type and value together: an entry of PostgreSQL's index of them (trait_counts) holds at most 2,704. */
const MOST_BYTES = 2400

/** Whether a trait fits into the index of traits. */
export const fitsIndex = ({ type, value }: Trait): boolean =>
  Buffer.byteLength(type) + Buffer.byteLength(value) <= MOST_BYTES
