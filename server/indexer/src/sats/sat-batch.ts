import {
  ByteReader,
  ByteWriter,
  decodeCoin,
  encodeCoin,
  loadChunk,
  writeRanges,
} from '@ordbook/bitcoin/sat-ropes/codec.ts'
import type { Loading, SatBlock, SatChange, SatFlow } from '@ordbook/bitcoin/sat-ropes/flow.ts'
import { OUTPOINT_BYTES } from '@ordbook/bitcoin/sat-ropes/outpoint-table.ts'
import type { Turns } from '../turns.ts'

/** Reads stored sats. */
export interface SatReader {
  /** Returns the bodies of coins by serialized outpoint; null for an unknown coin. */
  coins(outpoints: readonly Uint8Array[]): Promise<(Uint8Array | null)[]>
  chunks(ids: readonly number[]): Promise<Uint8Array[]>
}

export interface SatCoin {
  /** Serialized. */
  outpoint: Uint8Array
  body: Uint8Array
}

export interface SatUndo {
  height: number
  chunkFrom: number
  body: Uint8Array
  deadChunks: number[]
}

/** Rows to write. Deletions come first. */
export interface SatWrites {
  deleted: Uint8Array[]
  inserted: SatCoin[]
  deletedChunks: number[]
  insertedChunks: { id: number; body: Uint8Array }[]
  undo: SatUndo[]
}

/** A coin of at most so many chunks is loaded whole. */
const SMALL_CHUNKS = 8
/** Most leaves loaded in advance. The others are loaded when a transaction cuts them. */
const LOADED_AHEAD = 4096

/**
 * Applies blocks to stored sats in memory. The rows to write are complete before a transaction begins. Coins that are created and spent
 * below `undoFrom` are never written.
 */
export class SatBatch {
  private readonly reader: SatReader
  private readonly flow: SatFlow
  private readonly undoFrom: number
  private readonly turns: Turns | undefined
  private nextChunk: number
  private readonly writer = new ByteWriter()
  private readonly chunkWriter = new ByteWriter()
  /** Stored ropes of coins that have a row, by entry. */
  private readonly stored = new Map<number, number>()
  /** Chunks of coins that were spent below `undoFrom`; null after that. */
  private released: Set<number> | null = new Set()
  private readonly writes: SatWrites = {
    deleted: [],
    inserted: [],
    deletedChunks: [],
    insertedChunks: [],
    undo: [],
  }

  private constructor(
    reader: SatReader,
    flow: SatFlow,
    { undoFrom, nextChunk, turns }: { undoFrom: number; nextChunk: number; turns?: Turns },
  ) {
    this.reader = reader
    this.flow = flow
    this.undoFrom = undoFrom
    this.nextChunk = nextChunk
    this.turns = turns
  }

  /** Loads the coins that blocks spend. Resets `flow`. */
  static async load(
    reader: SatReader,
    flow: SatFlow,
    blocks: readonly SatBlock[],
    options: { undoFrom: number; nextChunk: number; turns?: Turns },
  ): Promise<SatBatch> {
    flow.reset()
    const batch = new SatBatch(reader, flow, options)
    await batch.loadCoins(flow.wanted(blocks))
    return batch
  }

  /** Bytes in memory. */
  get bytes(): number {
    return this.flow.ropes.bytes
  }

  /** Applies the next block. */
  async apply(height: number, block: SatBlock): Promise<void> {
    if (height >= this.undoFrom) this.releaseChunks()
    const chunkFrom = this.nextChunk
    const change = await this.run(this.flow.block(block))
    if (height >= this.undoFrom) this.writes.undo.push(this.undoOf(height, chunkFrom, change))
    else for (const { root } of change.taken) this.addChunks(root, this.released!)
  }

  /** Returns the sat at an offset across the inputs of a reveal in the last block, or null. */
  satOf(revealTxid: string, inputOffset: number): Promise<number | null> {
    return this.run(this.flow.satOf(revealTxid, inputOffset))
  }

  /** Returns the rows of all blocks. */
  finish(): SatWrites {
    this.releaseChunks()
    const { writes, flow } = this
    for (let entry = 0; entry < flow.size; entry++) {
      const [before, root] = [this.stored.get(entry) ?? 0, flow.rootOf(entry)]
      if (before === root) continue
      if (before !== 0) writes.deleted.push(flow.outpointOf(entry))
      if (root !== 0) writes.inserted.push({ outpoint: flow.outpointOf(entry), body: this.encode(root) })
    }
    return writes
  }

