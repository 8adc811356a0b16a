import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type Sql } from '@ordbook/db/driver/connect.ts'
import { startEmbedded } from '@ordbook/db/embedded/embedded.ts'
import { freePort } from '@ordbook/db/process/free-port.ts'
import { findIndexFault } from '@ordbook/indexer/blocks/fault-queries.ts'
import type { Contents } from '../../e2e/indexer/support/attacks/ordinary.ts'
import { trade } from '../../e2e/indexer/support/attacks/traded.ts'
import type { Bomb } from '../../e2e/indexer/support/hostile.ts'
import { HostileChain } from '../../e2e/indexer/support/hostile-chain.ts'
import { startNode, type TestNode } from '../../e2e/support/node.ts'

const REQUEST_EVERY_MS = 10
const STATUS_EVERY_MS = 100
/** Age that a response of /status may have: the server caches it. */
const STATUS_AGE_MS = 1000
/** Shortest time of a run, so that fast blocks have enough requests. */
const SAMPLE_MS = 500
const PATHS = ['/r/blockheight', '/api/v1/listings']

export interface Measured {
  contents: Contents
  milliseconds: number[]
  latencies: number[]
  /** Peak of the server. */
  megabytes: number
  /** Responses of /status that were wrong. */
  lies: string[]
}

const sleep = (milliseconds: number) => new Promise((done) => setTimeout(done, milliseconds))

/** A server with an API and a follower, its database and its node. */
export class Victim {
  private readonly url: string
  private readonly sql: Sql
  private readonly node: TestNode
  private readonly server: ChildProcess
  private readonly chain: HostileChain
  private readonly longestMs: number
  private readonly end: () => Promise<void>
  /** Heights of the index, each with the time when it was last read. */
  private readonly seen = new Map<number, number>()

  private constructor(parts: Pick<Victim, 'stop'> & Record<string, any>) {
    this.url = parts.url
    this.sql = parts.sql
    this.node = parts.node
    this.server = parts.server
    this.chain = new HostileChain(this.node.regtest)
    this.longestMs = parts.longestMs
    this.end = parts.stop
  }

