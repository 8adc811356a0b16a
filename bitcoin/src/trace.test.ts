import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { buildRevealScript } from './envelope.ts'
import type { Outpoint } from './outpoint.ts'
import { type TraceLimits, traceBack } from './trace.ts'
import { type Tx, txidOf } from './transaction.ts'

const script = new Uint8Array([0x51])
const MISPLACED = { name: 'BitcoinError', code: 'inscription-misplaced' }
const TOO_LONG = { name: 'BitcoinError', code: 'trace-too-long' }

class Chain {
  readonly transactions = new Map<string, Tx>()
  reads = 0

  add(inputs: readonly Outpoint[], values: readonly number[], reveals = false): string {
    const tx: Tx = {
      version: 2,
      locktime: this.transactions.size,
      inputs: inputs.map(({ txid, vout }, n) => ({
        txid,
        vout,
        scriptSig: new Uint8Array(),
        sequence: 0xfffffffd,
        witness:
          reveals && n === 0
            ? [
                new Uint8Array(64),
                buildRevealScript(new Uint8Array(32).fill(2), [
                  { contentType: 'text/plain', body: Uint8Array.of(97) },
                ]),
                new Uint8Array(33).fill(0xc0),
              ]
            : [],
      })),
      outputs: values.map((valueSats) => ({ valueSats, script })),
    }
    const txid = txidOf(tx)
    this.transactions.set(txid, tx)
    return txid
  }

  trace(inscriptionId: string, coin: Outpoint, satOffset: number, limits: Partial<TraceLimits> = {}) {
    const fetch = async (txid: string) => {
      this.reads++
      return this.transactions.get(txid)!
    }
    const until = Number.POSITIVE_INFINITY
    return traceBack(inscriptionId, coin, satOffset, fetch, { mostTransactions: 100, until, ...limits })
  }
}

/** Merges the coin of an inscription with a plain coin of `plainSats` in front, and splits the sats into `values`. */
function moved(plainSats: number, values: readonly number[]) {
  const chain = new Chain()
  const root = chain.add([], [plainSats, 1_000_000])
  const reveal = chain.add([{ txid: root, vout: 1 }], [50_000], true)
  const inputs = [
    { txid: root, vout: 0 },
    { txid: reveal, vout: 0 },
  ]
  return { chain, id: `${reveal}i0`, reveal, root, txid: chain.add(inputs, values) }
}

describe('traceBack', () => {
  it('returns the satpoints of the inscription, oldest first', async () => {
    const { chain, id, reveal, txid } = moved(10_000, [4000, 40_000])
    expect(await chain.trace(id, { txid, vout: 1 }, 6000)).toEqual([`${reveal}:0:0`, `${txid}:1:6000`])
  })

  it('accepts only the sat of the inscription, inside its output', async () => {
    const sats = fc.integer({ min: 1, max: 20_000 })
    await fc.assert(
      fc.asyncProperty(sats, fc.array(sats, { minLength: 1, maxLength: 3 }), async (plainSats, values) => {
        const { chain, id, txid } = moved(plainSats, values)
        let start = 0
        for (const [vout, valueSats] of values.entries()) {
          const at = plainSats - start
          const offsets = [-1, 0, valueSats - 1, valueSats, valueSats + 1, 60_000, at, 0.5, Number.NaN]
          for (const offset of offsets) {
            const traced = chain.trace(id, { txid, vout }, offset)
            if (offset === at && at >= 0 && at < valueSats) expect(await traced).toHaveLength(2)
            else await expect(traced, `${vout}:${offset}`).rejects.toMatchObject(MISPLACED)
          }
          start += valueSats
        }
      }),
    )
  })

  it('rejects an output or an input that does not exist, and outputs above the inputs', async () => {
    const { chain, id, root, txid } = moved(10_000, [4000, 40_000])
    await expect(chain.trace(id, { txid, vout: 2 }, 0)).rejects.toMatchObject(MISPLACED)
    const spent = chain.add([{ txid: root, vout: 7 }], [10_000])
    await expect(chain.trace(id, { txid: spent, vout: 0 }, 0)).rejects.toMatchObject(MISPLACED)
    const inflated = chain.add([{ txid: root, vout: 0 }], [30_000])
    await expect(chain.trace(id, { txid: inflated, vout: 0 }, 20_000)).rejects.toMatchObject(MISPLACED)
  })

  it('stops at the maximum number of transactions, or at the deadline', async () => {
    const { chain, id, txid } = moved(10_000, [60_000])
    let last = { txid, vout: 0 }
    for (let n = 0; n < 20; n++) last = { txid: chain.add([last], [60_000]), vout: 0 }
    // The 20 moves, the merge, its two inputs, and the input of the reveal.
    expect(await chain.trace(id, last, 10_000, { mostTransactions: 24 })).toHaveLength(22)
    chain.reads = 0
    await expect(chain.trace(id, last, 10_000, { mostTransactions: 23 })).rejects.toMatchObject(TOO_LONG)
    expect(chain.reads).toBe(23)
    await expect(chain.trace(id, last, 10_000, { until: performance.now() })).rejects.toMatchObject(TOO_LONG)
    expect(chain.reads).toBe(23)
  })

  it('does not read inputs after the sat', async () => {
    const { chain, id, reveal, root } = moved(10_000, [50_000])
    const inputs = [0, 1].map((vout) => ({ txid: chain.add([{ txid: root, vout }], [7]), vout: 0 }))
    const txid = chain.add([{ txid: reveal, vout: 0 }, ...inputs], [50_000])
    expect(await chain.trace(id, { txid, vout: 0 }, 0)).toHaveLength(2)
    expect(chain.reads).toBe(3)
  })
})
