import { kindOfScript, p2shScript, p2wpkhScript } from '@ordbook/bitcoin/address.ts'
import { concatBytes, equalBytes } from '@ordbook/bitcoin/bytes.ts'
import {
  hash160,
  sha256,
  sha256d,
  taggedHash,
  taprootOutputKey,
  verifyEcdsa,
  verifySchnorr,
} from '@ordbook/bitcoin/keys.ts'
import {
  isTaprootSighash,
  p2wpkhScriptCode,
  segwitSighash,
  tapLeafHash,
  taprootSighash,
} from '@ordbook/bitcoin/sighash.ts'
import type { Tx, TxOutput } from '@ordbook/bitcoin/transaction.ts'

/**
 * Script verification for the devnet: P2WPKH, P2SH-P2WPKH and P2TR by key path and by script path, with the opcodes
 * that ordinals and our layouts use (BIP-141, BIP-143, BIP-341, BIP-342). No npm package that is kept up interprets
 * tapscript, so this is our own; the suite that runs against a real node is its judge. Anything it does not know it
 * refuses, so it can only be stricter than the network.
 */
export class ScriptError extends Error {}

/** Verifies that input `index` may spend its prevout. Throws ScriptError with Core's wording. */
export function verifyInput(tx: Tx, index: number, prevouts: readonly TxOutput[]): void {
  const { script, valueSats } = prevouts[index]!
  const { witness, scriptSig } = tx.inputs[index]!
  const kind = kindOfScript(script)
  if (kind === 'p2tr') {
    if (scriptSig.length > 0) throw new ScriptError('Witness requires empty scriptSig')
    verifyTaproot(tx, index, prevouts, script.slice(2), witness)
    return
  }
  if (kind === 'p2wpkh' && scriptSig.length > 0) throw new ScriptError('Witness requires empty scriptSig')
  if (kind !== 'p2wpkh' && kind !== 'p2sh')
    throw new ScriptError(`the devnet verifies P2WPKH, P2SH-P2WPKH and P2TR, not ${kind}`)
  const [signature, publicKey] = witness
  if (witness.length !== 2 || !signature || publicKey?.length !== 33)
    throw new ScriptError(
      witness.length === 0 ? 'Witness program was passed an empty witness' : 'Witness program hash mismatch',
    )
  const keyScript = p2wpkhScript(publicKey)
  if (kind === 'p2sh') {
    if (!equalBytes(scriptSig, concatBytes(Uint8Array.of(keyScript.length), keyScript)))
      throw new ScriptError(
        'Script evaluated without error but finished with a false/empty top stack element',
      )
    if (!equalBytes(p2shScript(keyScript), script))
      throw new ScriptError(
        'Script evaluated without error but finished with a false/empty top stack element',
      )
  } else if (!equalBytes(keyScript, script))
    throw new ScriptError('Script failed an OP_EQUALVERIFY operation')
  const type = signature.at(-1) ?? 0
  if (![1, 2, 3, 0x81, 0x82, 0x83].includes(type))
    throw new ScriptError('Signature hash type missing or not understood')
  const hash = segwitSighash(tx, index, p2wpkhScriptCode(publicKey), valueSats, type)
  if (!verifyEcdsa(signature.slice(0, -1), hash, publicKey))
    throw new ScriptError('Signature must be zero for failed CHECK(MULTI)SIG operation')
}

function verifyTaproot(
  tx: Tx,
  index: number,
  prevouts: readonly TxOutput[],
  outputKey: Uint8Array,
  witness: readonly Uint8Array[],
): void {
  if (witness.length === 0) throw new ScriptError('Witness program was passed an empty witness')
  if (witness.length >= 2 && witness.at(-1)![0] === 0x50) throw new ScriptError('the devnet takes no annex')
  if (witness.length === 1) {
    const hash = (type: number) => taprootSighash(tx, index, prevouts, type)
    if (!checkSchnorr(witness[0]!, outputKey, hash)) throw new ScriptError('Invalid Schnorr signature')
    return
  }
  const control = witness.at(-1)!
  const script = witness.at(-2)!
  if (control.length < 33 || (control.length - 33) % 32 !== 0)
    throw new ScriptError('Invalid Taproot control block size')
  let node = tapLeafHash(script, control[0]! & 0xfe)
  for (let at = 33; at < control.length; at += 32) {
    const branch = control.subarray(at, at + 32)
    node = taggedHash('TapBranch', ...(lessThan(node, branch) ? [node, branch] : [branch, node]))
  }
  const tweaked = taprootOutputKey(control.slice(1, 33), node)
  if (!equalBytes(tweaked.outputKey, outputKey) || tweaked.odd !== ((control[0]! & 1) === 1))
    throw new ScriptError('Witness program hash mismatch')
  if ((control[0]! & 0xfe) !== 0xc0) throw new ScriptError('Taproot version reserved for soft-fork upgrades')
  const leafHash = tapLeafHash(script)
  const hash = (type: number) => taprootSighash(tx, index, prevouts, type, { leafHash })
  new Tapscript(tx, index, hash).run(script, witness.slice(0, -2))
}

