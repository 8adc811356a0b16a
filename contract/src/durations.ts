/** Validity of offers and proposals, in hours. */
export const VALIDITY_HOURS = [6, 12, 24, 168, 720, 2160] as const
export type ValidityHours = (typeof VALIDITY_HOURS)[number]
export const DEFAULT_VALIDITY_HOURS = 168

/** Validity of listings, in days. */
export const DURATION_DAYS = [1, 7, 30, 90, 180] as const
export type DurationDays = (typeof DURATION_DAYS)[number]
