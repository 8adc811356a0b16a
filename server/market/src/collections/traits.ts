import { invalid } from '@ordbook/db/process/errors.ts'

export interface Trait {
  type: string
  value: string
}

/** Bytes of a trait's type and value together: an entry of PostgreSQL's index of them (trait_counts) holds at most 2,704. */
const MAX_BYTES = 2400

/** Whether a trait fits into the index of traits. */
export const fitsIndex = ({ type, value }: Trait): boolean =>
  Buffer.byteLength(type) + Buffer.byteLength(value) <= MAX_BYTES

/** Most bytes of traits that one order names: every page of orders, and the order log, repeats them. */
const MAX_NAMED_BYTES = 4000

/** Throws invalid if the traits of an order, types and values together, exceed the limit. */
export function demandShort(
  groups: readonly { type: string; values: readonly string[] }[],
  field: string,
): void {
  const bytes = groups
    .flatMap(({ type, values }) => [type, ...values])
    .reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  if (bytes > MAX_NAMED_BYTES)
    throw invalid(
      'traits-too-long',
      `${field}: the traits have ${bytes} bytes in all, and an order holds ${MAX_NAMED_BYTES} at most`,
    )
}
