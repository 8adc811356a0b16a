import type { AnswerOf, Operation } from '@ordbook/contract/operation.ts'
import type { getStatus } from '@ordbook/contract/record.ts'
import { Fault, unavailable } from '@ordbook/db/process/errors.ts'
import { utxoFolderOf } from '@ordbook/db/settings/indexer.ts'
import { findUnknown, type Unknown } from '@ordbook/indexer/adoption/unknown-queries.ts'
import { findIndexFault, type IndexFaultRow } from '@ordbook/indexer/blocks/fault-queries.ts'
import { findTip } from '@ordbook/indexer/inscriptions/queries.ts'
import { findLastPoll, type MempoolPoll } from '@ordbook/indexer/mempool/mempool-queries.ts'
import { settlementFeeRate } from '@ordbook/indexer/node/fee-rates.ts'
import type { RelayedTrade } from '@ordbook/indexer/node/node-policy.ts'
import { findSync } from '@ordbook/indexer/sync-queries.ts'
import { UTXO_FAILURES } from '@ordbook/indexer/utxos/load-failure.ts'
import { findUtxoState, type UtxoState } from '@ordbook/indexer/utxos/load-queries.ts'
import type { Context } from '@ordbook/market/context.ts'
import { findShortages, type Shortage } from '@ordbook/market/market-coins/shortages.ts'
import { reasonOf, type TradingFault } from '../faults/faults.ts'
import { type Departure, findDeparture } from './branch.ts'
import { findMaintenance, type Maintenance } from './maintenance-queries.ts'
import { Source } from './source.ts'

type Status = AnswerOf<typeof getStatus>
/** The part of the status that decides whether trading is open. */
type State = Omit<Status, 'shortages' | 'feeRateSatVb'>

/**
 * Operations whose transactions a node may not relay. Purchases check this themselves, because a listing in
 * escrow needs no transfer.
 */
const RELAYED: Readonly<Record<string, RelayedTrade>> = {
  preflightListing: 'listings',
  submitListing: 'listings',
  preflightCounterOffer: 'counters',
  submitCounterOffer: 'counters',
  preflightCounterOfferAcceptance: 'counters',
  submitCounterOfferAcceptance: 'counters',
  preflightCollectionWideOffer: 'collection-offers',
  submitCollectionWideOffer: 'collection-offers',
  preflightCollectionOfferFill: 'collection-offers',
  submitCollectionOfferFill: 'collection-offers',
}

/** Cache duration of the status, in milliseconds. Every trading write reads it. */
const HOLDS = 1000
/** Retry-After during maintenance. */
const MAINTENANCE_RETRY_SECONDS = 60
/** Cache duration of shortages and of the fee rate, in milliseconds. */
const SLOW_HOLD = 5000

/** The server's status, cached for a second. */
export class StatusBoard {
  private readonly config: Context['config']
  isLeaving = false
  private readonly database: Source<{
    height: number | null
    poll: MempoolPoll | null
    fault: (IndexFaultRow & { isIndexed: boolean }) | null
    maintenance: Maintenance | null
    unknown: Unknown[]
    utxos: UtxoState | null
    sync: Status['sync']
  }>
  private readonly node: Source<number>
  private readonly departure: Source<Departure | null>
  /** Returns the market's used-up coins and allowances, or null if they cannot be read. */
  readonly readShortages: () => Promise<Shortage[] | null>
  private readonly readFeeRate: () => Promise<number | null>
  private readonly ord: Source<number> | null
  private readonly policy: Context['policy']
  private readonly replica: Context['replica']
  private last: Promise<State> | null = null
  private readAt = 0

  constructor({
    sql,
    node,
    ord,
    policy,
    replica,
    config,
    clock,
  }: Pick<Context, 'sql' | 'node' | 'ord' | 'policy' | 'replica' | 'config' | 'clock'>) {
    this.config = config
    this.replica = replica
    this.policy = policy
    this.database = new Source(async () => {
      const [tip, poll, fault, maintenance, unknown, utxos, sync] = await Promise.all([
        findTip(sql),
        findLastPoll(sql),
        findIndexFault(sql),
        findMaintenance(sql),
        ord ? [] : findUnknown(sql),
        utxoFolderOf(config.addressIndexUrl) === null ? null : findUtxoState(sql),
        findSync(sql),
      ])
      return { height: tip?.height ?? null, poll, fault, maintenance, unknown, utxos, sync }
    })
    this.node = new Source(async () => (await node.blockchainInfo()).blocks)
    this.departure = new Source(() => findDeparture(sql, node))
    const feeRate = () => settlementFeeRate({ node, config })
    this.readShortages = held(new Source(async () => findShortages({ sql, config, clock }, await feeRate())))
    this.readFeeRate = held(new Source(feeRate))
    this.ord = ord && new Source(() => ord.height())
  }

  /** Waits for all sources, so that a slow start does not pause trading. */
  async settle(): Promise<void> {
    await Promise.all([this.database, this.node, this.departure, this.ord].map((source) => source?.settle()))
  }

  /** Returns the response of `/status`. */
  async describe(): Promise<Status> {
    const [state, shortages, feeRateSatVb] = await Promise.all([
      this.read(),
      this.readShortages(),
      this.readFeeRate(),
    ])
    return { ...state, shortages, feeRateSatVb }
  }

  read(): Promise<State> {
    if (!this.last || performance.now() - this.readAt > HOLDS) {
      this.readAt = performance.now()
      this.last = this.find()
    }
    return this.last
  }

  /** Throws `unavailable` if trading is paused, or if the node does not relay the operation's transactions. */
  async assertOpen({ id }: Pick<Operation, 'id'>): Promise<void> {
    const { trading, reason, maintenance } = await this.read()
    if (maintenance) throw refusal(maintenance)
    if (trading === 'paused')
      throw unavailable('trading-paused', `Trading is paused: ${reason}. Try again shortly.`)
    const trade = RELAYED[id]
    if (trade) this.policy.assertTraded(trade)
  }

