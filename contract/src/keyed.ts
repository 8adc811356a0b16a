import { Type } from 'typebox'
import type { Operation } from './operation.ts'

/** The header that makes repetitions of a write safe. */
export const KeyHeader = Type.Object({
  'Idempotency-Key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      pattern: '^[!-~]+$',
      description:
        'A text of your own for this call, such as a UUID. A repetition with the same key and request gets the first answer, for a day.',
      examples: ['5f2c1a52-8c0e-4f0b-9a39-2f6f5f0f7f11'],
    }),
  ),
})

/** Whether an operation takes the header. */
export const isKeyed = ({ method, token, bucket }: Operation): boolean =>
  method === 'POST' && token && bucket === 'writes'
