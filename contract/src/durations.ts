import { Type } from 'typebox'

/** Hours for which an offer or a proposal can be valid. */
export const VALIDITY_HOURS = [6, 12, 24, 168, 720, 2160] as const
export const DEFAULT_VALIDITY_HOURS = 168
export const ValidityHours = Type.Unsafe<(typeof VALIDITY_HOURS)[number]>({
  type: 'integer',
  enum: [...VALIDITY_HOURS],
  default: DEFAULT_VALIDITY_HOURS,
})

/** Days for which a listing can be valid. */
export const DurationDays = Type.Unsafe<1 | 7 | 30 | 90 | 180>({
  type: 'integer',
  enum: [1, 7, 30, 90, 180],
  description: 'Absent: never expires.',
})
