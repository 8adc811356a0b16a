import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { BitcoinError, type BitcoinErrorCode } from '@ordbook/bitcoin/errors.ts'
import { verifySchnorr } from '@ordbook/bitcoin/keys.ts'
import { decodePsbt } from '@ordbook/bitcoin/psbt.ts'
import { defaultSighashOf, type Layout, sighashOf } from '@ordbook/bitcoin/trade/layout.ts'
import { BadSignature, type SignatureFault } from '../errors.ts'

interface Signed {
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

const HINTS: Partial<Record<SignatureFault, string>> = {
  'other-key': 'the wallet signed with the key of another address; is another account selected?',
  missing: 'the wallet returned no signature; is another account selected?',
}

/** Extracts signatures from a wallet's PSBT. Converts the errors of `run` to BadSignature with the wallet and the step. */
export function asBadSignature<T>(
  run: () => T,
  psbtBase64: string,
  step: Signed,
  wallet: string | undefined,
): T {
  try {
    return run()
  } catch (error) {
    if (!(error instanceof BitcoinError)) throw error
    const fault = faultOf(error, psbtBase64, step)
    const hint = HINTS[fault]
    const { sighash } = step.request
    throw new BadSignature(
      `${wallet ? `${wallet}, ` : ''}${step.name}: ${error.message}${hint ? `: ${hint}` : ''}`,
      { fault, wallet: wallet ?? null, step: step.name, sighash: sighash ?? null },
    )
  }
}

function faultOf(error: BitcoinError, psbtBase64: string, step: Signed): SignatureFault {
  const fault = FAULTS[error.code] ?? 'invalid'
  const index = Number(error.facts.index)
  const mayBeOtherKey = fault === 'missing' || fault === 'invalid'
  return mayBeOtherKey && step.layout.inputs[index] && isByOtherKey(psbtBase64, step, index)
    ? 'other-key'
    : fault
}

/** Whether an input has a signature by another key than the requested one. */
function isByOtherKey(psbtBase64: string, { layout, request }: Signed, index: number): boolean {
  const { spend } = layout.inputs[index]!
  const { tapScriptSig = [], partialSig = [], tapKeySig } = decodePsbt(psbtBase64).inputs[index]!
  if (spend.by === 'escrow' || spend.by === 'exit')
    return tapScriptSig.length > 0 && !tapScriptSig.some(([at]) => equalBytes(at.pubKey, spend.sellerKey))
  if (spend.by !== 'key') return false
  if (spend.kind !== 'p2tr')
    return partialSig.length > 0 && !partialSig.some(([key]) => equalBytes(key, spend.publicKey))
  // A key path signature contains no key. Only the untweaked key of the same address can be recognized.
  const hash = sighashOf(layout, index, request.sighash ?? defaultSighashOf(spend))
  return Boolean(
    tapKeySig && spend.internalKey && verifySchnorr(tapKeySig.slice(0, 64), hash, spend.internalKey),
  )
}
