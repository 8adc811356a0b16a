import { DatabaseOutage } from '@ordbook/db/driver/outage.ts'
import { ApiError } from '@ordbook/sdk/index.ts'

/** A part of the market exited during its start, after it printed the reason. */
export class StepFailed extends Error {
  /** Whether the database was down, so that a retry may succeed. */
  readonly isOutage: boolean

  constructor(message: string, isOutage = false) {
    super(message)
    this.isOutage = isOutage
  }
}

export function isOutage(error: unknown): boolean {
  if (error instanceof ApiError) return error.retryable
  if (error instanceof StepFailed) return error.isOutage
  // Without a response, fetch throws a TypeError with a cause.
  return error instanceof DatabaseOutage || (error instanceof TypeError && error.cause instanceof Error)
}
