/**
 * Iterates over the instructions of a script in place. A script of 4 MB can contain four million of them, so the reader exposes one at a
 * time instead of allocating objects.
 */
export class ScriptReader {
  readonly script: Uint8Array
  /** Offset of the next instruction. */
  at = 0
  /** The opcode of the current instruction; pushes of data are 0x00 to 0x4e. */
  op = 0
  /** The pushed bytes of the current instruction, from and to (exclusive); empty for other opcodes. */
  from = 0
  to = 0

  constructor(script: Uint8Array) {
    this.script = script
  }

  /** Advances to the next instruction; returns false at the end, and if a push exceeds the script. */
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
    // Written so that a truncated length (NaN) fails as well.
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

  /** True when the instruction after this one is an empty push. */
  get isBeforeEmptyPush(): boolean {
    const { at, op, from, to } = this
    const found = this.next() && this.isEmptyPush
    this.at = at
    this.op = op
    this.from = from
    this.to = to
    return found
  }
}

/** True when every instruction of the script is whole. */
export function isWholeScript(script: Uint8Array): boolean {
  const reader = new ScriptReader(script)
  while (reader.next());
  return reader.at === script.length
}
