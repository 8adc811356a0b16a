import { BitcoinError } from '../errors.ts'
import { verifyInput } from '../script-interpreter.ts'
import { ScriptError } from '../tapscript.ts'
import { keyWitness, type Layout, prevoutsOf, type Spend, transactionOf } from './layout.ts'

/**
 * Runs the script of input `index` with the witness that `signature` will stand in, as a node would. The market's own
 * signature, which follows at the settlement, is taken as given. Throws `signature-invalid` with the reason of the script.
 */
export function assertExecutable(layout: Layout, index: number, signature: Uint8Array): void {
  const { spend } = layout.inputs[index]!
  const tx = transactionOf(layout)
  tx.inputs[index]!.witness = witnessOf(spend, signature)
  const awaited = 'marketKey' in spend ? [spend.marketKey] : []
  try {
    verifyInput(tx, index, prevoutsOf(layout), { awaited })
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error
    throw new BitcoinError(
      'signature-invalid',
      `the signature of input ${index} is not valid: ${error.message}`,
      { index },
    )
  }
}

/** The witness of an input, with 64 zero bytes where the market signs. */
function witnessOf(spend: Spend, signature: Uint8Array): Uint8Array[] {
  if (spend.by === 'key') return keyWitness(spend, signature)
  const market = spend.by === 'escrow' ? [new Uint8Array(64)] : []
  return [...market, signature, spend.leaf, spend.controlBlock]
}
