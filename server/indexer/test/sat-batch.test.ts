import { bytesToHex } from '@ordbook/bitcoin/bytes.ts'
import { decodeCoin, loadChunk } from '@ordbook/bitcoin/sat-ropes/codec.ts'
import { SatFlow } from '@ordbook/bitcoin/sat-ropes/flow.ts'
import { Ropes } from '@ordbook/bitcoin/sat-ropes/ropes.ts'
import { readSatUndo, SatBatch, type SatReader, type SatWrites } from '@ordbook/indexer/sats/sat-batch.ts'
import { describe, expect, it } from 'vitest'
import {
  type Block,
  LOST_KEY,
  outpointOf,
  RandomSats,
  type Range,
  type State,
  SUBSIDY,
  satBlockOf,
} from './support/random-sats.ts'

/** The tables in memory. */
class MemorySats implements SatReader {
  readonly rows = new Map<string, Uint8Array>()
  readonly chunkRows = new Map<number, Uint8Array>()
  readonly undoRows = new Map<number, SatWrites['undo'][number]>()
  reads = 0

  async coins(outpoints: readonly Uint8Array[]) {
    return outpoints.map((outpoint) => this.rows.get(bytesToHex(outpoint)) ?? null)
  }

  async chunks(ids: readonly number[]) {
    this.reads += ids.length
    return ids.map((id) => this.chunkRows.get(id) ?? fail(`chunk ${id} does not exist`))
  }

  nextChunk(): number {
    return Math.max(0, ...this.chunkRows.keys()) + 1
  }

  write(writes: SatWrites, undoFrom: number) {
    const remove = <K>(map: Map<K, unknown>, key: K) => map.delete(key) || fail(`${key} was not stored`)
    for (const outpoint of writes.deleted) remove(this.rows, bytesToHex(outpoint))
    for (const { outpoint, body } of writes.inserted) {
      if (this.rows.has(bytesToHex(outpoint))) fail('the coin is stored twice')
      this.rows.set(bytesToHex(outpoint), body)
    }
    for (const id of writes.deletedChunks) remove(this.chunkRows, id)
    for (const { id, body } of writes.insertedChunks) {
      if (this.chunkRows.has(id)) fail('the chunk is stored twice')
      this.chunkRows.set(id, body)
    }
    for (const row of writes.undo) this.undoRows.set(row.height, row)
    for (const [height, { deadChunks }] of [...this.undoRows]) {
      if (height >= undoFrom) continue
      for (const id of deadChunks) remove(this.chunkRows, id)
      this.undoRows.delete(height)
    }
  }

  undo(height: number) {
    const { body, chunkFrom } = this.undoRows.get(height)!
    const { taken, made } = readSatUndo(body)
    this.write({ deleted: made, inserted: taken, deletedChunks: [], insertedChunks: [], undo: [] }, 0)
    for (const id of [...this.chunkRows.keys()]) if (id >= chunkFrom) this.chunkRows.delete(id)
    this.undoRows.delete(height)
  }

  /** Returns the ranges of every coin, and the sizes of its leaves. Fails if a chunk has not exactly one user. */
  dump(leafRanges: number): Map<string, { ranges: Range[]; leaves: number[] }> {
    const unused = new Set(this.chunkRows.keys())
    const ropes = new Ropes(leafRanges)
    const coins = [...this.rows].map(([key, body]) => {
      ropes.reset()
      const root = decodeCoin(ropes, body)
      const leaves: number[] = []
      ropes.forEachLeaf(root, (leaf) => {
        leaves.push(ropes.count[leaf]!)
        if (ropes.isLoaded(leaf)) return
        const id = ropes.chunk[leaf]!
        if (!unused.delete(id)) fail(`chunk ${id} is missing, or in two coins`)
        loadChunk(ropes, leaf, this.chunkRows.get(id)!)
      })
      for (const [i, count] of leaves.entries())
        if (count > leafRanges || count + (leaves[i + 1] ?? leafRanges) <= leafRanges)
          fail(`leaves of ${leaves}`)
      return [key, { ranges: ropes.list(root), leaves }] as const
    })
    for (const { deadChunks } of this.undoRows.values()) for (const id of deadChunks) unused.delete(id)
    if (unused.size > 0) fail(`chunks ${[...unused]} belong to no coin`)
    return new Map(coins)
  }
}

const fail = (reason: string): never => {
  throw new Error(reason)
}

/** An index with its own batches and undo window. */
class Index {
  readonly sats = new MemorySats()
  private readonly flow: SatFlow
  private readonly leafRanges: number

  constructor(leafRanges: number) {
    this.leafRanges = leafRanges
    this.flow = new SatFlow(new Ropes(leafRanges))
  }

  async apply(blocks: readonly Block[], undoFrom: number) {
    const { sats } = this
    const satBlocks = blocks.map(satBlockOf)
    const batch = await SatBatch.load(sats, this.flow, satBlocks, { undoFrom, nextChunk: sats.nextChunk() })
    for (const [n, { height, reveals }] of blocks.entries()) {
      await batch.apply(height, satBlocks[n]!)
      for (const [txid, ranges] of reveals) {
        let offset = 0
        for (const [from, to] of ranges) {
          const [first, last] = [offset, offset + to - from - 1]
          if ((await batch.satOf(txid, first)) !== from) fail(`sat ${first} of ${txid}`)
          if ((await batch.satOf(txid, last)) !== to - 1) fail(`sat ${last} of ${txid}`)
          offset += to - from
        }
        expect(await batch.satOf(txid, offset)).toBeNull()
      }
    }
    sats.write(batch.finish(), undoFrom)
    return batch
  }

