import { setTimeout } from 'node:timers/promises'
import type { Logger } from 'pino'
import { isSigned, type SignedHead } from '../order-log/copy.ts'
import { checkLine, LineError, type Place } from '../order-log/line.ts'
import type { Copy, Line } from './copy.ts'
import { Away, type HeadAnswer, type Reason, Refused, type Upstream } from './upstream.ts'

/** Milliseconds between two looks at the market, and the bounds of the pause after one that failed. */
const POLL_MILLISECONDS = 2000
const PAUSE_MILLISECONDS = { least: 1000, most: 60_000 }
/** Bytes of another history that are stored as evidence. A longer history is still checked. */
const MAX_EVIDENCE_BYTES = 64 << 20

/** The market told two histories. */
class Fork extends Error {}

/** The copy is as large as it may be. */
class Full extends Error {}

export interface FollowerState {
  /** The newest change that the market has signed, as far as it told. */
  marketPosition: number | null
  /** When the copy last equalled the market's log, by a monotonic clock; initially the start. */
  levelAt: number
  /** Why nothing is copied any more: the operator has to look. */
  stopped: string | null
  /** Why the last look failed; null where it did not. */
  trouble: string | null
  /** Answers that were refused, by reason. */
  refusals: Map<Reason, number>
}

interface Options {
  mostBytes: number
  log: Logger
  pollMilliseconds?: number
  pauseMilliseconds?: typeof PAUSE_MILLISECONDS
}

/**
 * Follows a market's order log into a copy. Each line is checked before it is written, and vouched for only once the market has signed a
 * head that it leads to: a stranger between the two can withhold changes and add none. Its signature tells a market with two
 * histories from such a stranger; then the follower stops, and keeps the proof.
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

  /** Follows until the signal, or until the market forks. */
  async run(signal: AbortSignal): Promise<void> {
    const { log, pollMilliseconds = POLL_MILLISECONDS, pauseMilliseconds = PAUSE_MILLISECONDS } = this.options
    let failures = 0
    while (!signal.aborted && this.state.stopped === null) {
      let pause = pollMilliseconds
      try {
        await this.look()
        if (failures > 0) log.info({ position: this.copy.last.position }, 'the mirror follows again')
        this.state.trouble = null
        failures = 0
      } catch (error) {
        if (signal.aborted) return
        // A market that asks for patience is well.
        const wait = error instanceof Away ? error.retrySeconds : null
        this.note(error as Error)
        const { least, most } = pauseMilliseconds
        // Jitter, so that mirrors of one market do not retry at the same time.
        pause =
          wait !== null ? wait * 1000 : Math.min(most, least * 2 ** failures++) * (0.75 + Math.random() / 2)
      }
      await setTimeout(pause, undefined, { signal }).catch(() => {})
    }
  }

  /** Copies up to the head that the market has signed. Throws Refused, Away, Full, Fork, and disk errors. */
  async look(): Promise<void> {
    const { copy, state } = this
    const { head, ...identity } = await this.upstream.head()
    this.demandOwn(identity, head)
    state.marketPosition = head?.position ?? 0
    const known = copy.signed?.position ?? 0
    if (!head || head.position <= known) {
      await this.demandSame(head)
      state.levelAt = performance.now()
      return
    }
    while (copy.last.position < head.position) await this.copyPage(head)
    if ((await copy.hashAt(head.position)) !== head.hash) {
      await copy.cutUnsigned()
      throw new Refused(
        'history',
        `its changes up to ${head.position} do not lead to the head that it signed`,
      )
    }
    await copy.sign(head)
    state.levelAt = performance.now()
  }

  private demandOwn(identity: Omit<HeadAnswer, 'head'>, head: SignedHead | null): void {
    const { network, market } = this.copy.identity
    if (identity.network !== network || identity.market !== market)
      throw new Refused(
        'market',
        `it is the market ${identity.market} on ${identity.network}, and this is a copy of ${market} on ${network}`,
      )
    if (head && !isSigned(head, identity)) throw new Refused('signature', 'the market did not sign its head')
  }

  /** The market has signed nothing new: it must not have signed something else, or forgotten what it signed. */
  private async demandSame(head: SignedHead | null): Promise<void> {
    const { signed } = this.copy
    if (!signed) return
    if (head && head.position > 0) {
      const hash = await this.copy.hashAt(head.position)
      if (hash !== head.hash) this.stop(head, { position: head.position, hash })
    }
    if ((head?.position ?? 0) < signed.position)
      throw new Refused(
        'older',
        `it shows ${head?.position ?? 0} changes, and has signed ${signed.position} before`,
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
      throw new Refused('line', `it is refused: ${error.message}`, error)
    }
    const bytes = lines.reduce((sum, line) => sum + line.bytes.length + 1, 0)
    if (copy.size + bytes > this.options.mostBytes)
      throw new Full(`the copy would be larger than ${this.options.mostBytes} bytes`)
    await copy.append(lines)
  }

  /**
   * The market returned a different line before the next one. If its changes lead to the head that it signed, it has signed two histories.
   * Otherwise someone else altered the response, and this returns. Throws Fork, Refused, Away.
   */
  private async demandLie(head: SignedHead, from: Place): Promise<void> {
    const { file, discard } = await this.copy.openEvidence()
    let isProven = false
    try {
      let last = from
      for (let kept = 0; last.position < head.position; ) {
        const page = await this.upstream.page(last.position)
        const lines = checkPage(page, last, head.position)
        if (kept + page.length <= MAX_EVIDENCE_BYTES) await file.write(page)
        kept += page.length
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

  /** Stops for good: both histories are signed by the market. Throws Fork. */
  private stop(theirs: SignedHead, ours: Place): never {
    const { copy, state, options } = this
    copy.keepFork({
      is: 'Two heads of one market, both with its signature, that no one history holds. The copy stays as it was.',
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
      options.log.error({ reason: error.reason, err: error }, 'the mirror refuses an answer')
    else options.log.warn({ err: error }, 'the mirror cannot follow right now')
  }
}

const STOPPED =
  'the market has signed two histories: copying stopped, and the proof is in fork.json next to the copy'

/** The lines of a page up to a position, each checked against the one before. Throws LineError, Refused. */
function checkPage(page: Buffer, from: Place, most: number): Line[] {
  if (page.length === 0)
    throw new Refused('empty', `it shows no change after ${from.position}, and has signed ${most}`)
  if (page.at(-1) !== 10) throw new Refused('line', 'a page ends in the middle of a line')
  const lines: Line[] = []
  let last = from
  for (let at = 0; at < page.length && last.position < most; ) {
    const end = page.indexOf(10, at)
    const bytes = page.subarray(at, end)
    try {
      const { position, hash } = checkLine(bytes, last)
      last = { position, hash }
    } catch (error) {
      // Only the first line is compared with the copy; a fault in any other line means that the page contradicts itself.
      if (error instanceof LineError && lines.length > 0) throw new LineError(error.message, { cause: error })
      throw error
    }
    lines.push({ ...last, bytes })
    at = end + 1
  }
  return lines
}
