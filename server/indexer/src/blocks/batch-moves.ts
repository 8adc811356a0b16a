import { CoinTrail } from '@ordbook/bitcoin/coin-trail.ts'
import { formatOutpoint, type Outpoint, parseOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { Transaction } from '@ordbook/db/driver/connect.ts'
import { type BlockMove, listWatchedIn } from '../inscriptions/coin-queries.ts'

export interface WatchedMove {
  inscriptionId: string
  txid: string
  to: Outpoint
  path: readonly BlockMove[]
}

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

  private async lookUp(tx: Transaction, moves: readonly BlockMove[], height: number): Promise<WatchedMove[]> {
    const found: WatchedMove[] = []
    for (const { inscriptionId, satOffset, ...outpoint } of await listWatchedIn(tx, this.endsOf(moves))) {
      const trail = this.trail.to({ outpoint, offset: satOffset })
      const path = trail.map(({ move }) => move).filter((move) => move.height === height)
      const last = path.at(-1)
      if (last) found.push({ inscriptionId, txid: last.txid, to: last.to, path })
    }
    return found
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
