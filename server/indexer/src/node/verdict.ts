import type { PackageVerdict } from './source.ts'

const ALREADY_THERE = /already[- ]in[- ](mempool|utxo set)|already-known|txn-same-nonwitness-data-in-mempool/i
const SCRIPT_REFUSED = /script-verify-flag-failed .*spending ([0-9a-f]{64}):(\d+)/

/**
 * Builds a package verdict from each transaction's txid, reject reason (null if accepted) and details. Known transactions count as
 * accepted.
 */
export function verdictOf(results: readonly (readonly [string, string | null, string?])[]): PackageVerdict {
  const refusals = results.flatMap(([txid, reason, details]) =>
    reason && !ALREADY_THERE.test(reason) ? [{ txid, reason, details: details ?? reason }] : [],
  )
  const refused = refusals.flatMap(({ details }) => {
    const [, txid, vout] = SCRIPT_REFUSED.exec(details) ?? []
    return txid ? [{ txid, vout: Number(vout) }] : []
  })
  const reasons = new Map(refusals.map(({ txid, reason }) => [txid, reason]))
  return { ok: reasons.size === 0, reasons, refused }
}
