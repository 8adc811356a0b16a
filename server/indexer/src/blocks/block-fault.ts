import { Fault } from '@ordbook/db/process/errors.ts'
import { SourceFault } from '../node/source.ts'

export class BlockFault extends Error {
  readonly height: number
  readonly hash: string
  /** First transaction that cannot be indexed; null if unknown. */
  readonly txid: string | null
  /** Reason, safe to publish. */
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
 * Returns true if the block did not cause the failure: the database or node is unavailable, a transaction must be retried, or a reorg
 * removed the block.
 */
export function isTransient(error: unknown): boolean {
  if (error instanceof SourceFault) return true
  if (!(error instanceof Fault) || error.kind !== 'unavailable') return false
  // Statement timeouts, idle timeouts and encoding errors are caused by the block.
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
