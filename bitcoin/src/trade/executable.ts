import { BitcoinError } from '../errors.ts'
import { verifyInput } from '../script-interpreter.ts'
import { SIGHASH } from '../sighash.ts'
import { ScriptError } from '../tapscript.ts'
import { keyWitness, type Layout, prevoutsOf, type Spend, transactionOf } from './layout.ts'

/**
 * Runs the script of an input with a signature. Assumes that the market's signature will be valid. Throws `signature-invalid` with the
 * script error.
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
      `the signature of input ${index} is not valid: ${error.message}${faultOf(signature)}`,
      { index },
    )
  }
}

/** Returns the witness with 64 zero bytes as the market's signature. */
function witnessOf(spend: Spend, signature: Uint8Array): Uint8Array[] {
  if (spend.by === 'key') return keyWitness(spend, signature)
  const market = spend.by === 'escrow' ? [new Uint8Array(64)] : []
  return [...market, signature, spend.leaf, spend.controlBlock]
}

/** Tested with embit 0.8.0. */
const ANYONECANPAY_FAULT =
  '. Hardware wallets whose firmware builds on the embit library (SeedSigner, Krux, Specter-DIY) do not hash ANYONECANPAY as specified in BIP-341. They can sign in, buy, offer, accept, fill and swap, but cannot list or counter. Use another wallet to list or counter'

/** Returns the likely cause of an invalid signature, or an empty string. */
export const faultOf = (signature: Uint8Array): string =>
  signature.length === 65 && signature[64]! >= SIGHASH.ALL_ANYONECANPAY ? ANYONECANPAY_FAULT : ''
