import { formatOutpoint, type Outpoint } from './outpoint.ts'
import type { CoinMove } from './sat-tree.ts'

/** Moves by destination output. */
export class CoinTrail<T extends CoinMove> {
  private readonly byTo = new Map<string, T[]>()

  constructor(moves: Iterable<T>) {
    for (const move of moves) {
      const key = formatOutpoint(move.to)
      const inside = this.byTo.get(key)
      if (inside) inside.push(move)
      else this.byTo.set(key, [move])
    }
  }

  /** Returns the moves of a sat to a location, oldest first. */
  to(place: { outpoint: Outpoint; offset: number }): { move: T; fromOffset: number; toOffset: number }[] {
    const trail: { move: T; fromOffset: number; toOffset: number }[] = []
    let { outpoint, offset } = place
    for (let move = this.find(outpoint, offset); move; move = this.find(outpoint, offset)) {
      const fromOffset = move.fromOffset + offset - move.toOffset
      trail.push({ move, fromOffset, toOffset: offset })
      outpoint = move.from
      offset = fromOffset
    }
    return trail.reverse()
  }

  private find(outpoint: Outpoint, offset: number): T | null {
    const moves = this.byTo.get(formatOutpoint(outpoint)) ?? []
    let [low, high] = [0, moves.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (moves[middle]!.toOffset <= offset) low = middle + 1
      else high = middle
    }
    const move = moves[low - 1]
    return move && offset <= move.toOffset + move.span ? move : null
  }
}
