import type { AnswerOf } from '@ordbook/contract/operation.ts'
import type { getStatus } from '@ordbook/contract/record.ts'
import { findLook } from '../chain/mempool-queries.ts'
import { findTip } from '../chain/queries.ts'
import type { Context } from '../context.ts'
import { unavailable } from '../errors.ts'

type Status = AnswerOf<typeof getStatus>

/** How long what was found holds, in milliseconds: every trading write asks. */
const HOLDS = 1000

/** Says how the server stands, the same for everybody who asks within a second. */
export class StatusBoard {
  private readonly context: Pick<Context, 'sql' | 'node' | 'config' | 'clock'>
  private last: Promise<Status> | null = null
  private readAt = 0

  constructor(context: Pick<Context, 'sql' | 'node' | 'config' | 'clock'>) {
    this.context = context
  }

  read(): Promise<Status> {
    if (!this.last || Date.now() - this.readAt > HOLDS) {
      this.readAt = Date.now()
      this.last = this.find()
    }
    return this.last
  }

  /** Throws unavailable while trading is paused. */
  async assertOpen(): Promise<void> {
    const { trading, reason } = await this.read()
    if (trading === 'paused') throw unavailable(`Trading is paused: ${reason}; try again shortly`)
  }

  private async find(): Promise<Status> {
    const { sql, node, config, clock } = this.context
    const [tip, look, info] = await Promise.all([
      findTip(sql).then(
        (row) => ({ height: row?.height ?? null }),
        () => null,
      ),
      findLook(sql).catch(() => null),
      node.blockchainInfo().catch(() => null),
    ])
    const indexHeight = tip?.height ?? null
    const nodeHeight = info?.blocks ?? null
    const lagBlocks = nodeHeight === null || !tip ? null : Math.max(0, nodeHeight - (indexHeight ?? -1))
    const reason = !tip
      ? 'the database does not answer'
      : !info
        ? 'the Bitcoin node does not answer'
        : lagBlocks! > config.tradingLagBlocks
          ? `the index is ${lagBlocks} blocks behind the node`
          : null
    return {
      trading: reason === null ? 'open' : 'paused',
      reason,
      chain: config.chain,
      indexHeight,
      nodeHeight,
      lagBlocks,
      mempoolAgeSeconds: look && Math.max(0, (clock().getTime() - look.lookedAt.getTime()) / 1000),
      mempoolTransactions: look?.transactionCount ?? null,
      node: info ? 'ok' : 'unavailable',
      database: tip ? 'ok' : 'unavailable',
    }
  }
}
