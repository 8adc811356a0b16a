import { setTimeout as sleep } from 'node:timers/promises'
import { satsOfBtc } from '@ordbook/bitcoin/sats.ts'
import { unavailable } from '@ordbook/db/process/errors.ts'
import { anything, hash, scan } from './core-answers.ts'
import type { Rpc } from './rpc.ts'
import type { Unspent } from './source.ts'

/** Limits of the scans of one process. */
export interface ScanLimits {
  /** Maximum number of queued scripts while another scan runs. */
  mostWaiting: number
  /** Timeout of a scan in milliseconds, including the wait for other scans of the node. */
  milliseconds: number
  /** Lifetime of a result in milliseconds; a new block invalidates it earlier. */
  keepsMilliseconds: number
}

const LIMITS: ScanLimits = { mostWaiting: 8, milliseconds: 120_000, keepsMilliseconds: 60_000 }

/** Timeout of other node calls, in milliseconds. */
const QUICK = 5000
/** Pause in milliseconds before a retry while the node runs a scan of another process. */
const RETRY = 250
/** Maximum number of cached results. */
const MAX_KEPT = 1000

interface Scan {
  key: string
  /** Number of requests waiting for it. */
  waiting: number
  abandoned: AbortController
  result: PromiseWithResolvers<Unspent[]>
}

interface Found {
  coins: Unspent[]
  bestBlock: string
  /** By the monotonic clock. */
  until: number
}

/**
 * Confirmed unspent outputs by script, from a scan of the node's UTXO set: seconds to minutes on a test chain. The node runs one scan at a
 * time, so others wait in a short queue. Requests for the same script share a scan, and a scan that no client waits for is aborted.
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

  /** The coins of a script (hex). Throws unavailable if the queue is full or on a timeout. */
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
    // Avoid an unhandled rejection: waiting requests get the error, and without any it is not needed.
    scan.result.promise.catch(() => {})
    this.scans.set(key, scan)
    this.queue.push(scan)
    void this.work()
    return scan
  }

  /** Removes a scan from the queue, or aborts it on the node. Does nothing if it has finished. */
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

  /** Null while the node runs a scan of another process; `success` is false if another process aborted ours. */
  private async start(rpc: Rpc, milliseconds: number, key: string): Promise<ReturnType<typeof scan>> {
    try {
      return await rpc.call(milliseconds, 'scantxoutset', ['start', [`raw(${key})`]], scan)
    } catch (error) {
      if (/scan already in progress/i.test((error as Error).message)) return null
      // Our call was cancelled by its clients or its timeout, but the node would continue the scan.
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
      if (until < now || this.found.size >= MAX_KEPT) this.found.delete(other)
    this.found.set(key, { coins, bestBlock: bestblock, until: now + this.limits.keepsMilliseconds })
    return coins
  }
}

/** Rejects when the client disconnects. */
function rejectionOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const gone = () => reject(unavailable('server-busy', 'The client is gone', signal.reason))
    if (signal.aborted) gone()
    else signal.addEventListener('abort', gone, { once: true })
  })
}
