/** Iterates over script instructions without allocations. A 4 MB script can have four million. */
export class ScriptReader {
  readonly script: Uint8Array
  /** Offset of the next instruction. */
  at = 0
  /** Opcode of the current instruction. Opcodes up to 0x4e push data. */
  op = 0
  /** Start and end of the pushed bytes. Equal for other opcodes. */
  from = 0
  to = 0

  constructor(script: Uint8Array) {
    this.script = script
  }

  /** Advances to the next instruction. Returns false at the end, or for a truncated push. */
  next(): boolean {
    const { script } = this
    if (this.at >= script.length) return false
    const op = script[this.at]!
    let from = this.at + 1
    let length = 0
    if (op < 0x4c) length = op
    else if (op <= 0x4e) {
      const width = 1 << (op - 0x4c)
      for (let i = width - 1; i >= 0; i--) length = length * 256 + (script[from + i] ?? Number.NaN)
      from += width
    }
    // The comparison also fails for NaN, the result of a truncated length.
    if (!(from + length <= script.length)) return false
    this.op = op
    this.from = from
    this.to = from + length
    this.at = this.to
    return true
  }

  get isPush(): boolean {
    return this.op <= 0x4e
  }

  get isEmptyPush(): boolean {
    return this.isPush && this.from === this.to
  }

  get isBeforeEmptyPush(): boolean {
    const { at, op, from, to } = this
    const isBefore = this.next() && this.isEmptyPush
    this.at = at
    this.op = op
    this.from = from
    this.to = to
    return isBefore
  }
}

export function isWholeScript(script: Uint8Array): boolean {
  const reader = new ScriptReader(script)
  while (reader.next());
  return reader.at === script.length
}