  compare(state: State) {
    const dump = this.sats.dump(this.leafRanges)
    const sorted = (coins: (readonly [string, Range[]])[]) =>
      coins.map(([key, ranges]) => `${key} ${ranges}`).sort()
    const expected = sorted([...state].map(([key, ranges]) => [bytesToHex(outpointOf(key)), ranges]))
    const actual = sorted([...dump].map(([key, { ranges }]) => [key, ranges]))
    expect(actual.find((row, n) => row !== expected[n])).toBeUndefined()
    expect(actual.length).toBe(expected.length)
    return [...dump].map(([key, { leaves }]) => `${key} ${leaves}`).sort()
  }
}

const WINDOW = 6

describe('SatBatch', () => {
  it.each([
    [4, 24],
    [16, 12],
    [128, 6],
  ])(
    'matches a naive implementation with leaves of %i ranges, in any batches and after reorgs',
    async (leafRanges, seeds) => {
      const seen = { repeatedCoinbases: 0, lost: 0, undone: 0, chunked: 0, chunkReads: 0 }
      for (let seed = 1; seed <= seeds; seed++) {
        const chain = new RandomSats(seed)
        const { dice } = chain
        // One index reads block by block, the other in batches, partly below its undo window.
        const single = new Index(leafRanges)
        const batched = new Index(leafRanges)
        const past: { block: Block; before: RandomSats }[] = []
        let pending: Block[] = []
        let undoable = 0
        for (let step = 0; step < 45; step++) {
          const before = chain.copy()
          const block = chain.block()
          past.push({ block, before })
          await single.apply([block], block.height + 1 - WINDOW)
          pending.push(block)
          if (!dice.chance(30)) continue
          const undoFrom = block.height - 2
          await batched.apply(pending, undoFrom)
          undoable = Math.max(undoable, undoFrom)
          pending = []
          const leaves = single.compare(chain.state)
          expect(batched.compare(chain.state)).toEqual(leaves)
          seen.lost += chain.state.get(LOST_KEY)?.length ?? 0
          seen.chunked += leaves.filter((row) => row.includes(',')).length
          if (!dice.chance(40)) continue
          const undone = past.splice(Math.max(past.length - 1 - dice.roll(3), undoable))
          for (const { block } of undone.toReversed()) {
            single.sats.undo(block.height)
            batched.sats.undo(block.height)
            seen.undone++
          }
          const [first] = undone
          if (!first) continue
          expect(batched.compare(first.before.state)).toEqual(single.compare(first.before.state))
          if (dice.chance(50)) {
            // The same blocks again.
            for (const { block } of undone) await single.apply([block], block.height + 1 - WINDOW)
            await batched.apply(
              undone.map((each) => each.block),
              undoable,
            )
            past.push(...undone)
            expect(single.compare(chain.state)).toEqual(leaves)
            expect(batched.compare(chain.state)).toEqual(leaves)
          } else chain.restore(first.before)
        }
        seen.repeatedCoinbases += chain.repeatedCoinbases
        seen.chunkReads += single.sats.reads
      }
      // The chains must contain what the test is about.
      for (const [what, count] of Object.entries(seen))
        if (leafRanges < 128 || !what.startsWith('chunk')) expect(`${what} ${count > 0}`).toBe(`${what} true`)
    },
  )

  it('stores the ranges of a coin whose only leaf was a chunk', async () => {
    const chain = new RandomSats(1)
    const index = new Index(4)
    const next = async (keys: readonly string[], values: number[]) => {
      const { block, outpoint } = chain.transfer(keys, values)
      await index.apply([block], block.height - 1)
      return outpoint
    }
    const coinOf8 = async () => {
      const parts: string[] = []
      for (let n = 0; n < 8; n++) parts.push(await next([], []))
      return next(parts, [8 * SUBSIDY])
    }
    const [first, second] = [await coinOf8(), await coinOf8()]
    // One batch cuts the first coin between its chunks, and adds one half to the second coin.
    const split = chain.transfer([first], [4 * SUBSIDY, 4 * SUBSIDY])
    const joined = chain.transfer([split.outpoint, second], [12 * SUBSIDY])
    await index.apply([split.block, joined.block], split.block.height)
    index.compare(chain.state)
    for (let n = 0; n < 3; n++) await next([], [])
    index.compare(chain.state)
  })

  it('does work in proportion to the cuts of a large coin, not to its ranges', async () => {
    const chain = new RandomSats(1)
    const index = new Index(128)
    const shredded = chain.shred(8500, 4)
    for (const block of shredded.blocks) await index.apply([block], 0)
    const { ranges } = index.sats.dump(128).get(bytesToHex(outpointOf(shredded.coin)))!
    expect(ranges.length).toBeGreaterThan(33_000)
    const workOf = async (moves: number, feeSats: number) => {
      const { bytes } = await index.apply([chain.moves(shredded.coin, moves, feeSats)], 0)
      index.sats.undo([...index.sats.undoRows.keys()].at(-1)!)
      return bytes
    }
    const base = await workOf(1, 0)
    // A move without a fee copies nothing.
    expect(await workOf(2000, 0)).toBe(base)
    expect(await workOf(8000, 0)).toBe(base)
    // A fee cuts the coin: one path of nodes, and at most two leaves.
    expect(await workOf(8000, 1)).toBeLessThan(base + 8000 * (2 * 128 * 16 + 20 * 29))
    expect(base).toBeLessThan(100_000)
  })
})
