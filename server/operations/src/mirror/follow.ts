import { setTimeout } from 'node:timers/promises'
import type { Logger } from 'pino'
import { isSigned, type SignedHead } from '../order-log/copy.ts'
import { checkLine, LineError, type Place } from '../order-log/line.ts'
import type { Copy, Line } from './copy.ts'
import { Away, type HeadAnswer, type Reason, Refused, type Upstream } from './upstream.ts'

/** Polling interval and bounds of the backoff, in milliseconds. */
const POLL_MILLISECONDS = 2000
const PAUSE_MILLISECONDS = { least: 1000, most: 60_000 }
/** Maximum evidence to store of another history, in bytes. */
const MAX_EVIDENCE_BYTES = 64 << 20

/** The market signed two histories. */
class Fork extends Error {}

/** The copy has reached its size limit. */
class Full extends Error {}

export interface FollowerState {
  /** Position of the market's signed head in its last response. */
  marketPosition: number | null
  /** Monotonic time at which the copy was last up to date; initially the start. */
  levelAt: number
  /** Why copying stopped permanently; null while it runs. */
  stopped: string | null
  /** Why the last poll failed, or null. */
  trouble: string | null
  /** Number of rejected responses, by reason. */
  refusals: Map<Reason, number>
}

interface Options {
  mostBytes: number
  log: Logger
  pollMilliseconds?: number
  pauseMilliseconds?: typeof PAUSE_MILLISECONDS
}

/**
 * Copies a market's order log. Serves a line only once the market has signed a head that covers it. An
 * attacker in between can withhold changes, but not add any. Stops and stores the proof if the market signs
 * two histories.
 */
export class Follower {
  readonly state: FollowerState
  private readonly copy: Copy
  private readonly upstream: Upstream
  private readonly options: Options

  constructor(copy: Copy, upstream: Upstream, options: Options) {
    this.copy = copy
    this.upstream = upstream
    this.options = options
    this.state = {
      marketPosition: null,
      levelAt: performance.now(),
      stopped: copy.fork,
      trouble: null,
      refusals: new Map(),
    }
    if (copy.fork !== null) options.log.error({ fork: copy.fork }, STOPPED)
  }

  /** Runs until `signal` aborts or the market forks. */
  async run(signal: AbortSignal): Promise<void> {
    const { log, pollMilliseconds = POLL_MILLISECONDS, pauseMilliseconds = PAUSE_MILLISECONDS } = this.options
    let failures = 0
    while (!signal.aborted && this.state.stopped === null) {
      let pause = pollMilliseconds
      try {
        await this.look()
        if (failures > 0) log.info({ position: this.copy.last.position }, 'mirror recovered')
        this.state.trouble = null
        failures = 0
      } catch (error) {
        if (signal.aborted) return
        // A Retry-After response means that the market is healthy.
        const wait = error instanceof Away ? error.retrySeconds : null
        this.note(error as Error)
        const { least, most } = pauseMilliseconds
        // Jitter, so that mirrors do not retry at the same time.
        pause =
          wait !== null ? wait * 1000 : Math.min(most, least * 2 ** failures++) * (0.75 + Math.random() / 2)
      }
      await setTimeout(pause, undefined, { signal }).catch(() => {})
    }
  }

  /** Copies up to the market's signed head. Throws Refused, Away, Full, Fork and disk errors. */
  async look(): Promise<void> {
    const { copy, state } = this
    const { head, ...identity } = await this.upstream.head()
    this.demandOwn(identity, head)
    state.marketPosition = head?.position ?? 0
    const signedPosition = copy.signed?.position ?? 0
    if (!head || head.position <= signedPosition) {
      await this.assertSameHead(head)
      state.levelAt = performance.now()
      return
    }
    while (copy.last.position < head.position) await this.copyPage(head)
    if ((await copy.hashAt(head.position)) !== head.hash) {
      await copy.cutUnsigned()
      throw new Refused('history', `The changes up to ${head.position} do not lead to the signed head.`)
    }
    await copy.sign(head)
    state.levelAt = performance.now()
  }

  private demandOwn(identity: Omit<HeadAnswer, 'head'>, head: SignedHead | null): void {
    const { network, market } = this.copy.identity
    if (identity.network !== network || identity.market !== market)
      throw new Refused(
        'market',
        `The server is the market ${identity.market} on ${identity.network}, but this is a copy of ${market} on ${network}.`,
      )
    if (head && !isSigned(head, identity)) throw new Refused('signature', 'The market did not sign its head.')
  }

