/** Iterates over the instructions of a script without allocations, because a 4 MB script can contain four million instructions. */
export class ScriptReader {
  readonly script: Uint8Array
  /** Offset of the next instruction. */
  at = 0
  /** Opcode of the current instruction; 0x00 to 0x4e push data. */
  op = 0
  /** Start and end (exclusive) of the current instruction's pushed bytes; equal for other opcodes. */
  from = 0
  to = 0

  constructor(script: Uint8Array) {
    this.script = script
  }

  /** Advances to the next instruction. Returns false at the end of the script, or if a push exceeds it. */
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
    // A truncated length is NaN and must fail too.
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

  /** True if the next instruction is an empty push. */
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

/** Returns true if no instruction of the script is truncated. */
export function isWholeScript(script: Uint8Array): boolean {
  const reader = new ScriptReader(script)
  while (reader.next());
  return reader.at === script.length
}
