import { formatOutpoint, type Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { feeOf, sumSats } from '@ordbook/bitcoin/sats.ts'
import { verifyInput } from '@ordbook/bitcoin/script-interpreter.ts'
import { ScriptError } from '@ordbook/bitcoin/tapscript.ts'
import { decodeTransaction, type Tx, type TxOutput, vsizeOf } from '@ordbook/bitcoin/transaction.ts'
import type { CoinSource, FeeSource, PackageVerdict } from '@ordbook/indexer/node/source.ts'
import type { Sent } from './sent.ts'

/** A transaction of a package that the node lacks. */
type Missing = Sent & { tx: Tx }

/**
 * Nodes test transactions one by one, so they reject parents that their child would pay for, and do not judge the child. Such a package may
 * be sent if no transfer can enter without the settlement: the node rejects each transfer only for its fee, the package pays the mempool's
 * rate, and our interpreter accepts every script. Returns an ok verdict or the reasons against sending.
 */
export async function entersTogether(
  node: FeeSource & CoinSource,
  missing: readonly Sent[],
  tested: PackageVerdict,
): Promise<PackageVerdict> {
  const all = missing.map((each): Missing => ({ ...each, tx: decodeTransaction(each.hex) }))
  if (!(await isShortOfFeesAlone(node, all, tested))) return tested
  return judgeScripts(node, all, tested)
}

async function isShortOfFeesAlone(
  node: FeeSource,
  missing: readonly Missing[],
  { reasons }: PackageVerdict,
): Promise<boolean> {
  const child = missing.at(-1)!
  const parents = missing.slice(0, -1)
  const isRefusedForFee = ({ txid }: Sent) => FEE_TOO_LOW.test(reasons.get(txid) ?? '')
  const onlyForFees = parents.every((each) => isRefusedForFee(each) || isUndecided(reasons.get(each.txid)))
  if (!parents.some(isRefusedForFee) || !onlyForFees || !isUndecided(reasons.get(child.txid))) return false
  const { mempoolSatVb, relaySatVb } = await node.leastRates()
  const sized = missing.map((each) => ({ ...each, vsize: vsizeOf(each.tx) }))
  const isTooCheapAlone = (each: (typeof sized)[number]) => each.feeSats < feeOf(each.vsize, mempoolSatVb)
  // A transaction that is not version 3 must pay the minimum relay fee itself.
  const paysRelay = sized.every(
    (each) => each.tx.version === 3 || each.feeSats >= feeOf(each.vsize, relaySatVb),
  )
  const feeSats = sumSats(sized.map((each) => each.feeSats))
  const paysTogether = feeSats >= feeOf(sumSats(sized.map((each) => each.vsize)), mempoolSatVb)
  return paysRelay && paysTogether && sized.every((each) => !each.transfers || isTooCheapAlone(each))
}

const FEE_TOO_LOW = /^(min relay fee not met|mempool min fee not met)/
/** The node stops at the first refusal, so later transactions may have no verdict. */
const isUndecided = (reason: string | undefined) =>
  reason === undefined || /^(not validated|package-not-fully-validated)/.test(reason)

/** Runs the script of every input, because the node did not. A package with a missing coin keeps the node's result. */
async function judgeScripts(
  node: CoinSource,
  missing: readonly Missing[],
  tested: PackageVerdict,
): Promise<PackageVerdict> {
  const made = new Map<string, TxOutput>()
  for (const { txid, tx } of missing)
    for (const [vout, output] of tx.outputs.entries()) made.set(formatOutpoint({ txid, vout }), output)
  const reasons = new Map<string, string>()
  const refused: Outpoint[] = []
  for (const { txid, tx } of missing) {
    const prevouts: TxOutput[] = []
    for (const { txid, vout } of tx.inputs) {
      const coin = { txid, vout }
      // A transaction that it replaces in the mempool may spend the coin.
      const spent =
        made.get(formatOutpoint(coin)) ??
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
        reasons.set(txid, `the script of input ${index} refuses its witness: ${error.message}`)
        refused.push({ txid: from, vout })
      }
  }
  return { ok: reasons.size === 0, reasons, refused }
}