  /** Checks that the market has not changed or dropped its signed history. */
  private async assertSameHead(head: SignedHead | null): Promise<void> {
    const { signed } = this.copy
    if (!signed) return
    if (head && head.position > 0) {
      const hash = await this.copy.hashAt(head.position)
      if (hash !== head.hash) this.stop(head, { position: head.position, hash })
    }
    if ((head?.position ?? 0) < signed.position)
      throw new Refused(
        'older',
        `The market returned ${head?.position ?? 0} changes, but has signed ${signed.position}.`,
      )
  }

  private async copyPage(head: SignedHead): Promise<void> {
    const { copy } = this
    const page = await this.upstream.page(copy.last.position)
    let lines: Line[]
    try {
      lines = checkPage(page, copy.last, head.position)
    } catch (error) {
      if (!(error instanceof LineError)) throw error
      const { otherPrevious } = error
      if (otherPrevious !== null && copy.last.position > 0) {
        if (copy.isSigned) await this.demandLie(head, { ...copy.last, hash: otherPrevious })
        else await copy.cutUnsigned()
      }
      throw new Refused('line', `Invalid line: ${error.message}`, error)
    }
    const bytes = lines.reduce((sum, line) => sum + line.bytes.length + 1, 0)
    if (copy.size + bytes > this.options.mostBytes)
      throw new Full(`The copy would be larger than ${this.options.mostBytes} bytes.`)
    await copy.append(lines)
  }

  /**
   * Checks whether a different history leads to the signed head. If so, the market has signed two histories.
   * Otherwise someone else altered the response. Throws Fork, Refused, Away.
   */
  private async demandLie(head: SignedHead, from: Place): Promise<void> {
    const { file, discard } = await this.copy.openEvidence()
    let isProven = false
    try {
      let last = from
      for (let storedBytes = 0; last.position < head.position; ) {
        const page = await this.upstream.page(last.position)
        const lines = checkPage(page, last, head.position)
        if (storedBytes + page.length <= MAX_EVIDENCE_BYTES) await file.writeFile(page)
        storedBytes += page.length
        last = lines.at(-1)!
      }
      isProven = last.hash === head.hash
    } catch (error) {
      if (!(error instanceof LineError)) throw error
    } finally {
      await file.close()
      if (!isProven) await discard()
    }
    if (!isProven) return
    this.stop(head, this.copy.last)
  }

  /** Stops permanently and stores the proof. Throws Fork. */
  private stop(theirs: SignedHead, ours: Place): never {
    const { copy, state, options } = this
    copy.keepFork({
      is: 'Two heads signed by the same market that contradict each other. The copy is unchanged.',
      ...copy.identity,
      copied: copy.signed,
      differsAt: ours,
      shownNow: theirs,
      at: new Date().toISOString(),
    })
    state.stopped = copy.fork
    options.log.error({ fork: state.stopped }, STOPPED)
    throw new Fork(STOPPED)
  }

  private note(error: Error): void {
    if (error instanceof Fork) return
    const { state, options } = this
    if (error instanceof Refused)
      state.refusals.set(error.reason, (state.refusals.get(error.reason) ?? 0) + 1)
    const isNew = state.trouble !== error.message
    state.trouble = error.message
    if (!isNew) return
    if (error instanceof Refused)
      options.log.error({ reason: error.reason, err: error }, 'rejected a response of the market')
    else options.log.warn({ err: error }, 'market unavailable, retrying')
  }
}

const STOPPED =
  'The market has signed two histories. Copying stopped. The proof is in fork.json next to the copy.'

/** Verifies the lines of a page up to a position. Throws LineError, Refused. */
function checkPage(page: Buffer, from: Place, most: number): Line[] {
  if (page.length === 0)
    throw new Refused(
      'empty',
      `The page after ${from.position} is empty, but the market has signed ${most} changes.`,
    )
  if (page.at(-1) !== 10) throw new Refused('line', 'The page ends in the middle of a line.')
  const lines: Line[] = []
  let last = from
  for (let at = 0; at < page.length && last.position < most; ) {
    const end = page.indexOf(10, at)
    const bytes = page.subarray(at, end)
    try {
      const { position, hash } = checkLine(bytes, last)
      last = { position, hash }
    } catch (error) {
      // Only the first line follows the copy. Later lines follow each other.
      if (error instanceof LineError && lines.length > 0) throw new LineError(error.message, { cause: error })
      throw error
    }
    lines.push({ ...last, bytes })
    at = end + 1
  }
  return lines
}
