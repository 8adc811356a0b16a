import { CoinTrail, type Run } from '@ordbook/bitcoin/coin-trail.ts'
import { formatOutpoint, type Outpoint, parseOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { Transaction } from '@ordbook/db/driver/connect.ts'
import { type BlockMove, listWatchedIn } from '../inscriptions/coin-queries.ts'

export interface WatchedMove {
  inscriptionId: string
  /** Location after the batch. */
  end: { outpoint: Outpoint; offset: number }
  /** Its last move in the block. */
  last: BlockMove
}

type At = Pick<WatchedMove, 'inscriptionId' | 'end'>

/** Coin moves of a batch, traced per block. The index has only the locations after the batch. */
export class BatchMoves {
  private readonly trail: CoinTrail<BlockMove>
  private readonly byFrom = new Map<string, Set<string>>()
  private readonly watched = new Map<number, Promise<WatchedMove[]>>()

  constructor(moves: readonly BlockMove[]) {
    this.trail = new CoinTrail(moves)
    for (const { from, to } of moves) {
      const key = formatOutpoint(from)
      const onward = this.byFrom.get(key) ?? new Set()
      this.byFrom.set(key, onward.add(formatOutpoint(to)))
    }
  }

  /** Returns the watched inscriptions moved by a block. Cached per block. */
  watchedIn(tx: Transaction, moves: readonly BlockMove[]): Promise<WatchedMove[]> {
    const [first] = moves
    if (!first) return Promise.resolve([])
    const found = this.watched.get(first.height) ?? this.lookUp(tx, moves, first.height)
    this.watched.set(first.height, found)
    return found
  }

  /** Returns the first and last move of watched inscriptions of a block, both after the last move for which `ends` is true. */
  runsAfter(
    watched: readonly WatchedMove[],
    ends: (move: BlockMove) => boolean,
  ): { inscriptionId: string; run: Run<BlockMove> }[] {
    const [any] = watched
    return any ? this.runsOf(watched, any.last.height, (move) => !ends(move)) : []
  }

  private async lookUp(tx: Transaction, moves: readonly BlockMove[], height: number): Promise<WatchedMove[]> {
    const rows = await listWatchedIn(tx, this.endsOf(moves))
    const watched = rows.map(({ inscriptionId, satOffset: offset, ...outpoint }) => ({
      inscriptionId,
      end: { outpoint, offset },
    }))
    const runs = this.runsOf(watched, height, (_, last) => last === null)
    return runs.map(({ run, ...each }) => ({ ...each, last: run.last }))
  }

  private runsOf<T extends At>(
    watched: readonly T[],
    height: number,
    part: (move: BlockMove, last: BlockMove | null) => boolean,
  ): (T & { run: Run<BlockMove> })[] {
    const runs = this.trail.runsTo(
      watched.map(({ end }) => end),
      {
        later: (move) => move.height > height,
        part: (move, last) => move.height === height && part(move, last),
      },
    )
    return watched.flatMap((each, n) => (runs[n] ? [{ ...each, run: runs[n] }] : []))
  }

  private endsOf(moves: readonly BlockMove[]): Outpoint[] {
    const seen = new Set(moves.map(({ to }) => formatOutpoint(to)))
    const ends: Outpoint[] = []
    for (const key of seen) {
      const onward = this.byFrom.get(key)
      if (!onward) ends.push(parseOutpoint(key))
      // A Set also iterates elements added during the iteration.
      else for (const next of onward) seen.add(next)
    }
    return ends
  }
}