  /** Makes readiness fail, so that load balancers use other servers. */
  leave(): void {
    this.isLeaving = true
  }

  /** Returns why this process is not ready, or null. A process that can only serve reads is ready. */
  async readiness(): Promise<string | null> {
    if (this.isLeaving) return 'shutting down'
    if (this.replica?.state.isUp) return null
    return (await this.read()).database === 'ok' ? null : 'the database does not respond'
  }

  private async find(): Promise<State> {
    const { config } = this
    const [database, node, departure, ord] = await Promise.all([
      this.database.read(),
      this.node.read(),
      this.departure.read(),
      this.ord?.read() ?? null,
    ])
    const indexHeight = database.isUp ? database.value!.height : null
    const nodeHeight = node.isUp ? node.value : null
    const ordHeight = ord?.isUp ? ord.value : null
    const lagBlocks =
      nodeHeight === null || !database.isUp ? null : Math.max(0, nodeHeight - (indexHeight ?? -1))
    const poll = database.value?.poll ?? null
    const fault = database.value?.fault ?? null
    const maintenance = database.value?.maintenance ?? null
    // The age keeps growing while the database does not respond.
    const mempoolAgeSeconds =
      poll === null || poll.ageSeconds === null ? null : Math.max(0, poll.ageSeconds + database.ageSeconds!)
    const isMempoolOld = mempoolAgeSeconds === null || mempoolAgeSeconds > config.tradingMempoolSeconds
    const ordLagBlocks = indexHeight === null || ordHeight === null ? null : indexHeight - ordHeight
    const left = (id: Departure['fault']) => (departure.value?.fault === id ? departure.value : null)
    const atHeight = (block: { height: number } | null) => block && { height: block.height }
    // By priority. Null without such a fault; otherwise the values of the reason.
    const obstacles: Record<TradingFault, Record<string, string | number> | null> = {
      maintenance: maintenance && {},
      'database-down': database.isUp ? null : {},
      'node-down': node.isUp ? null : {},
      // Computed from the heights of this answer, because `departure` can be older.
      'node-behind': left('node-behind') && { blocks: Math.max(1, indexHeight! - nodeHeight!) },
      'node-other-chain': atHeight(left('node-other-chain') ?? (fault?.isIndexed ? fault : null)),
      'index-fault': atHeight(fault),
      'index-behind': lagBlocks! > config.tradingLagBlocks ? { blocks: lagBlocks! } : null,
      'mempool-stale': isMempoolOld ? { age: describePoll(mempoolAgeSeconds, poll) } : null,
      'ord-down': ord !== null && ordHeight === null ? {} : null,
      'ord-behind': ordLagBlocks! > config.tradingLagBlocks ? { blocks: ordLagBlocks! } : null,
    }
    const found = (Object.keys(obstacles) as TradingFault[]).find((id) => obstacles[id] !== null)
    const reason = found === undefined ? null : reasonOf(found, obstacles[found]!)
    return {
      trading: reason === null ? 'open' : 'paused',
      reason,
      notTraded: this.policy.untraded().map(({ trade, reason }) => ({ trade, reason })),
      chain: config.chain,
      indexHeight,
      nodeHeight,
      lagBlocks,
      mempoolAgeSeconds,
      mempoolTransactions: poll?.transactionCount ?? null,
      node: node.isUp ? 'ok' : 'unavailable',
      nodeAgeSeconds: node.ageSeconds,
      ord: ord && (ord.isUp ? 'ok' : 'unavailable'),
      ordHeight,
      unknown: database.value?.unknown ?? [],
      database: database.isUp ? 'ok' : 'unavailable',
      databaseAgeSeconds: database.ageSeconds,
      indexFault: fault && publicFaultOf(fault),
      maintenance: maintenance && { ...maintenance, since: maintenance.since.toISOString() },
      utxos: database.value?.utxos ? publicUtxosOf(database.value.utxos) : null,
      sync: database.value?.sync ?? null,
    }
  }
}

/** Caches the readings of a slow source. Null while it is down. */
function held<T>(source: Source<T>): () => Promise<T | null> {
  let at = Number.NEGATIVE_INFINITY
  let last: Promise<T | null> = Promise.resolve(null)
  return () => {
    if (performance.now() - at > SLOW_HOLD) {
      at = performance.now()
      last = source.read().then(({ isUp, value }) => (isUp ? value : null))
    }
    return last
  }
}

const publicFaultOf = ({ height, blockHash, txid, reason, since }: IndexFaultRow): Status['indexFault'] => ({
  height,
  blockHash,
  txid,
  reason,
  since: since.toISOString(),
})

const publicUtxosOf = ({ failure, ...utxos }: UtxoState): Status['utxos'] => ({
  ...utxos,
  reason: failure && UTXO_FAILURES[failure.is].reason,
})

function refusal({ notice }: Pick<Maintenance, 'notice'>): Fault {
  const sentence = notice === null ? '' : `${notice.replace(/[^.!?]$/, '$&.')} `
  return new Fault(
    'maintenance',
    `The market is under maintenance. ${sentence}Cancelling, declining and withdrawing still work.`,
    { retryAfterSeconds: MAINTENANCE_RETRY_SECONDS },
  )
}

function describePoll(ageSeconds: number | null, poll: MempoolPoll | null): string {
  const when =
    ageSeconds === null ? 'has not been read yet' : `was last read ${Math.round(ageSeconds)} seconds ago`
  return poll?.unread ? `${when} (${poll.unread} transactions to go)` : when
}
