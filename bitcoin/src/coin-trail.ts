import { formatOutpoint, type Outpoint } from './outpoint.ts'
import type { CoinMove } from './sat-tree.ts'

interface Place {
  outpoint: Outpoint
  offset: number
}

/** The first and last of consecutive moves. */
export interface Run<T> {
  first: T
  last: T
}

interface RunOptions<T> {
  later: (move: T) => boolean
  part: (move: T, last: T | null) => boolean
}

/** Moves by destination output. */
export class CoinTrail<T extends CoinMove> {
  private readonly byTo = new Map<string, T[]>()
  /** The moves into the output that a move spends. */
  private readonly before = new Map<T, readonly T[]>()
  /** Number of moves that `runsTo` visited. */
  steps = 0

  /** Takes moves in order. */
  constructor(moves: Iterable<T>) {
    for (const move of moves) {
      this.before.set(move, this.into(move.from))
      const key = formatOutpoint(move.to)
      const inside = this.byTo.get(key)
      if (inside) inside.push(move)
      else this.byTo.set(key, [move])
    }
  }

  /** Returns the moves of a sat to a location, oldest first. */
  to({ outpoint, offset }: Place): { move: T; fromOffset: number; toOffset: number }[] {
    const trail: { move: T; fromOffset: number; toOffset: number }[] = []
    for (let moves = this.into(outpoint); ; ) {
      const { move } = find(moves, offset)
      if (!move) break
      const fromOffset = move.fromOffset + offset - move.toOffset
      trail.push({ move, fromOffset, toOffset: offset })
      offset = fromOffset
      moves = this.before.get(move)!
    }
    return trail.reverse()
  }

  /**
   * Follows sats back from their locations, past the moves that are `later`, and returns the run of moves before them that are `part`, or
   * null. `last` is the last move of the run so far. Sats that moved together are followed once.
   */
  runsTo(places: readonly Place[], options: RunOptions<T>): (Run<T> | null)[] {
    const runs = new Array<Run<T> | null>(places.length)
    const byOutput = Map.groupBy(places.keys(), (n) => formatOutpoint(places[n]!.outpoint))
    for (const inside of byOutput.values()) {
      let found: ReturnType<typeof this.runTo> | null = null
      for (const n of inside.toSorted((a, b) => places[a]!.offset - places[b]!.offset)) {
        if (!found || places[n]!.offset > found.high) found = this.runTo(places[n]!, options)
        runs[n] = found.run
      }
    }
    return runs
  }

  /** The sats at offsets up to `high` of the output have the same run. */
  private runTo(
    { outpoint, offset }: Place,
    { later, part }: RunOptions<T>,
  ): { run: Run<T> | null; high: number } {
    let high = Number.POSITIVE_INFINITY
    let first: T | null = null
    let last: T | null = null
    let at = offset
    for (let moves = this.into(outpoint); ; ) {
      this.steps++
      const found = find(moves, at)
      high = Math.min(high, found.high - at + offset)
      const { move } = found
      if (!move) break
      if (last || !later(move)) {
        if (!part(move, last)) break
        last ??= move
        first = move
      }
      at += move.fromOffset - move.toOffset
      moves = this.before.get(move)!
    }
    return { run: first && last && { first, last }, high }
  }

  private into(outpoint: Outpoint): readonly T[] {
    return this.byTo.get(formatOutpoint(outpoint)) ?? []
  }
}

/** Returns the move that brought an offset, if any, and the last offset with the same result. Moves are sorted by offset. */
function find<T extends CoinMove>(moves: readonly T[], offset: number): { move: T | null; high: number } {
  let [from, to] = [0, moves.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if (moves[middle]!.toOffset <= offset) from = middle + 1
    else to = middle
  }
  const move = moves[from - 1]
  if (move && offset <= move.toOffset + move.span) return { move, high: move.toOffset + move.span }
  return { move: null, high: (moves[from]?.toOffset ?? Number.POSITIVE_INFINITY) - 1 }
}
