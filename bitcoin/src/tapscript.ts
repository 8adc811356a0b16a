import { equalBytes } from './bytes.ts'
import { hash160, sha256, sha256d } from './keys.ts'
import type { Tx } from './transaction.ts'

/** A script error with Core's message. */
export class ScriptError extends Error {}

/** Verifies a non-empty signature. Throws ScriptError if malformed. */
type CheckSig = (signature: Uint8Array, key: Uint8Array) => boolean

/** Executes tapscript (BIP-342). Supports only the opcodes of ordinals and our layouts. */
export class Tapscript {
  private readonly stack: Uint8Array[] = []
  private readonly branches: boolean[] = []
  private readonly tx: Tx
  private readonly index: number
  private readonly verifies: CheckSig

  constructor(tx: Tx, index: number, verifies: CheckSig) {
    this.tx = tx
    this.index = index
    this.verifies = verifies
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
      } else if (op >= 0x63 && op <= 0x68) this.branch(op, running)
      else if (running) this.step(op)
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

  /** Runs IF, NOTIF, ELSE and ENDIF, including in skipped branches. */
  private branch(op: number, running: boolean): void {
    const { branches } = this
    switch (op) {
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
      default:
        throw notInterpreted(op)
    }
  }

  private step(op: number): unknown {
    const { stack } = this
    if (op >= 0x51 && op <= 0x60) return void stack.push(Uint8Array.of(op - 0x50))
    switch (op) {
      case 0x4f:
        return void stack.push(Uint8Array.of(0x81))
      case 0x61: // NOP
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
        throw notInterpreted(op)
    }
  }

  private checkSig(signature: Uint8Array, key: Uint8Array): boolean {
    if (key.length === 0) throw new ScriptError('Public key is neither compressed or uncompressed')
    if (key.length !== 32) throw new ScriptError('Public key version reserved for soft-fork upgrades')
    if (signature.length === 0) return false
    if (!this.verifies(signature, key)) throw new ScriptError('Invalid Schnorr signature')
    return true
  }

  /** BIP-65 */
  private checkLocktime(): void {
    const required = numberOf(this.stack.at(-1) ?? new Uint8Array(), 5)
    const { locktime } = this.tx
    const sameKind = required < 500_000_000 === locktime < 500_000_000
    if (required < 0) throw new ScriptError('Negative locktime')
    if (!sameKind || required > locktime || this.tx.inputs[this.index]!.sequence === 0xffffffff)
      throw new ScriptError('Locktime requirement not satisfied')
  }

  /** BIP-112 */
  private checkSequence(): void {
    const required = numberOf(this.stack.at(-1) ?? new Uint8Array(), 5)
    if (required < 0) throw new ScriptError('Negative locktime')
    if (required >= 2 ** 31) return
    const { sequence } = this.tx.inputs[this.index]!
    const masked = (value: number) => value & 0x0040ffff
    if (
      sequence >= 2 ** 31 ||
      masked(required) >>> 22 !== masked(sequence) >>> 22 ||
      (required & 0xffff) > (sequence & 0xffff)
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

const notInterpreted = (op: number) => new ScriptError(`unsupported opcode 0x${op.toString(16)}`)
