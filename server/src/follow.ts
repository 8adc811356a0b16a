import { setTimeout as sleep } from 'node:timers/promises'
import { recheckResting, restingInMempool, restingOnBlock } from './backing/spent.ts'
import { Adopter } from './chain/adopt.ts'
import { completeSome, incompleteOnBlock } from './chain/complete.ts'
import { Follower } from './chain/follower.ts'
import { MempoolWatcher, spentOnBlock } from './chain/mempool.ts'
import { Node } from './chain/node.ts'
import { Ord } from './chain/ord.ts'
import { chainCollectionsOnBlock, refreshChildren } from './collections/from-chain.ts'
import { updateSortKeys } from './collections/import-queries.ts'
import { collectionsOnBlock } from './collections/on-block.ts'
import type { Config } from './config.ts'
import { connect } from './db/connect.ts'
import { anchorsOnBlock } from './engine/anchors.ts'
import { listingsOnBlock } from './listings/on-block.ts'
import { listingsInMempool } from './listings/recheck.ts'
import { openLog } from './log.ts'
import { Complaints, loop } from './loop.ts'
import { offersOnBlock } from './offers/on-block.ts'
import { parties, resting } from './parties.ts'
import { proposalsInMempool } from './proposals/in-mempool.ts'
import { externalSalesOnBlock } from './sales/detect.ts'
import { salesOnBlock } from './sales/feed.ts'
import { settlementsOnBlock } from './settlements/on-block.ts'
import type { MarketKeys } from './signer/signer.ts'

/** What following takes; plain data, so that it can be handed to a thread. */
export interface FollowOptions {
  config: Config & { databaseUrl: string; bitcoinRpcUrl: string }
  market: MarketKeys
  /** Block of an `ord` server at which the index began; null where it began at the first. */
  base: number | null
}

/** A follower at work. */
export interface Following {
  /** Works the chain and the mempool once, at once; gives the height that the index has reached. */
  sync(): Promise<number>
  /** Ends after the transaction under way, or rolls it back. */
  close(): Promise<void>
}

/**
 * Follows the chain and the mempool with a pool and a node client of its own, in turns with the other processes of the
 * role. The mempool is watched while blocks are read, and also where one cannot be.
 */
export function follow(
  { config, market, base }: FollowOptions,
  onProgress: (height: number, target: number) => void,
): Following {
  const log = openLog(config)
  const stopping = new AbortController()
  const { signal } = stopping
  const sql = connect(config.databaseUrl)
  const node = new Node(config.bitcoinRpcUrl).within({ signal })
  const ord = config.ordUrl ? new Ord(config.ordUrl).within({ milliseconds: 30_000, signal }) : null
  // Settlements take their sales before listings look for moves that nothing explains.
  const consumers = [
    ...(base === null ? [] : [incompleteOnBlock]),
    collectionsOnBlock,
    chainCollectionsOnBlock,
    anchorsOnBlock(market),
    salesOnBlock,
    settlementsOnBlock(parties),
    externalSalesOnBlock,
    spentOnBlock(parties.spent),
    restingOnBlock,
    offersOnBlock,
    listingsOnBlock,
  ]
  const { chain, undoBlocks, satIndex } = config
  const follower = new Follower({ sql, node, chain, consumers, log, undoBlocks, satIndex })
  const mempool = new MempoolWatcher(sql, node, [
    restingInMempool(resting),
    listingsInMempool,
    proposalsInMempool,
  ])
  const adopter = ord && base !== null ? new Adopter(sql, node, ord, base, updateSortKeys) : null
  const complaints = new Complaints(log)
  const pause = () => sleep(config.pollMilliseconds, undefined, { signal }).catch(() => {})

  const index = serially(() => follower.sync(signal, onProgress))
  const watch = serially(async () => {
    await mempool.look(signal)
    await recheckResting({ sql, node }, resting)
  })
  // The follower goes on without ord.
  const adopt = serially(() =>
    complaints.about('ord', async () => {
      await adopter?.adoptUnseen()
      if (ord && base !== null) await completeSome(sql, ord, refreshChildren)
    }),
  )
  const turn = async (): Promise<number> => {
    const indexing = index()
    await indexing.catch(() => {})
    await watch()
    await adopt()
    return indexing
  }
  /** The mempool is watched during a long turn, and while a block cannot be indexed. */
  const turnWatching = async (): Promise<void> => {
    let isOver = false
    const turned = turn().finally(() => {
      isOver = true
    })
    // Its failure is thrown below.
    turned.catch(() => {})
    while (!isOver) {
      await Promise.race([turned.catch(() => {}), pause()])
      if (!isOver && !signal.aborted) await complaints.about('mempool', watch)
    }
    await turned
  }
  const running = loop(config.databaseUrl, 'follower', signal, config.pollMilliseconds, complaints, () =>
    turnWatching().catch((error: unknown) => {
      if (!signal.aborted) throw error
    }),
  )
  return {
    sync: turn,
    async close() {
      stopping.abort(new Error('the follower stops'))
      await running
      await sql.end({ timeout: 1 })
    },
  }
}

/** Calls that overlap run one after the other. */
function serially<T>(work: () => Promise<T>): () => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return () => {
    const run = last.catch(() => {}).then(work)
    last = run
    return run
  }
}
