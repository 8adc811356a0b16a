import { describe, expect, it } from 'vitest'
import { buildRevealScript } from './envelope.ts'
import { type ContentsSource, traceAllContents, traceContents } from './trace-contents.ts'
import { type Tx, txidOf } from './transaction.ts'

const key = new Uint8Array(32).fill(2)
const script = new Uint8Array([0x51])
const NONE = { txid: '00'.repeat(32), vout: 0xffffffff }
const HALVING = 150
const FIRST_HEIGHT = 100
const UNTIL = Number.POSITIVE_INFINITY

class Chain {
  readonly transactions = new Map<string, { tx: Tx; height: number | null }>()
  reads = 0

  /** Adds a transaction. `reveals` lists inputs with an envelope. */
  add(
    height: number | null,
    inputs: readonly { txid: string; vout: number }[],
    values: readonly number[],
    reveals: { input: number; pointer?: number }[] = [],
  ): string {
    const tx: Tx = {
      version: 2,
      locktime: this.transactions.size,
      inputs: inputs.map(({ txid, vout }, n) => ({
        txid,
        vout,
        scriptSig: new Uint8Array(),
        sequence: 0xfffffffd,
        witness: reveals
          .filter(({ input }) => input === n)
          .flatMap(({ pointer }) => [
            new Uint8Array(64),
            buildRevealScript(key, [
              {
                contentType: 'text/plain',
                body: new TextEncoder().encode('a'),
                ...(pointer === undefined ? {} : { pointer }),
              },
            ]),
            new Uint8Array(33).fill(0xc0),
          ]),
      })),
      outputs: values.map((valueSats) => ({ valueSats, script })),
    }
    const txid = txidOf(tx)
    this.transactions.set(txid, { tx, height })
    return txid
  }

  contents(txid: string, vout: number, { most = 2000, known = new Set<string>() } = {}) {
    return traceContents({ txid, vout }, this.source, { mostTransactions: most, until: UNTIL }, known)
  }

  allContents(txid: string, vout: number, most = 2000) {
    return traceAllContents({ txid, vout }, this.source, { mostTransactions: most, until: UNTIL })
  }

  private readonly source: ContentsSource = {
    fetch: async (id) => {
      this.reads++
      return this.transactions.get(id)!
    },
    firstInscriptionHeight: FIRST_HEIGHT,
    halvingInterval: HALVING,
  }
}

describe('traceContents', () => {
  it('returns plain for coins without inscriptions', async () => {
    const chain = new Chain()
    const mined = chain.add(120, [NONE], [5_000_000_000])
    const old = chain.add(90, [{ txid: 'ff'.repeat(32), vout: 3 }], [70_000])
    const both = chain.add(
      130,
      [
        { txid: mined, vout: 0 },
        { txid: old, vout: 0 },
      ],
      [100_000, 4_999_960_000],
    )
    expect(await chain.contents(both, 0)).toEqual({ kind: 'plain' })
    expect(await chain.contents(both, 1)).toEqual({ kind: 'plain' })
  })

  it('finds the coin of an inscription', async () => {
    const chain = new Chain()
    const mined = chain.add(120, [NONE], [5_000_000_000])
    const reveal = chain.add(
      121,
      [{ txid: mined, vout: 0 }],
      [546, 60_000, 4_000_000],
      [{ input: 0, pointer: 20_546 }],
    )
    const merged = chain.add(
      122,
      [
        { txid: reveal, vout: 0 },
        { txid: reveal, vout: 1 },
      ],
      [10_000, 50_000],
    )
    expect(await chain.contents(reveal, 0)).toEqual({ kind: 'plain' })
    expect(await chain.contents(reveal, 2)).toEqual({ kind: 'plain' })
    expect(await chain.contents(reveal, 1)).toEqual({
      kind: 'inscribed',
      inscriptionId: `${reveal}i0`,
      offset: 20_000,
    })
    // The sat is 20,546 sats after the start of the inputs.
    expect(await chain.contents(merged, 0)).toEqual({ kind: 'plain' })
    expect(await chain.contents(merged, 1)).toEqual({
      kind: 'inscribed',
      inscriptionId: `${reveal}i0`,
      offset: 10_546,
    })
  })

  it('finds an inscription in the mempool', async () => {
    const chain = new Chain()
    const mined = chain.add(120, [NONE], [5_000_000_000])
    const split = chain.add(121, [{ txid: mined, vout: 0 }], [30_000, 30_000])
    const inputs = [0, 1].map((vout) => ({ txid: split, vout }))
    const reveal = chain.add(null, inputs, [30_000, 29_000], [{ input: 1 }])
    expect(await chain.contents(reveal, 0)).toEqual({ kind: 'plain' })
    expect(await chain.contents(reveal, 1)).toMatchObject({ kind: 'inscribed', offset: 0 })
  })

  it('returns unproven for sats paid as fees', async () => {
    const chain = new Chain()
    const mined = chain.add(120, [NONE], [5_000_000_300])
    const spent = chain.add(121, [{ txid: mined, vout: 0 }], [5_000_000_000, 200])
    expect(await chain.contents(spent, 0)).toEqual({ kind: 'plain' })
    expect(await chain.contents(spent, 1)).toMatchObject({
      kind: 'unproven',
      reason: expect.stringContaining('fees'),
    })
    let last = { txid: mined, vout: 0 }
    for (let n = 0; n < 20; n++) last = { txid: chain.add(122 + n, [last], [4_000_000_000]), vout: 0 }
    expect(await chain.contents(last.txid, 0, { most: 20 })).toMatchObject({
      kind: 'unproven',
      reason: expect.stringContaining('more than 20 transactions'),
    })
    expect(await chain.contents(last.txid, 0, { most: 21 })).toEqual({ kind: 'plain' })
  })

  it('stops at known plain coins', async () => {
    const chain = new Chain()
    const mined = chain.add(120, [NONE], [5_000_000_000])
    const first = chain.add(121, [{ txid: mined, vout: 0 }], [5_000_000_000])
    const second = chain.add(122, [{ txid: first, vout: 0 }], [4_000_000_000])
    expect(await chain.contents(second, 0, { known: new Set([`${first}:0`]) })).toEqual({ kind: 'plain' })
    expect(chain.reads).toBe(2)
  })

  it('traceAllContents returns inscriptions in sat order', async () => {
    const chain = new Chain()
    const mined = chain.add(120, [NONE], [5_000_000_000])
    const first = chain.add(121, [{ txid: mined, vout: 0 }], [20_000, 90_000], [{ input: 0, pointer: 7000 }])
    const plain = chain.add(122, [{ txid: first, vout: 1 }], [30_000])
    // The first inscription is at offset 30,000 of the merged coin, and its sat is reinscribed.
    const inputs = [plain, first].map((txid) => ({ txid, vout: 0 }))
    const second = chain.add(123, inputs, [50_000], [{ input: 0, pointer: 37_000 }, { input: 1 }])
    expect(await chain.allContents(second, 0)).toEqual({
      inscriptions: [
        { inscriptionId: `${second}i1`, offset: 30_000 },
        { inscriptionId: `${second}i0`, offset: 37_000 },
        { inscriptionId: `${first}i0`, offset: 37_000 },
      ],
    })
    expect(await chain.allContents(plain, 0)).toEqual({ inscriptions: [] })
    expect(await chain.allContents(second, 0, 2)).toEqual({
      unproven: expect.stringContaining('more than 2 transactions'),
    })
  })
})