  private async loadCoins(entries: readonly number[]): Promise<void> {
    const { flow, reader } = this
    const { ropes } = flow
    const bodies = await reader.coins(entries.map((entry) => flow.outpointOf(entry)))
    const ahead: number[] = []
    for (const [i, entry] of entries.entries()) {
      const body = bodies[i]
      if (!body) continue
      const root = decodeCoin(ropes, body)
      flow.load(entry, root)
      this.stored.set(entry, root)
      if (ropes.isLeaf(root) || ahead.length > LOADED_AHEAD) continue
      if (ropes.count[root]! <= SMALL_CHUNKS * ropes.leafRanges)
        ropes.forEachLeaf(root, (leaf) => ahead.push(leaf))
      else ahead.push(ropes.firstLeaf(root), ropes.lastLeaf(root))
    }
    await this.loadLeaves(ahead)
  }

  private async run<T>(steps: Loading<T>): Promise<T> {
    for (;;) {
      const step = steps.next()
      if (step.done) return step.value
      if (this.turns?.isDue) await this.turns.take()
      if (step.value.length > 0) await this.loadLeaves(step.value)
    }
  }

  private async loadLeaves(leaves: readonly number[]): Promise<void> {
    const { ropes } = this.flow
    if (leaves.length === 0) return
    const bodies = await this.reader.chunks(leaves.map((leaf) => ropes.chunk[leaf]!))
    for (const [i, leaf] of leaves.entries()) loadChunk(ropes, leaf, bodies[i]!)
  }

  private undoOf(height: number, chunkFrom: number, { taken, made }: SatChange): SatUndo {
    const { flow } = this
    const [before, after] = [new Set<number>(), new Set<number>()]
    const body = new ByteWriter()
    body.varint(taken.length)
    for (const { entry, root } of taken) {
      const coin = this.encode(root)
      body.append(flow.outpointOf(entry))
      body.varint(coin.length)
      body.append(coin)
      this.addChunks(root, before)
    }
    body.varint(made.length)
    for (const entry of made) {
      body.append(flow.outpointOf(entry))
      const root = flow.rootOf(entry)
      // Later blocks can share the new leaves, so their chunks must belong to this block.
      if (!flow.ropes.isLeaf(root)) flow.ropes.forEachLeaf(root, this.chunkOf)
      this.addChunks(root, after)
    }
    const deadChunks = [...before].filter((id) => !after.has(id))
    return { height, chunkFrom, body: body.take(), deadChunks }
  }

  /**
   * Deletes the chunks that no coin has any more, and adds those of new coins. Call it before the first block that can be undone: its undo
   * deletes later chunks.
   */
  private releaseChunks(): void {
    if (!this.released) return
    const { flow } = this
    const kept = new Set<number>()
    for (let entry = 0; entry < flow.size; entry++) {
      const root = flow.rootOf(entry)
      if (root !== 0 && !flow.ropes.isLeaf(root)) flow.ropes.forEachLeaf(root, this.chunkOf)
      this.addChunks(root, kept)
    }
    for (const id of this.released) if (!kept.has(id)) this.writes.deletedChunks.push(id)
    this.released = null
  }

  private addChunks(root: number, to: Set<number>): void {
    const { ropes } = this.flow
    if (root === 0 || ropes.isLeaf(root)) return
    ropes.forEachLeaf(root, (leaf) => {
      const id = ropes.chunk[leaf]!
      if (id !== 0) to.add(id)
    })
  }

  private encode(root: number): Uint8Array {
    return encodeCoin(this.writer, this.flow.ropes, root, this.chunkOf)
  }

  /** Returns the stored chunk of a leaf, or adds one. */
  private readonly chunkOf = (leaf: number): number => {
    const { ropes } = this.flow
    if (ropes.chunk[leaf] === 0) {
      const id = this.nextChunk++
      writeRanges(this.chunkWriter, ropes, ropes.at(leaf), ropes.count[leaf]!)
      this.writes.insertedChunks.push({ id, body: this.chunkWriter.take() })
      ropes.chunk[leaf] = id
    }
    return ropes.chunk[leaf]!
  }
}

/** Parses the body of an undo row: coins to restore, and outpoints to delete. */
export function readSatUndo(body: Uint8Array): { taken: SatCoin[]; made: Uint8Array[] } {
  const reader = new ByteReader(body)
  const taken = Array.from({ length: reader.varint() }, () => {
    const outpoint = reader.take(OUTPOINT_BYTES)
    return { outpoint, body: reader.take(reader.varint()) }
  })
  return { taken, made: Array.from({ length: reader.varint() }, () => reader.take(OUTPOINT_BYTES)) }
}
