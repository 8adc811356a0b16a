import { formatOutpoint, type Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { feeOf, sumSats } from '@ordbook/bitcoin/sats.ts'
import { verifyInput } from '@ordbook/bitcoin/script-interpreter.ts'
import { ScriptError } from '@ordbook/bitcoin/tapscript.ts'
import { decodeTransaction, type Tx, type TxOutput, vsizeOf } from '@ordbook/bitcoin/transaction.ts'
import type { CoinSource, FeeSource, PackageVerdict } from '@ordbook/indexer/node/source.ts'
import type { Sent } from './sent.ts'

type Missing = Sent & { tx: Tx }

/**
 * Decides if a package that failed the node's test can be sent. Nodes test transactions individually, so they reject parents whose fee the
 * child pays. Sending is safe if no transfer can enter the mempool alone: the node rejects the transfers only for their fee, the package
 * pays the mempool's minimum, and our interpreter accepts every input.
 */
export async function entersTogether(
  node: FeeSource & CoinSource,
  missing: readonly Sent[],
  tested: PackageVerdict,
): Promise<PackageVerdict> {
  const decoded = missing.map((sent): Missing => ({ ...sent, tx: decodeTransaction(sent.hex) }))
  if (!(await isRejectedOnlyForFees(node, decoded, tested))) return tested
  return verifyScripts(node, decoded, tested)
}

async function isRejectedOnlyForFees(
  node: FeeSource,
  missing: readonly Missing[],
  { reasons }: PackageVerdict,
): Promise<boolean> {
  const child = missing.at(-1)!
  const parents = missing.slice(0, -1)
  const isRejectedForFee = ({ txid }: Sent) => FEE_TOO_LOW.test(reasons.get(txid) ?? '')
  const onlyForFees = parents.every(
    (parent) => isRejectedForFee(parent) || isUndecided(reasons.get(parent.txid)),
  )
  if (!parents.some(isRejectedForFee) || !onlyForFees || !isUndecided(reasons.get(child.txid))) return false
  const { mempoolSatVb, relaySatVb } = await node.leastRates()
  const sized = missing.map((sent) => ({ ...sent, vsize: vsizeOf(sent.tx) }))
  // Only version 3 transactions may pay less than the relay fee.
  const paysRelayFee = sized.every(
    ({ tx, feeSats, vsize }) => tx.version === 3 || feeSats >= feeOf(vsize, relaySatVb),
  )
  const packageFeeSats = sumSats(sized.map(({ feeSats }) => feeSats))
  const packageVsize = sumSats(sized.map(({ vsize }) => vsize))
  const paysTogether = packageFeeSats >= feeOf(packageVsize, mempoolSatVb)
  const noTransferEntersAlone = sized.every(
    ({ transfers, feeSats, vsize }) => !transfers || feeSats < feeOf(vsize, mempoolSatVb),
  )
  return paysRelayFee && paysTogether && noTransferEntersAlone
}

const FEE_TOO_LOW = /^(min relay fee not met|mempool min fee not met)/
/** The node stops at the first rejection. */
const isUndecided = (reason: string | undefined) =>
  reason === undefined || /^(not validated|package-not-fully-validated)/.test(reason)

/** Verifies the script of every input. Returns the node's verdict if a coin is missing. */
async function verifyScripts(
  node: CoinSource,
  missing: readonly Missing[],
  tested: PackageVerdict,
): Promise<PackageVerdict> {
  const packageOutputs = new Map<string, TxOutput>()
  for (const { txid, tx } of missing)
    for (const [vout, output] of tx.outputs.entries())
      packageOutputs.set(formatOutpoint({ txid, vout }), output)
  const reasons = new Map<string, string>()
  const refused: Outpoint[] = []
  for (const { txid, tx } of missing) {
    const prevouts: TxOutput[] = []
    for (const { txid, vout } of tx.inputs) {
      const coin = { txid, vout }
      // A replaced mempool transaction may spend the coin, so look for the confirmed output too.
      const spent =
        packageOutputs.get(formatOutpoint(coin)) ??
        (await node.txOut(coin)) ??
        (await node.txOut(coin, { mempool: false }))
      if (!spent) return tested
      prevouts.push(spent)
    }
    for (const [index, { txid: from, vout }] of tx.inputs.entries())
      try {
        verifyInput(tx, index, prevouts)
      } catch (error) {
        if (!(error instanceof ScriptError)) throw error
        reasons.set(txid, `the script of input ${index} rejects its witness: ${error.message}`)
        refused.push({ txid: from, vout })
      }
  }
  return { ok: reasons.size === 0, reasons, refused }
}
