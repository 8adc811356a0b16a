import { Type } from 'typebox'
import type { Operation } from './operation.ts'

/** Header that makes a write safe to retry. */
export const KeyHeader = Type.Object({
  'Idempotency-Key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      pattern: '^[!-~]+$',
      description:
        'A unique text for this call, such as a UUID. For a day, a retry with the same key and request returns the first response.',
      examples: ['5f2c1a52-8c0e-4f0b-9a39-2f6f5f0f7f11'],
    }),
  ),
})

/** Returns true if an operation accepts the header. */
export const isKeyed = ({ method, token, bucket }: Operation): boolean =>
  method === 'POST' && token && bucket === 'writes'
