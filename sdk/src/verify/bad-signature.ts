import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { BitcoinError, type BitcoinErrorCode } from '@ordbook/bitcoin/errors.ts'
import { verifySchnorr } from '@ordbook/bitcoin/keys.ts'
import { decodePsbt } from '@ordbook/bitcoin/psbt.ts'
import { defaultSighashOf, type Layout, sighashOf } from '@ordbook/bitcoin/trade/layout.ts'
import { BadSignature, type SignatureFault } from '../errors.ts'

/** A PSBT that a wallet was asked to sign. */
interface Signed {
  /** The name of the step or steps, for the error. */
  name: string
  layout: Layout
  request: { indexes: number[]; sighash?: number }
}

const FAULTS: Partial<Record<BitcoinErrorCode, SignatureFault>> = {
  'input-unsigned': 'missing',
  'wrong-sighash': 'wrong-sighash',
  'signature-invalid': 'invalid',
  'transaction-changed': 'altered',
  'psbt-malformed': 'unreadable',
  'escrow-key-path-signed': 'unsafe',
  'escrow-other-leaf-signed': 'unsafe',
  'escrow-finalised': 'unsafe',
}

const WORDS: Partial<Record<SignatureFault, string>> = {
  'other-key':
    'the wallet signed with a key that does not belong to the address; is another account selected?',
  missing: 'the wallet returned it without a signature; is it on another account?',
}

/** Runs code that extracts signatures from a wallet's PSBT. Throws BadSignature, with wallet, step and fault, if the kernel rejects one. */
export function judging<T>(run: () => T, psbtBase64: string, asked: Signed, wallet: string | undefined): T {
  try {
    return run()
  } catch (error) {
    if (!(error instanceof BitcoinError)) throw error
    const fault = faultOf(error, psbtBase64, asked)
    const words = WORDS[fault]
    const { sighash } = asked.request
    throw new BadSignature(
      `${wallet ? `${wallet}, ` : ''}${asked.name}: ${error.message}${words ? `: ${words}` : ''}`,
      { fault, wallet: wallet ?? null, step: asked.name, sighash: sighash ?? null },
    )
  }
}

function faultOf(error: BitcoinError, psbtBase64: string, asked: Signed): SignatureFault {
  const fault = FAULTS[error.code] ?? 'invalid'
  const index = Number(error.facts.index)
  const isDoubtful = fault === 'missing' || fault === 'invalid'
  return isDoubtful && asked.layout.inputs[index] && isByOtherKey(psbtBase64, asked, index)
    ? 'other-key'
    : fault
}

/** Whether an input that lacks the signature asked for holds one of another key. */
function isByOtherKey(psbtBase64: string, { layout, request }: Signed, index: number): boolean {
  const { spend } = layout.inputs[index]!
  const { tapScriptSig = [], partialSig = [], tapKeySig } = decodePsbt(psbtBase64).inputs[index]!
  if (spend.by === 'escrow' || spend.by === 'exit')
    return tapScriptSig.length > 0 && !tapScriptSig.some(([at]) => equalBytes(at.pubKey, spend.sellerKey))
  if (spend.by !== 'key') return false
  if (spend.kind !== 'p2tr')
    return partialSig.length > 0 && !partialSig.some(([key]) => equalBytes(key, spend.publicKey))
  // A key path names no key: only the untweaked key of the same address can be told from a wrong digest.
  const hash = sighashOf(layout, index, request.sighash ?? defaultSighashOf(spend))
  return Boolean(
    tapKeySig && spend.internalKey && verifySchnorr(tapKeySig.slice(0, 64), hash, spend.internalKey),
  )
}
