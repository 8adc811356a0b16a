import { setTimeout as sleep } from 'node:timers/promises'
import { satsOfBtc } from '@ordbook/bitcoin/sats.ts'
import { unavailable } from '@ordbook/db/process/errors.ts'
import { anything, hash, scan } from './core-answers.ts'
import type { Rpc } from './rpc.ts'
import type { Unspent } from './source.ts'

/** Bounds of the scans of one process. */
export interface ScanLimits {
  /** Scripts that wait for their scan while another one runs. */
  mostWaiting: number
  /** Deadline of a scan, with its wait for the node's other scans, in milliseconds. */
  milliseconds: number
  /** Lifetime of a result in milliseconds; a new block ends it sooner. */
  keepsMilliseconds: number
}

const LIMITS: ScanLimits = { mostWaiting: 8, milliseconds: 120_000, keepsMilliseconds: 60_000 }

/** Deadline of any other node call, in milliseconds. */
const QUICK = 5000
/** Pause before the next try while the node runs a scan of another process, in milliseconds. */
const RETRY = 250
/** Results that are kept at most. */
const MOST_KEPT = 1000

interface Scan {
  key: string
  /** Requests that wait for it. */
  waiting: number
  abandoned: AbortController
  result: PromiseWithResolvers<Unspent[]>
}

interface Found {
  coins: Unspent[]
  bestBlock: string
  /** Of the monotonic clock. */
  until: number
}

/**
 * Confirmed unspent outputs by script, from a scan of all outputs of the node: seconds to minutes on a test chain. The
 * node runs one scan at a time, so the others wait in a short queue; requests for one script share its scan, and a scan
 * for which no client waits any more is aborted.
 */
export class CoinScans {
  private readonly rpc: Rpc
  private readonly limits: ScanLimits
  private readonly queue: Scan[] = []
  private readonly scans = new Map<string, Scan>()
  private readonly found = new Map<string, Found>()
  private running = false

  constructor(rpc: Rpc, limits: Partial<ScanLimits> = {}) {
    this.rpc = rpc
    this.limits = { ...LIMITS, ...limits }
  }

  /** The coins of a script (hex). Throws unavailable when the queue is full, or no result comes in time. */
  async of(script: string, signal?: AbortSignal): Promise<Unspent[]> {
    const kept = await this.kept(script)
    if (kept) return kept
    const scan = this.scans.get(script) ?? this.enqueue(script)
    scan.waiting++
    try {
      return await (signal ? Promise.race([scan.result.promise, rejectionOf(signal)]) : scan.result.promise)
    } finally {
      if (--scan.waiting === 0) this.abandon(scan)
    }
  }

  private async kept(key: string): Promise<Unspent[] | null> {
    const found = this.found.get(key)
    if (!found || found.until < performance.now()) return null
    const bestBlock = await this.rpc.call(QUICK, 'getbestblockhash', [], hash)
    return bestBlock === found.bestBlock ? found.coins : null
  }

  private enqueue(key: string): Scan {
    if (this.queue.length >= this.limits.mostWaiting)
      throw unavailable(
        'server-busy',
        'Too many wallets are being looked up on the chain right now; try again shortly',
      )
    const scan: Scan = {
      key,
      waiting: 0,
      abandoned: new AbortController(),
      result: Promise.withResolvers(),
    }
    // Its requests get the failure; a scan without any needs no handler.
    scan.result.promise.catch(() => {})
    this.scans.set(key, scan)
    this.queue.push(scan)
    void this.work()
    return scan
  }

  /** Takes a scan off the queue, or has the node abort it. A finished scan stays. */
  private abandon(scan: Scan): void {
    if (this.scans.get(scan.key) === scan) this.scans.delete(scan.key)
    const at = this.queue.indexOf(scan)
    if (at >= 0) this.queue.splice(at, 1)
    scan.abandoned.abort()
  }

  private async work(): Promise<void> {
    if (this.running) return
    this.running = true
    for (let scan = this.queue.shift(); scan; scan = this.queue.shift()) {
      await this.run(scan).then(scan.result.resolve, scan.result.reject)
      if (this.scans.get(scan.key) === scan) this.scans.delete(scan.key)
    }
    this.running = false
  }

  private async run({ key, abandoned }: Scan): Promise<Unspent[]> {
    const { milliseconds } = this.limits
    const deadline = performance.now() + milliseconds
    const rpc = this.rpc.within({ signal: abandoned.signal })
    for (let left = milliseconds; left > 0; left = Math.ceil(deadline - performance.now())) {
      const answer = await this.start(rpc, left, key)
      if (answer?.success) return this.keep(key, answer)
      await sleep(RETRY, undefined, { signal: abandoned.signal })
    }
    throw unavailable(
      'node-unavailable',
      'The Bitcoin node is busy with other scans of its coins; try again shortly',
    )
  }

  /** Null while the node runs the scan of another process; not a success where another process has aborted ours. */
  private async start(rpc: Rpc, milliseconds: number, key: string): Promise<ReturnType<typeof scan>> {
    try {
      return await rpc.call(milliseconds, 'scantxoutset', ['start', [`raw(${key})`]], scan)
    } catch (error) {
      if (/scan already in progress/i.test((error as Error).message)) return null
      // Our call is cut off, by its clients or its deadline, but the node would go on.
      await this.rpc.call(QUICK, 'scantxoutset', ['abort'], anything).catch(() => {})
      throw error
    }
  }

  private keep(
    key: string,
    { bestblock, unspents }: Extract<ReturnType<typeof scan>, { success: true }>,
  ): Unspent[] {
    const coins = unspents.map(({ txid, vout, amount }) => ({ txid, vout, valueSats: satsOfBtc(amount) }))
    const now = performance.now()
    for (const [other, { until }] of this.found)
      if (until < now || this.found.size >= MOST_KEPT) this.found.delete(other)
    this.found.set(key, { coins, bestBlock: bestblock, until: now + this.limits.keepsMilliseconds })
    return coins
  }
}

/** Rejects when a client is gone. */
function rejectionOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const gone = () => reject(unavailable('server-busy', 'The client is gone', signal.reason))
    if (signal.aborted) gone()
    else signal.addEventListener('abort', gone, { once: true })
  })
}
