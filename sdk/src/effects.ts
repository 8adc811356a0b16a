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
import { asCheckFailed } from './verify/assert.ts'
import { isOwn, type Owner } from './verify/owner.ts'

/** A coin of a transaction, with its known inscriptions. */
export interface Piece {
  valueSats: number
  script: Uint8Array
  /** The wallet's address that holds the coin; null for other coins. */
  own: 'ordinals' | 'payment' | null
  inscriptionIds: string[]
}

interface Step {
  psbtBase64: string
  inputsToSign: readonly { signingIndexes: readonly number[]; sigHash?: number }[]
}

/** Effects of a PSBT on its signer's wallet. */
export interface Effects {
  txid: string
  inputs: (Piece & { outpoint: string; signed: boolean })[]
  outputs: Piece[]
  /** Inscriptions in the outputs by `txid:vout`, to trace them through the next transaction of a batch. */
  located: Map<string, { inscriptionId: string; offset: number }[]>
  /** Inscriptions that leave the wallet, and inscriptions that arrive. */
  leaves: string[]
  arrives: string[]
  /** Change of the wallet's balance in sats, without the coins of inscriptions that leave or arrive. */
  netSats: number
  /** Network fee; null if more inputs and outputs may be added. */
  feeSats: number | null
  /** Whether the signature leaves inputs or outputs open: ANYONECANPAY, SINGLE or NONE. */
  isOpen: boolean
}

/** Inputs whose signatures commit to a single output. */
const legsOf = ({ inputsToSign }: Step) =>
  new Set(
    inputsToSign.flatMap(({ signingIndexes, sigHash }) =>
      sigHash === SIGHASH.SINGLE_ANYONECANPAY ? signingIndexes : [],
    ),
  )

const ownOf = (owner: Owner, script: Uint8Array): Piece['own'] =>
  equalBytes(script, owner.ordinalsScript)
    ? 'ordinals'
    : equalBytes(script, owner.paymentScript)
      ? 'payment'
      : null

/** Sats of the wallet's coins without inscriptions. */
const plainSats = (pieces: readonly Piece[]) =>
  sumSats(
    pieces
      .filter((piece) => piece.own !== null && piece.inscriptionIds.length === 0)
      .map((piece) => piece.valueSats),
  )

/**
 * Computes the effects of signing a step. `located` lists the inscriptions per coin by `txid:vout`, with offsets. Throws CheckFailed if
 * the PSBT is malformed.
 */
export function effectsOf(
  owner: Owner,
  step: Step,
  located: ReadonlyMap<string, readonly { inscriptionId: string; offset: number }[]>,
): Effects {
  const { tx, spent } = asCheckFailed(() => ({
    tx: unsignedTransactionOf(step.psbtBase64),
    spent: spentOutputsOf(step.psbtBase64),
  }))
  const signed = new Set(step.inputsToSign.flatMap((request) => request.signingIndexes))
  const legs = legsOf(step)
  const values = spent.map((output) => output.valueSats)
  const outputs: Piece[] = tx.outputs.map(({ valueSats, script }) => ({
    valueSats,
    script,
    own: ownOf(owner, script),
    inscriptionIds: [],
  }))
  const previous = previousTransactionsOf(step.psbtBase64)
  /** Returns the inscriptions in an input's coin. Traces the coins of unsent transactions to their first input. */
  const contentsOf = (index: number, { txid, vout }: { txid: string; vout: number }) => {
    const known = located.get(formatOutpoint({ txid, vout }))
    const parent = previous[index]
    const first = parent?.inputs[0]
    if (known || !parent || !first) return known ?? []
    return (located.get(formatOutpoint(first)) ?? []).flatMap(({ inscriptionId, offset }) => {
      const landing = landingOf(offset, parent.outputs)
      return 'vout' in landing && landing.vout === vout ? [{ inscriptionId, offset: landing.offset }] : []
    })
  }
  const txid = signedTxidOf(step.psbtBase64)
  const locatedOutputs: Effects['located'] = new Map()
  const leaves: string[] = []
  const arrives: string[] = []
  const inputs = tx.inputs.map((input, index) => {
    const outpoint = formatOutpoint(input)
    const contents = contentsOf(index, input)
    // A leg does not fix its position in the transaction. Its inscription goes to the buyer.
    if (legs.has(index)) leaves.push(...contents.map((content) => content.inscriptionId))
    const from = spent[index]!
    for (const { inscriptionId, offset } of legs.has(index) ? [] : contents) {
      const landing = landingOf(offsetOfInput(index, values) + offset, tx.outputs)
      const output = 'vout' in landing ? outputs[landing.vout] : undefined
      if (output && 'vout' in landing) {
        output.inscriptionIds.push(inscriptionId)
        const outpoint = formatOutpoint({ txid, vout: landing.vout })
        const others = locatedOutputs.get(outpoint) ?? []
        locatedOutputs.set(outpoint, [...others, { inscriptionId, offset: landing.offset }])
      }
      const wasOwn = isOwn(owner, from.script)
      const isNowOwn = output !== undefined && output.own !== null
      if (wasOwn && !isNowOwn) leaves.push(inscriptionId)
      if (!wasOwn && isNowOwn) arrives.push(inscriptionId)
    }
    return {
      ...from,
      outpoint,
      own: ownOf(owner, from.script),
      signed: signed.has(index),
      inscriptionIds: contents.map((content) => content.inscriptionId),
    }
  })
  const isOpen = step.inputsToSign.some(({ sigHash }) => sigHash !== undefined && sigHash > 1)
  return {
    txid,
    inputs,
    outputs,
    located: locatedOutputs,
    leaves,
    arrives,
    netSats: plainSats(outputs) - plainSats(inputs),
    feeSats: isOpen ? null : sumSats(values) - sumSats(outputs.map((output) => output.valueSats)),
    isOpen,
  }
}
