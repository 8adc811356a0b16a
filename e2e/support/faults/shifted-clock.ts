/** Preloaded into a process (`node --import`). Its clock is CLOCK_SHIFT_SECONDS ahead. */
const shiftMs = Number(process.env.CLOCK_SHIFT_SECONDS) * 1000
const now = Date.now

class ShiftedDate extends Date {
  constructor(...parts: [] | ConstructorParameters<typeof Date>) {
    if (parts.length === 0) super(now() + shiftMs)
    else super(...parts)
  }
  static override now = () => now() + shiftMs
}
globalThis.Date = ShiftedDate as DateConstructor
