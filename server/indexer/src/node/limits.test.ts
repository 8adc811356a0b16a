import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { withinLimits } from './limits.ts'

/** A call that never returns until it is aborted. */
const hanging = (signal: AbortSignal) =>
  new Promise<never>((_, fail) => signal.addEventListener('abort', () => fail(signal.reason)))

describe('withinLimits', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('aborts a hanging call at its timeout', async () => {
    for (const [limits, milliseconds] of [
      [{}, 5000],
      [{ milliseconds: 700 }, 700],
    ] as const) {
      const ended = vi.fn()
      const call = withinLimits(limits, 5000, hanging).catch((error: Error) => ended(error.name))
      await vi.advanceTimersByTimeAsync(milliseconds - 1)
      expect(ended).not.toHaveBeenCalled()
      await vi.advanceTimersByTimeAsync(1)
      await call
      expect(ended).toHaveBeenCalledWith('TimeoutError')
    }
  })

  it('ends a call that ignores its signal', async () => {
    const call = withinLimits({}, 5000, () => new Promise<never>(() => {}))
    const ended = expect(call).rejects.toThrow('the request timed out')
    await vi.advanceTimersByTimeAsync(5000)
    await ended
  })

  it('aborts a call when the signal aborts', async () => {
    const client = new AbortController()
    const call = withinLimits({ signal: client.signal }, 5000, hanging)
    client.abort(new Error('client disconnected'))
    await expect(call).rejects.toThrow('client disconnected')
  })

  it('removes timers and listeners when the call ends', async () => {
    const seen: AbortSignal[] = []
    const answer = await withinLimits({}, 5000, async (signal) => seen.push(signal))
    expect(answer).toBe(1)
    await expect(
      withinLimits({}, 5000, async (signal) => {
        seen.push(signal)
        throw new Error('refused')
      }),
    ).rejects.toThrow('refused')
    expect(vi.getTimerCount()).toBe(0)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(seen.map(({ aborted }) => aborted)).toEqual([false, false])
  })
})