/** BIP-341: 64 bytes sign DEFAULT, 65 bytes name their type. Throws on a malformed one, false on a wrong one. */
function checkSchnorr(signature: Uint8Array, key: Uint8Array, hash: (type: number) => Uint8Array): boolean {
  if (signature.length !== 64 && signature.length !== 65)
    throw new ScriptError('Invalid Schnorr signature size')
  const type = signature.length === 65 ? signature[64]! : 0
  if ((signature.length === 65 && type === 0) || !isTaprootSighash(type))
    throw new ScriptError('Invalid Schnorr signature hash type')
  try {
    return verifySchnorr(signature.slice(0, 64), hash(type), key)
  } catch (error) {
    if (error instanceof RangeError) throw new ScriptError('Invalid Schnorr signature hash type')
    throw error
  }
}

/** A tapscript run (BIP-342). */
class Tapscript {
  private readonly stack: Uint8Array[] = []
  private readonly branches: boolean[] = []
  private readonly tx: Tx
  private readonly index: number
  private readonly hash: (type: number) => Uint8Array

  constructor(tx: Tx, index: number, hash: (type: number) => Uint8Array) {
    this.tx = tx
    this.index = index
    this.hash = hash
  }

  run(script: Uint8Array, initial: readonly Uint8Array[]): void {
    this.stack.push(...initial)
    if (initial.some((element) => element.length > 520))
      throw new ScriptError('Push value size limit exceeded')
    for (let at = 0; at < script.length; ) {
      const op = script[at++]!
      const running = this.branches.every(Boolean)
      if (op <= 0x4e) {
        const width = op < 0x4c ? 0 : 1 << (op - 0x4c)
        let length = op
        if (width > 0) {
          length = 0
          for (let i = width - 1; i >= 0; i--) length = length * 256 + (script[at + i] ?? 0)
        }
        at += width
        if (at + length > script.length) throw new ScriptError('Opcode missing or not understood')
        if (running) {
          if (length > 520) throw new ScriptError('Push value size limit exceeded')
          this.stack.push(script.subarray(at, at + length))
        }
        at += length
      } else if (running || (op >= 0x63 && op <= 0x68)) this.step(op, running)
    }
    if (this.branches.length > 0) throw new ScriptError('Invalid OP_IF construction')
    if (this.stack.length !== 1) throw new ScriptError('Stack size must be exactly one after execution')
    if (!isTrue(this.stack[0]!))
      throw new ScriptError(
        'Script evaluated without error but finished with a false/empty top stack element',
      )
  }

  private pop(): Uint8Array {
    const top = this.stack.pop()
    if (!top) throw new ScriptError('Operation not valid with the current stack size')
    return top
  }

  private number(): number {
    return numberOf(this.pop(), 4)
  }

  private verify(what: string): void {
    if (!isTrue(this.pop())) throw new ScriptError(`Script failed an ${what} operation`)
  }

