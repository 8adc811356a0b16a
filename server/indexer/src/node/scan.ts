import { setTimeout as sleep } from 'node:timers/promises'
import { satsOfBtc } from '@ordbook/bitcoin/sats.ts'
import { unavailable } from '@ordbook/db/process/errors.ts'
import { anything, hash, scan } from './core-answers.ts'
import type { Rpc } from './rpc.ts'
import type { Unspent } from './source.ts'

export interface ScanLimits {
  mostWaiting: number
  /** Timeout of a scan in milliseconds, including the wait for other processes. */
  milliseconds: number
  /** Cache lifetime in milliseconds. A new block ends it early. */
  keepsMilliseconds: number
}

const LIMITS: ScanLimits = { mostWaiting: 8, milliseconds: 120_000, keepsMilliseconds: 60_000 }

const CALL_TIMEOUT_MS = 5000
/** Retry delay in milliseconds while another process scans. */
const RETRY_DELAY_MS = 250
const MAX_CACHED = 1000

interface Scan {
  key: string
  waiting: number
  abandoned: AbortController
  result: PromiseWithResolvers<Unspent[]>
}

interface CachedResult {
  coins: Unspent[]
  bestBlock: string
  /** Expiry on the monotonic clock, in milliseconds. */
  until: number
}

/**
 * Finds confirmed unspent outputs by scanning the UTXO set, which takes seconds to minutes. The node runs one scan at a time, so others
 * wait in a short queue. Requests for the same script share a scan. It is aborted when the last client disconnects.
 */
export class CoinScans {
  private readonly rpc: Rpc
  private readonly limits: ScanLimits
  private readonly queue: Scan[] = []
  private readonly scans = new Map<string, Scan>()
  private readonly cache = new Map<string, CachedResult>()
  private running = false

  constructor(rpc: Rpc, limits: Partial<ScanLimits> = {}) {
    this.rpc = rpc
    this.limits = { ...LIMITS, ...limits }
  }

  /** Returns the coins of a script (hex). Throws `unavailable` if the queue is full or on a timeout. */
  async of(script: string, signal?: AbortSignal): Promise<Unspent[]> {
    const cached = await this.findCached(script)
    if (cached) return cached
    const scan = this.scans.get(script) ?? this.enqueue(script)
    scan.waiting++
    try {
      return await (signal ? Promise.race([scan.result.promise, rejectionOf(signal)]) : scan.result.promise)
    } finally {
      if (--scan.waiting === 0) this.abandon(scan)
    }
  }

  private async findCached(key: string): Promise<Unspent[] | null> {
    const found = this.cache.get(key)
    if (!found || found.until < performance.now()) return null
    const bestBlock = await this.rpc.call(CALL_TIMEOUT_MS, 'getbestblockhash', [], hash)
    return bestBlock === found.bestBlock ? found.coins : null
  }

  private enqueue(key: string): Scan {
    if (this.queue.length >= this.limits.mostWaiting)
      throw unavailable('server-busy', 'Too many wallet scans are in progress. Try again shortly.')
    const scan: Scan = {
      key,
      waiting: 0,
      abandoned: new AbortController(),
      result: Promise.withResolvers(),
    }
    // Avoid an unhandled rejection if no request waits.
    scan.result.promise.catch(() => {})
    this.scans.set(key, scan)
    this.queue.push(scan)
    void this.work()
    return scan
  }

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
      const result = await this.start(rpc, left, key)
      if (result?.success) return this.store(key, result)
      await sleep(RETRY_DELAY_MS, undefined, { signal: abandoned.signal })
    }
    throw unavailable('node-unavailable', 'The Bitcoin node is busy with other scans. Try again shortly.')
  }

  /** Starts a scan. Returns null while another process scans; `success` is false if another process aborted it. */
  private async start(rpc: Rpc, milliseconds: number, key: string): Promise<ReturnType<typeof scan>> {
    try {
      return await rpc.call(milliseconds, 'scantxoutset', ['start', [`raw(${key})`]], scan)
    } catch (error) {
      if (/scan already in progress/i.test((error as Error).message)) return null
      // The call ended, but the node continues the scan until it is told to abort.
      await this.rpc.call(CALL_TIMEOUT_MS, 'scantxoutset', ['abort'], anything).catch(() => {})
      throw error
    }
  }

  private store(
    key: string,
    { bestblock, unspents }: Extract<ReturnType<typeof scan>, { success: true }>,
  ): Unspent[] {
    const coins = unspents.map(({ txid, vout, amount }) => ({ txid, vout, valueSats: satsOfBtc(amount) }))
    const now = performance.now()
    for (const [other, { until }] of this.cache)
      if (until < now || this.cache.size >= MAX_CACHED) this.cache.delete(other)
    this.cache.set(key, { coins, bestBlock: bestblock, until: now + this.limits.keepsMilliseconds })
    return coins
  }
}

function rejectionOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const onAbort = () => reject(unavailable('server-busy', 'The client disconnected.', signal.reason))
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
  })
}
