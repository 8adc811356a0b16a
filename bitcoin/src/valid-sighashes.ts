import { kindOfScript } from './address.ts'
import type { TxInput } from './transaction.ts'

/** Returns the sighash types of a confirmed input's signatures, which consensus has verified. Ignores unknown script forms. */
export function validSighashesOf(
  { witness, scriptSig }: Pick<TxInput, 'witness' | 'scriptSig'>,
  spentScript: Uint8Array,
): number[] {
  switch (kindOfScript(spentScript)) {
    case 'p2tr':
      return taprootSighashes(witness)
    case 'p2wpkh':
      return keyHashSighashes(witness)
    case 'p2wsh':
      return scriptHashSighashes(witness)
    case 'p2sh': {
      // The only push is the nested witness program.
      const [program, ...more] = pushesOf(scriptSig) ?? []
      if (!program || more.length > 0) return []
      const kind = kindOfScript(program)
      if (kind === 'p2wpkh') return keyHashSighashes(witness)
      return kind === 'p2wsh' ? scriptHashSighashes(witness) : []
    }
    case 'p2pkh':
      return keyHashSighashes(pushesOf(scriptSig) ?? [])
    default:
      return []
  }
}

/** A signature and the key that hashes to the script (BIP-141 or P2PKH). */
function keyHashSighashes(stack: readonly Uint8Array[]): number[] {
  return stack.length === 2 && stack[0]!.length > 0 ? [stack[0]!.at(-1)!] : []
}

/** Signatures of the key path or a tapscript (BIP-341). */
function taprootSighashes(witness: readonly Uint8Array[]): number[] {
  const hasAnnex = witness.length >= 2 && witness.at(-1)![0] === ANNEX
  const stack = hasAnnex ? witness.slice(0, -1) : witness
  if (stack.length === 1) return [schnorrSighash(stack[0]!)]
  const control = stack.at(-1)
  if (!control || (control[0]! & 0xfe) !== TAPSCRIPT) return []
  const checks = checksOf(stack.at(-2)!, 32)
  const signatures = checks && taken(stack.slice(0, -2), checks)
  // A non-empty signature is valid, or the script fails (BIP-342).
  return signatures?.filter((signature) => signature.length > 0).map(schnorrSighash) ?? []
}

function schnorrSighash(signature: Uint8Array): number {
  return signature.length === 64 ? 0 : signature.at(-1)!
}

/** Signatures of a witness script that requires all of them. */
function scriptHashSighashes(witness: readonly Uint8Array[]): number[] {
  const script = witness.at(-1)
  if (!script) return []
  const stack = witness.slice(0, -1)
  const checks = checksOf(script, 33)
  // Before tapscript, a failed check can only be the last check.
  const isStrict = checks?.every(
    ({ kind }, n) => kind !== 'add' && (kind === 'verify' || kind === 'skip' || n === checks.length - 1),
  )
  const signatures = checks && isStrict ? taken(stack, checks) : multisigSignatures(script, stack)
  return signatures?.filter((signature) => signature.length > 0).map((signature) => signature.at(-1)!) ?? []
}

/** Signatures of `m <keys> n CHECKMULTISIG`. */
function multisigSignatures(script: Uint8Array, stack: readonly Uint8Array[]): Uint8Array[] | null {
  const needed = script[0]! - OP_N
  const keys = script.at(-2)! - OP_N
  const isMultisig =
    script.at(-1) === CHECKMULTISIG &&
    needed >= 1 &&
    needed <= keys &&
    keys <= 16 &&
    script.length === 3 + 34 * keys
  if (!isMultisig || stack.length !== needed + 1) return null
  for (let n = 0; n < keys; n++) if (script[1 + 34 * n] !== 33) return null
  return stack.slice(1)
}

/** A signature or hash check, which consumes a stack element. */
interface Check {
  kind: 'check' | 'verify' | 'add' | 'skip'
}

/** Returns the stack elements of the signature checks, top first. Returns null if the stack size does not match. */
function taken(stack: readonly Uint8Array[], checks: readonly Check[]): Uint8Array[] | null {
  if (stack.length !== checks.length) return null
  return checks.flatMap(({ kind }, n) => (kind === 'skip' ? [] : [stack.at(-1 - n)!]))
}

/** Parses a script of signature checks, hash locks and time locks. Returns null for other scripts. */
function checksOf(script: Uint8Array, keyBytes: 32 | 33): Check[] | null {
  const checks: Check[] = []
  let at = 0
  while (at < script.length) {
    const op = script[at]!
    const after = script[at + 1 + op]
    if (op === keyBytes && after !== undefined && CHECKS[after]) {
      checks.push({ kind: CHECKS[after] })
      at += keyBytes + 2
    } else if (
      HASHES[op] !== undefined &&
      script[at + 1] === HASHES[op] &&
      script[at + 2 + HASHES[op]] === EQUALVERIFY
    ) {
      checks.push({ kind: 'skip' })
      at += HASHES[op] + 3
    } else if (op === SIZE && script[at + 1] === 1 && script[at + 3] === EQUALVERIFY) at += 4
    else {
      const end = numberEnd(script, at)
      if (end === null) return null
      const next = script[end]
      if ((next === CLTV || next === CSV) && script[end + 1] === DROP) at = end + 2
      else if (isCount(next) && keyBytes === 32 && end + 1 === script.length) at = end + 1
      else return null
    }
  }
  return checks.some(({ kind }) => kind !== 'skip') ? checks : null
}

const isCount = (op: number | undefined) => op === NUMEQUAL || op === GREATERTHANOREQUAL

/** Returns the end of a pushed number, or null. */
function numberEnd(script: Uint8Array, at: number): number | null {
  const op = script[at]!
  if (op > OP_N && op <= OP_N + 16) return at + 1
  return op >= 1 && op <= 5 ? at + 1 + op : null
}

/** Returns the pushes of a push-only script, or null. */
function pushesOf(script: Uint8Array): Uint8Array[] | null {
  const pushes: Uint8Array[] = []
  for (let at = 0; at < script.length; ) {
    let length = script[at++]!
    if (length === 0x4c) length = script[at++] ?? Number.POSITIVE_INFINITY
    else if (length > 0x4b) return null
    if (at + length > script.length) return null
    pushes.push(script.subarray(at, at + length))
    at += length
  }
  return pushes
}

const ANNEX = 0x50
const TAPSCRIPT = 0xc0
const OP_N = 0x50
const DROP = 0x75
const SIZE = 0x82
const EQUALVERIFY = 0x88
const NUMEQUAL = 0x9c
const GREATERTHANOREQUAL = 0xa2
const CHECKMULTISIG = 0xae
const CLTV = 0xb1
const CSV = 0xb2
const CHECKS: Record<number, Check['kind']> = { 172: 'check', 173: 'verify', 186: 'add' }
/** Hash sizes of RIPEMD160, SHA256, HASH160 and HASH256. */
const HASHES: Record<number, number> = { 166: 20, 168: 32, 169: 20, 170: 32 }
