/** Stable error codes. */
export type BitcoinErrorCode =
  | 'address-invalid'
  | 'key-mismatch'
  | 'psbt-malformed'
  | 'transaction-malformed'
  | 'block-malformed'
  | 'transaction-changed'
  | 'input-unsigned'
  | 'wrong-sighash'
  | 'signature-invalid'
  | 'escrow-key-path-signed'
  | 'escrow-other-leaf-signed'
  | 'escrow-finalised'
  | 'generation-invalid'
  | 'inscription-misplaced'
  | 'trace-too-long'
  | 'amounts-differ'
  | 'output-below-dust'
  | 'coins-insufficient'
  | 'coins-fragmented'
  | 'tail-too-small'
  | 'payout-too-small'
  | 'change-too-small'
  | 'criteria-unmet'
  | 'sats-out-of-range'
  | 'nothing-to-split'
  | 'sats-too-close'

/** Invalid Bitcoin data, or an impossible trade. */
export class BitcoinError extends Error {
  readonly code: BitcoinErrorCode
  readonly facts: Readonly<Record<string, string | number>>

  constructor(code: BitcoinErrorCode, message: string, facts: Record<string, string | number> = {}) {
    super(message)
    this.name = 'BitcoinError'
    this.code = code
    this.facts = facts
  }
}
