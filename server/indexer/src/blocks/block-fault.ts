import { Fault } from '@ordbook/db/process/errors.ts'
import { SourceFault } from '../node/source.ts'

export class BlockFault extends Error {
  readonly height: number
  readonly hash: string
  /** The first transaction that cannot be indexed; null if unknown. */
  readonly txid: string | null
  /** The reason, safe to publish. */
  readonly reason: string

  constructor(at: { height: number; hash: string; txid?: string | null }, cause: unknown) {
    const reason = reasonOf(cause)
    const where = at.txid ? `transaction ${at.txid}` : 'the transaction is unknown'
    super(`block ${at.height} cannot be indexed: ${where}: ${reason}`, { cause })
    this.height = at.height
    this.hash = at.hash
    this.txid = at.txid ?? null
    this.reason = reason
  }
}

/**
 * Returns true for a failure that the block did not cause: the database or the node is unavailable, a
 * transaction must be retried, or the block left the chain while it was read.
 */
export function isTransient(error: unknown): boolean {
  if (error instanceof SourceFault) return true
  if (!(error instanceof Fault) || error.kind !== 'unavailable') return false
  // A statement that timed out or could not be encoded, and an idle-in-transaction timeout, are caused by the block.
  const code = String((error.cause as { code?: unknown } | undefined)?.code)
  return code !== '57014' && code !== '25P03' && !code.startsWith('ERR_')
}

/** Returns the reason of a failure, without row data and SQL. */
function reasonOf(error: unknown): string {
  const { code, constraint, message } = error as { code?: unknown; constraint?: string; message?: string }
  if (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code)) {
    return `rejected by the database (SQLSTATE ${code}${constraint ? `, constraint ${constraint}` : ''})`
  }
  return (message ?? 'unknown').split('\n')[0]!.slice(0, 200)
}
