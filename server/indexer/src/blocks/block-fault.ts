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

/** Thrown if the node left the branch of the index and the index cannot follow. The block is the index's last. */
export class BranchFault extends BlockFault {
  constructor({ height, blockHash }: { height: number; blockHash: string }, reason: string) {
    super({ height, hash: blockHash }, new Error(reason))
    this.message = `the index at block ${height} cannot follow the node: ${reason}`
  }
}

/** Thrown if the database rejects what an optional consumer records of a block. */
export class RejectedRecords extends Error {
  readonly consumer: string

  constructor(consumer: string, cause: unknown) {
    super(`${consumer}: ${reasonOf(cause)}`, { cause })
    this.consumer = consumer
  }
}

/** SQLSTATE classes that depend on the data alone: data exceptions, violated constraints, exceeded limits. */
const OF_THE_DATA = /^(22|23|54)/

/** Returns true if the database rejected the data of a statement. */
export const isRejected = (error: unknown): boolean =>
  OF_THE_DATA.test(String((error as { code?: unknown } | null)?.code))

/** Failures that the database reports as an outage, but that the block causes. */
const OWN_WAITS: Readonly<Record<string, string>> = {
  '57014': 'a statement took longer than its timeout (SQLSTATE 57014)',
  '25P03': 'the computation between two statements took longer than the idle timeout (SQLSTATE 25P03)',
}

/**
 * Returns true if the block did not cause the failure: the database or node is unavailable, a transaction must be retried, or a reorg
 * removed the block.
 */
export function isTransient(error: unknown): boolean {
  if (error instanceof SourceFault) return true
  if (!(error instanceof Fault) || error.kind !== 'unavailable') return false
  const code = codeOfCause(error)
  // Encoding errors are caused by the block too.
  return !(code in OWN_WAITS) && !code.startsWith('ERR_')
}

const codeOfCause = ({ cause }: { cause?: unknown }) =>
  String((cause as { code?: unknown } | undefined)?.code)

/** Returns the reason of a failure, without row data and SQL. */
function reasonOf(error: unknown): string {
  const ownWait = error instanceof Fault ? OWN_WAITS[codeOfCause(error)] : undefined
  if (ownWait) return ownWait
  const { code, constraint, message } = error as { code?: unknown; constraint?: string; message?: string }
  if (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code)) {
    return `rejected by the database (SQLSTATE ${code}${constraint ? `, constraint ${constraint}` : ''})`
  }
  return (message ?? 'unknown').split('\n')[0]!.slice(0, 200)
}