  private step(op: number, running: boolean): unknown {
    const { stack, branches } = this
    if (op >= 0x51 && op <= 0x60) return void stack.push(Uint8Array.of(op - 0x50))
    switch (op) {
      case 0x4f:
        return void stack.push(Uint8Array.of(0x81))
      case 0x61: // NOP
        return
      case 0x63: // IF
      case 0x64: {
        // NOTIF
        let taken = false
        if (running) {
          const condition = this.pop()
          if (condition.length > 1 || (condition.length === 1 && condition[0] !== 1))
            throw new ScriptError('OP_IF/NOTIF argument must be minimal in tapscript')
          taken = isTrue(condition) === (op === 0x63)
        }
        return void branches.push(taken)
      }
      case 0x67: {
        // ELSE
        if (branches.length === 0) throw new ScriptError('Invalid OP_IF construction')
        branches[branches.length - 1] = !branches.at(-1)
        return
      }
      case 0x68: // ENDIF
        if (branches.pop() === undefined) throw new ScriptError('Invalid OP_IF construction')
        return
      case 0x69:
        return this.verify('OP_VERIFY')
      case 0x6a:
        throw new ScriptError('OP_RETURN was encountered')
      case 0x6d:
        this.pop()
        return void this.pop()
      case 0x75:
        return void this.pop()
      case 0x76: {
        const top = this.pop()
        return void stack.push(top, top)
      }
      case 0x7c:
        return void stack.push(this.pop(), this.pop())
      case 0x82: {
        const top = this.pop()
        return void stack.push(top, bytesOfNumber(top.length))
      }
      case 0x87:
      case 0x88:
        stack.push(bytesOfNumber(equalBytes(this.pop(), this.pop()) ? 1 : 0))
        return op === 0x88 ? this.verify('OP_EQUALVERIFY') : undefined
      case 0x93:
        return void stack.push(bytesOfNumber(this.number() + this.number()))
      case 0x9c:
      case 0x9d:
        stack.push(bytesOfNumber(this.number() - this.number() === 0 ? 1 : 0))
        return op === 0x9d ? this.verify('OP_NUMEQUALVERIFY') : undefined
      case 0xa8:
        return void stack.push(sha256(this.pop()))
      case 0xa9:
        return void stack.push(hash160(this.pop()))
      case 0xaa:
        return void stack.push(sha256d(this.pop()))
      case 0xac:
      case 0xad: {
        const key = this.pop()
        stack.push(bytesOfNumber(this.checkSig(this.pop(), key) ? 1 : 0))
        return op === 0xad ? this.verify('OP_CHECKSIGVERIFY') : undefined
      }
      case 0xba: {
        const key = this.pop()
        const count = this.number()
        return void stack.push(bytesOfNumber(count + (this.checkSig(this.pop(), key) ? 1 : 0)))
      }
      case 0xb1:
        return this.checkLocktime()
      case 0xb2:
        return this.checkSequence()
      default:
        throw new ScriptError(`the devnet does not interpret opcode 0x${op.toString(16)}`)
    }
  }

  private checkSig(signature: Uint8Array, key: Uint8Array): boolean {
    if (key.length === 0) throw new ScriptError('Public key is neither compressed or uncompressed')
    if (key.length !== 32) throw new ScriptError('Public key version reserved for soft-fork upgrades')
    if (signature.length === 0) return false
    if (!checkSchnorr(signature, key, this.hash)) throw new ScriptError('Invalid Schnorr signature')
    return true
  }

  /** BIP-65 */
  private checkLocktime(): void {
    const wanted = numberOf(this.stack.at(-1) ?? new Uint8Array(), 5)
    const { locktime } = this.tx
    const sameKind = wanted < 500_000_000 === locktime < 500_000_000
    if (wanted < 0) throw new ScriptError('Negative locktime')
    if (!sameKind || wanted > locktime || this.tx.inputs[this.index]!.sequence === 0xffffffff)
      throw new ScriptError('Locktime requirement not satisfied')
  }

  /** BIP-112 */
  private checkSequence(): void {
    const wanted = numberOf(this.stack.at(-1) ?? new Uint8Array(), 5)
    if (wanted < 0) throw new ScriptError('Negative locktime')
    if (wanted >= 2 ** 31) return
    const { sequence } = this.tx.inputs[this.index]!
    const masked = (value: number) => value & 0x0040ffff
    if (
      sequence >= 2 ** 31 ||
      masked(wanted) >>> 22 !== masked(sequence) >>> 22 ||
      (wanted & 0xffff) > (sequence & 0xffff)
    )
      throw new ScriptError('Locktime requirement not satisfied')
  }
}

function isTrue(bytes: Uint8Array): boolean {
  return bytes.some((byte, i) => byte !== 0 && !(byte === 0x80 && i === bytes.length - 1))
}

function numberOf(bytes: Uint8Array, maxLength: number): number {
  if (bytes.length > maxLength) throw new ScriptError('script number overflow')
  let value = 0
  for (const [i, byte] of bytes.entries()) value += (i === bytes.length - 1 ? byte & 0x7f : byte) * 256 ** i
  return bytes.length > 0 && (bytes.at(-1)! & 0x80) !== 0 ? -value : value
}

function bytesOfNumber(value: number): Uint8Array {
  const bytes: number[] = []
  for (let rest = Math.abs(value); rest > 0; rest = Math.floor(rest / 256)) bytes.push(rest % 256)
  if (bytes.length > 0 && bytes.at(-1)! & 0x80) bytes.push(value < 0 ? 0x80 : 0)
  else if (value < 0) bytes[bytes.length - 1]! |= 0x80
  return Uint8Array.from(bytes)
}

function lessThan(a: Uint8Array, b: Uint8Array): boolean {
  for (const [i, byte] of a.entries()) if (byte !== b[i]) return byte < b[i]!
  return false
}