  static async start(longestMs: number): Promise<Victim> {
    const directory = mkdtempSync(join(tmpdir(), 'ordbook-hostile-'))
    chmodSync(directory, 0o755)
    const postgres = await startEmbedded(directory)
    const node = await startNode('bitcoind')
    const port = await freePort()
    const sql = connect(postgres.url, { max: 2 })
    await node.regtest.mine(103)
    const server = spawn(process.execPath, [join(import.meta.dirname, '../../server/app/src/main.ts')], {
      env: {
        ...process.env,
        DATABASE_URL: postgres.url,
        BITCOIN_RPC_URL: node.url,
        DATA_DIR: join(directory, 'server'),
        PORT: String(port),
        ROLES: 'api,follower',
        RATE_LIMITS: 'off',
        SAT_INDEX: 'on',
        POLL_MILLISECONDS: '20',
        LOG_LEVEL: 'error',
      },
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    const url = `http://127.0.0.1:${port}`
    while (!(await fetch(`${url}/r/blockheight`).catch(() => null))?.ok) await sleep(100)
    return new Victim({
      ...{ url, sql, node, server, longestMs },
      async stop() {
        server.kill('SIGKILL')
        await sql.end()
        await node.stop()
        await postgres.stop()
        rmSync(directory, { recursive: true, force: true })
      },
    })
  }

  stop(): Promise<void> {
    return this.end()
  }

  /**
   * Mines a bomb, then undoes and repeats its blocks. Collections of its market have at most `items` items. Throws if the index does not
   * reach a block in time.
   */
  async measure(bomb: Bomb, { runs, items }: { runs: number; items: number }): Promise<Measured> {
    const { sql, chain, node } = this
    await chain.fund([bomb])
    const start = await this.height()
    let base = start
    const sizes = await chain.mine(bomb, async () => {
      base = await this.height()
      await this.reach(base)
      await trade(sql, bomb, start, items)
      await sql`vacuum analyze`
    })
    await this.reach(await this.height())
    const contents = await this.contentsAbove(base, sizes)
    const [milliseconds, latencies, lies]: [number[], number[], string[]] = [[], [], []]
    const hash = await node.regtest.call<string>('getblockhash', base + 1)
    this.takePeak()
    for (let run = 0; run < runs; run++) {
      await node.regtest.call('invalidateblock', hash)
      await this.reach(base)
      const result = await this.underLoad(async () => {
        await node.regtest.call('reconsiderblock', hash)
        const began = performance.now()
        await this.reach(await this.height())
        milliseconds.push(performance.now() - began)
      })
      latencies.push(...result.latencies)
      lies.push(...result.lies)
    }
    return { contents, milliseconds, latencies, megabytes: this.takePeak(), lies }
  }

  private height(): Promise<number> {
    return this.node.regtest.call('getblockcount')
  }

  private async indexHeight(): Promise<number> {
    const [row] = await this.sql<{ height: number | null }[]>`select max(height) as height from blocks`
    const height = row!.height ?? -1
    this.seen.set(height, performance.now())
    return height
  }

  private async reach(height: number): Promise<void> {
    for (const until = performance.now() + this.longestMs; performance.now() < until; await sleep(5))
      if ((await this.indexHeight().catch(() => -1)) === height) return
    throw new Error(`the index did not reach block ${height} within ${this.longestMs / 1000} s`)
  }

  private async contentsAbove(height: number, sizes: readonly number[]): Promise<Contents> {
    const [row] = await this.sql<{ moves: number; inscriptions: number }[]>`
      select (select count(*)::int from coin_moves where height > ${height}) as moves,
        (select count(*)::int from inscription_rows where height > ${height}) as inscriptions`
    let inputs = 0
    for (let at = height + 1; at <= height + sizes.length; at++) {
      const stats = await this.node.regtest.call<{ ins: number }>('getblockstats', at, ['ins'])
      inputs += stats.ins
    }
    return { bytes: sizes.reduce((sum, size) => sum + size, 0), inputs, ...row! }
  }

  /** Sends a request every ten milliseconds without waiting for responses, and compares /status with the database. */
  private async underLoad(work: () => Promise<void>): Promise<{ latencies: number[]; lies: string[] }> {
    const [latencies, lies]: [number[], string[]] = [[], []]
    const pending: Promise<void>[] = []
    let sent = 0
    const request = async () => {
      const began = performance.now()
      const answer = await fetch(this.url + PATHS[sent++ % PATHS.length]!)
      await answer.arrayBuffer()
      latencies.push(performance.now() - began)
    }
    const requests = setInterval(() => pending.push(request()), REQUEST_EVERY_MS)
    let isOver = false
    const statuses = (async () => {
      for (; !isOver; await sleep(STATUS_EVERY_MS)) lies.push(...(await this.checkStatus()))
    })()
    try {
      await Promise.all([work(), sleep(SAMPLE_MS)])
    } finally {
      clearInterval(requests)
      isOver = true
      await Promise.all([...pending, statuses])
    }
    return { latencies, lies }
  }

  /** Returns what is wrong in /status. */
  private async checkStatus(): Promise<string[]> {
    const oldest = performance.now() - STATUS_AGE_MS
    const fault = await findIndexFault(this.sql)
    const answer = await fetch(`${this.url}/status`)
    const status = (await answer.json()) as Record<string, any>
    const height = await this.indexHeight()
    const wrong: string[] = []
    if (!answer.ok) wrong.push(`status ${answer.status}`)
    if (status.indexHeight > height && !(this.seen.get(status.indexHeight)! >= oldest))
      wrong.push(`/status has index height ${status.indexHeight}, the database ${height}`)
    if (fault && status.trading === 'open') wrong.push(`trading was open although ${fault.reason}`)
    if (status.indexFault) wrong.push(`the block failed: ${status.indexFault.reason}`)
    return wrong
  }

  /** Returns the peak memory of the server since the last call, in MB. */
  private takePeak(): number {
    const { pid } = this.server
    const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))!
    writeFileSync(`/proc/${pid}/clear_refs`, '5')
    return Math.round(Number(kilobytes) / 1000)
  }
}
