import { Type } from 'typebox'
import * as durations from './durations.ts'

export const ValidityHours = Type.Unsafe<durations.ValidityHours>({
  type: 'integer',
  enum: [...durations.VALIDITY_HOURS],
  default: durations.DEFAULT_VALIDITY_HOURS,
})

export const DurationDays = Type.Unsafe<durations.DurationDays>({
  type: 'integer',
  enum: [...durations.DURATION_DAYS],
  description: 'If omitted, the listing never expires.',
})
