import { type KeySpend, keySpendOf } from '@ordbook/bitcoin/address.ts'
import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { BitcoinError } from '@ordbook/bitcoin/errors.ts'
import { formatOutpoint, type Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { sighashesOf, spentOutputsOf, unsignedTransactionOf } from '@ordbook/bitcoin/psbt.ts'
import { landingOf, offsetOfInput } from '@ordbook/bitcoin/sat-flow.ts'
import type { Tx, TxOutput } from '@ordbook/bitcoin/transaction.ts'
import { CheckFailed } from './errors.ts'
import type { Wallet } from './wallet.ts'

/**
 * What a PSBT does, computed from the PSBT itself and compared with what was agreed, before anything is signed. Nothing
 * the server says is believed here but what the agreement names.
 */
export interface Opened {
  tx: Tx
  spent: TxOutput[]
}

/** A signing step as a market gives it. */
export interface Step {
  psbtBase64: string
  inputsToSign: { signingIndexes: number[]; sigHash?: number }[]
}

/** A coin of one's own, as one knows it. */
export interface KnownCoin extends Outpoint {
  valueSats: number
}

/** Reads a PSBT. Throws CheckFailed when it cannot be read. */
export function open(psbtBase64: string): Opened {
  try {
    return { tx: unsignedTransactionOf(psbtBase64), spent: spentOutputsOf(psbtBase64) }
  } catch (error) {
    if (error instanceof BitcoinError) throw new CheckFailed(error.message)
    throw error
  }
}

/** Throws CheckFailed unless it holds. */
export function demand(holds: boolean, reason: string): asserts holds {
  if (!holds) throw new CheckFailed(reason)
}

/** The seller as the published form of an escrow knows it: by the output key of the ordinals address. */
export const publishedSeller = ({ ordinalsScript }: Wallet): KeySpend =>
  keySpendOf(ordinalsScript, ordinalsScript.slice(2))

/** Whether a script is one of the wallet's two. */
export const isOwn = (wallet: Wallet, script: Uint8Array) =>
  equalBytes(script, wallet.ordinalsScript) || equalBytes(script, wallet.paymentScript)

/** The sighash asked for, by the step and by the PSBT, is the one that the layout needs. */
export function demandSighash(step: Step, index: number, sighash: number): void {
  const asked = step.inputsToSign.find((each) => each.signingIndexes.includes(index))?.sigHash
  const inPsbt = sighashesOf(step.psbtBase64)[index]
  demand(
    (asked ?? sighash) === sighash && (inPsbt ?? sighash) === sighash,
    `input ${index} asks for sighash ${asked ?? inPsbt}, expected is ${sighash}`,
  )
}

/** Exactly these inputs are asked for. */
export function demandAsked(step: Step, indexes: readonly number[]): void {
  const asked = step.inputsToSign.flatMap((each) => each.signingIndexes).toSorted((a, b) => a - b)
  demand(asked.join() === indexes.join(), 'the market asks for a signature on an input that is not yours')
}

/**
 * The inputs that the wallet pays with: all that are its own, each a coin that was offered and as it is known, and these
 * alone asked for, with a sighash that leaves nothing open.
 */
export function payingInputs(
  wallet: Wallet,
  step: Step,
  { tx, spent }: Opened,
  coins: readonly KnownCoin[],
): number[] {
  const mine = new Map(coins.map((coin) => [formatOutpoint(coin), coin]))
  const paying: number[] = []
  for (const [i, input] of tx.inputs.entries()) {
    const coin = mine.get(formatOutpoint(input))
    if (!coin && !isOwn(wallet, spent[i]!.script)) continue
    demand(coin !== undefined, `input ${i} spends a coin of yours that you did not offer`)
    demand(
      coin.valueSats === spent[i]!.valueSats && equalBytes(spent[i]!.script, wallet.paymentScript),
      `input ${i} misstates your coin`,
    )
    paying.push(i)
  }
  demandAsked(step, paying)
  demandClosed(step)
  return paying
}

/** No signature is asked for that leaves inputs or outputs open. */
export function demandClosed(step: Step): void {
  for (const each of step.inputsToSign)
    demand(
      each.sigHash === undefined || each.sigHash <= 1,
      'the market asks for a signature that leaves outputs open',
    )
  for (const sighash of sighashesOf(step.psbtBase64))
    demand(sighash === null || sighash <= 1, 'the PSBT asks for an unsafe sighash')
}

/** The output in which the whole of an input's coin lands, from its first sat to its last, with the wallet. */
export function landsWith(
  wallet: Wallet,
  { tx, spent }: Opened,
  index: number,
  inscriptionId: string,
): TxOutput {
  const values = spent.map((output) => output.valueSats)
  const landing = landingOf(offsetOfInput(index, values), tx.outputs)
  const output = 'vout' in landing ? tx.outputs[landing.vout] : undefined
  demand(
    output !== undefined &&
      'vout' in landing &&
      landing.offset === 0 &&
      output.valueSats === values[index] &&
      equalBytes(output.script, wallet.ordinalsScript),
    `${inscriptionId} does not land with you`,
  )
  return output
}

/** The one input of the wallet's own is this coin of its ordinals address, and it alone is asked for. */
export function onlyInscription(wallet: Wallet, step: Step, { tx, spent }: Opened, coin: KnownCoin): number {
  const own = spent.flatMap((output, i) => (isOwn(wallet, output.script) ? [i] : []))
  const [index] = own
  demand(
    own.length === 1 &&
      index !== undefined &&
      formatOutpoint(tx.inputs[index]!) === formatOutpoint(coin) &&
      spent[index]!.valueSats === coin.valueSats &&
      equalBytes(spent[index]!.script, wallet.ordinalsScript),
    'the transaction spends another coin of yours than that of the inscription',
  )
  demandAsked(step, [index])
  return index
}

/**
 * What comes back to the payment address, in sats: a wallet with one address for everything gets its inscriptions there too, and
 * those outputs are no change.
 */
export function changeTo(
  wallet: Wallet,
  outputs: readonly TxOutput[],
  landed: readonly TxOutput[] = [],
): number {
  return outputs.reduce(
    (sum, output) =>
      equalBytes(output.script, wallet.paymentScript) && !landed.includes(output)
        ? sum + output.valueSats
        : sum,
    0,
  )
}

/** What outputs pay to the wallet's own scripts, in sats. */
export function paidTo(wallet: Wallet, outputs: readonly TxOutput[]): number {
  return outputs.reduce((sum, output) => sum + (isOwn(wallet, output.script) ? output.valueSats : 0), 0)
}
