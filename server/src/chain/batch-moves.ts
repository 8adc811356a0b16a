import { CoinTrail } from '@ordbook/bitcoin/coin-trail.ts'
import { formatOutpoint, type Outpoint, parseOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { Transaction } from '../db/connect.ts'
import { type BlockMove, listWatchedIn } from './coin-queries.ts'

/** A watched inscription, and the last of its moves in a block. */
export interface WatchedMove {
  inscriptionId: string
  txid: string
  to: Outpoint
}

/** The moves of coins in blocks that were indexed together: the index says where sats are behind the last of them. */
export class BatchMoves {
  private readonly trail: CoinTrail<BlockMove>
  private readonly byFrom = new Map<string, Set<string>>()

  constructor(moves: readonly BlockMove[]) {
    this.trail = new CoinTrail(moves)
    for (const { from, to } of moves) {
      const key = formatOutpoint(from)
      const onward = this.byFrom.get(key) ?? new Set()
      this.byFrom.set(key, onward.add(formatOutpoint(to)))
    }
  }

  /** The watched inscriptions that the block of these moves has moved. */
  async watchedIn(tx: Transaction, moves: readonly BlockMove[]): Promise<WatchedMove[]> {
    if (moves.length === 0) return []
    const found: WatchedMove[] = []
    for (const { inscriptionId, satOffset, ...outpoint } of await listWatchedIn(tx, this.endsOf(moves))) {
      const trail = this.trail.to({ outpoint, offset: satOffset })
      const last = trail.findLast(({ move }) => move.height === moves[0]!.height)
      if (last) found.push({ inscriptionId, txid: last.move.txid, to: last.move.to })
    }
    return found
  }

  /** The outputs in which moved sats are behind the last block. */
  private endsOf(moves: readonly BlockMove[]): Outpoint[] {
    const seen = new Set(moves.map(({ to }) => formatOutpoint(to)))
    const ends: Outpoint[] = []
    for (const key of seen) {
      const onward = this.byFrom.get(key)
      if (!onward) ends.push(parseOutpoint(key))
      // A set that grows while it is walked is walked to its end.
      else for (const next of onward) seen.add(next)
    }
    return ends
  }
}
