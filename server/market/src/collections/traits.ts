import { invalid } from '@ordbook/db/process/errors.ts'

export interface Trait {
  type: string
  value: string
}

/** Maximum traits of an item. Every page with the item repeats them. */
export const MAX_TRAITS = 256

/** Maximum bytes of a trait. PostgreSQL limits an index entry to 2,704 bytes. */
const MAX_BYTES = 2400

export const fitsIndex = ({ type, value }: Trait): boolean =>
  Buffer.byteLength(type) + Buffer.byteLength(value) <= MAX_BYTES

/** Maximum bytes of traits in an order. Every page of orders repeats them. */
const MAX_NAMED_BYTES = 4000

export function assertTraitSize(
  groups: readonly { type: string; values: readonly string[] }[],
  field: string,
): void {
  const bytes = groups
    .flatMap(({ type, values }) => [type, ...values])
    .reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  if (bytes > MAX_NAMED_BYTES)
    throw invalid(
      'traits-too-long',
      `${field}: traits are limited to ${MAX_NAMED_BYTES} bytes in total, got ${bytes}`,
    )
}
