/** The server refused; act on `status`, as the API's status table says. A 409 asks for a fresh read and preflight. */
export class ApiError extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.name = 'ApiError'
    this.status = status
  }
}

/** A PSBT is not what was agreed, and was not signed. Do not sign it by other means either: tell the user why. */
export class CheckFailed extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'CheckFailed'
  }
}

/** It costs more than the agreement allows. */
export class OverBudget extends CheckFailed {}

/** The wallet did not sign: the user declined, or the key is not the one asked for. */
export class WalletRefused extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'WalletRefused'
  }
}
