import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import {
  previousTransactionsOf,
  signedTxidOf,
  spentOutputsOf,
  unsignedTransactionOf,
} from '@ordbook/bitcoin/psbt.ts'
import { landingOf, offsetOfInput } from '@ordbook/bitcoin/sat-flow.ts'
import { sumSats } from '@ordbook/bitcoin/sats.ts'
import { SIGHASH } from '@ordbook/bitcoin/sighash.ts'
import { refusing } from './verify/demand.ts'
import { isOwn, type Owner } from './verify/owner.ts'

/** A coin of a transaction, and the inscriptions known to be in it. */
export interface Piece {
  valueSats: number
  script: Uint8Array
  /** To or from an address of the wallet; null: another party's. */
  own: 'ordinals' | 'payment' | null
  inscriptionIds: string[]
}

interface Step {
  psbtBase64: string
  inputsToSign: readonly { signingIndexes: readonly number[]; sigHash?: number }[]
}

/** Effects of a PSBT for its signer, computed from the PSBT. */
export interface Effects {
  /** The txid after signing. */
  txid: string
  inputs: (Piece & { outpoint: string; signed: boolean })[]
  outputs: Piece[]
  /** Inscriptions that leave the wallet's addresses and that arrive at them. */
  leaves: string[]
  arrives: string[]
  /** Change of the wallet's balance in sats; without the coins of inscriptions that leave or arrive. */
  netSats: number
  /** What miners get; null while the transaction may still gain inputs and outputs. */
  feeSats: number | null
  /** The requested signature leaves inputs or outputs open: ANYONECANPAY, SINGLE or NONE. */
  isOpen: boolean
}

/** Inputs whose signature commits only to their own output. */
const legsOf = ({ inputsToSign }: Step) =>
  new Set(
    inputsToSign.flatMap(({ signingIndexes, sigHash }) =>
      sigHash === SIGHASH.SINGLE_ANYONECANPAY ? signingIndexes : [],
    ),
  )

/**
 * Computes the effects of signing a step. `located` has the inscriptions of each coin by `txid:vout`, with offsets; they are followed
 * through the transaction. Throws CheckFailed if the PSBT cannot be parsed.
 */
export function effectsOf(
  owner: Owner,
  step: Step,
  located: ReadonlyMap<string, readonly { inscriptionId: string; offset: number }[]>,
): Effects {
  const { tx, spent } = refusing(() => ({
    tx: unsignedTransactionOf(step.psbtBase64),
    spent: spentOutputsOf(step.psbtBase64),
  }))
  const signed = new Set(step.inputsToSign.flatMap((each) => each.signingIndexes))
  const legs = legsOf(step)
  const values = spent.map((each) => each.valueSats)
  const ownOf = (script: Uint8Array): Piece['own'] =>
    equalBytes(script, owner.ordinalsScript)
      ? 'ordinals'
      : equalBytes(script, owner.paymentScript)
        ? 'payment'
        : null
  const outputs: Piece[] = tx.outputs.map(({ valueSats, script }) => ({
    valueSats,
    script,
    own: ownOf(script),
    inscriptionIds: [],
  }))
  const previous = previousTransactionsOf(step.psbtBase64)
  /** Contents of an input's coin: known, or brought by the first input of a transaction that is not sent yet. */
  const heldBy = (index: number, { txid, vout }: { txid: string; vout: number }) => {
    const known = located.get(formatOutpoint({ txid, vout }))
    const parent = previous[index]
    const first = parent?.inputs[0]
    if (known || !parent || !first) return known ?? []
    return (located.get(formatOutpoint(first)) ?? []).flatMap(({ inscriptionId, offset }) => {
      const landing = landingOf(offset, parent.outputs)
      return 'vout' in landing && landing.vout === vout ? [{ inscriptionId, offset: landing.offset }] : []
    })
  }
  const leaves: string[] = []
  const arrives: string[] = []
  const inputs = tx.inputs.map((input, index) => {
    const outpoint = formatOutpoint(input)
    const held = heldBy(index, input)
    // A leg commits to its output but not to a position in the transaction: the inscription goes to the buyer.
    if (legs.has(index)) leaves.push(...held.map((each) => each.inscriptionId))
    const from = spent[index]!
    for (const { inscriptionId, offset } of legs.has(index) ? [] : held) {
      const landing = landingOf(offsetOfInput(index, values) + offset, tx.outputs)
      const output = 'vout' in landing ? outputs[landing.vout] : undefined
      output?.inscriptionIds.push(inscriptionId)
      const wasOwn = isOwn(owner, from.script)
      const isNowOwn = output !== undefined && output.own !== null
      if (wasOwn && !isNowOwn) leaves.push(inscriptionId)
      if (!wasOwn && isNowOwn) arrives.push(inscriptionId)
    }
    return {
      ...from,
      outpoint,
      own: ownOf(from.script),
      signed: signed.has(index),
      inscriptionIds: held.map((each) => each.inscriptionId),
    }
  })
  const isOpen = step.inputsToSign.some(({ sigHash }) => sigHash !== undefined && sigHash > 1)
  const plainSats = (pieces: readonly Piece[]) =>
    sumSats(
      pieces
        .filter((each) => each.own !== null && each.inscriptionIds.length === 0)
        .map((each) => each.valueSats),
    )
  return {
    txid: signedTxidOf(step.psbtBase64),
    inputs,
    outputs,
    leaves,
    arrives,
    netSats: plainSats(outputs) - plainSats(inputs),
    feeSats: isOpen ? null : sumSats(values) - sumSats(outputs.map((each) => each.valueSats)),
    isOpen,
  }
}
