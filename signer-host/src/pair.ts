import type { Readiness } from '@ordbook/process/health.ts'
import type { Journal } from '@ordbook/signer/journal.ts'
import { headAfter } from '@ordbook/signer/journal-files.ts'
import type { Position } from '@ordbook/signer/log.ts'
import { JournalError, StandbyError } from '@ordbook/signer/mark.ts'
import { lineOf } from '@ordbook/signer/pair-state.ts'
import type { Logger } from 'pino'
import {
  type AppendAnswer,
  type AppendRequest,
  MAX_LINES,
  type Peer,
  type ReleaseRequest,
} from './pair-calls.ts'

/** How long a standby waits for the active host before it takes over. */
export const LEASE_MILLISECONDS = 3000
/** The active host counts its lease this much shorter, starting when it requested the lease. */
const MARGIN_MILLISECONDS = 1000
const BEAT_MILLISECONDS = 500
const TICK_MILLISECONDS = 100

/** This host: its name, and a hash of its public keys. */
export interface Host {
  name: string
  keys: string
  /** Setting with which the operator lets this host sign alone. */
  setting: string
}

/** Two clocks: the steady one may stop while the machine sleeps, and the wall clock may be changed. */
const clocks = () => ({ steady: performance.now(), wall: Date.now() })

const isSame = (one: Position, other: Position) =>
  one.journal === other.journal && one.lines === other.lines && one.head === other.head

/**
 * One of two hosts with the same keys, of which only one signs. The journal records which (pair-state.ts).
 * While the journal says `paired`, each line is on the other host's disk before it is on this one's, and so before the response is sent:
 * the standby never lacks a line that a signature depends on. The active host holds a lease, which each response of the standby renews, and
 * signs nothing without it.
 * A standby starts its own term when the lease that it granted has expired, if it had the whole journal when it granted the lease. It signs
 * alone (`alone`) until the other host has caught up. A restarted host must reach the other host before it signs, unless it was signing
 * alone.
 */
export class Pair implements Peer {
  private readonly journal: Journal
  private readonly host: Host
  private readonly peer: Peer
  private readonly log: Logger
  private readonly now: typeof clocks
  private readonly timers: NodeJS.Timeout[] = []
  /** If active: when it requested its current lease. */
  private leasedAt: ReturnType<typeof clocks> | null = null
  /** If active: a later term of the other host, not in this journal yet. */
  private laterTerm = 0
  /** If standby with the whole journal: it does not take over before this time. */
  private grantUntil: number | null = null
  private tickedAt: number
  private isLeaving = false
  private fault: string | null = null
  private lastNote = ''

  constructor(journal: Journal, host: Host, peer: Peer, log: Logger, now = clocks) {
    this.journal = journal
    this.host = host
    this.peer = peer
    this.log = log
    this.now = now
    this.tickedAt = now().steady
    journal.log.writeAlone()
    journal.sendFirst((lines) => this.send(lines))
  }

  /** Starts a term without the other host, which the operator has stopped, if `term` is still the latest. */
  beginAlone(term: number): void {
    if (this.standing.term === term) this.begin('by word of the operator')
  }

  /** Sends heartbeats and checks leases until `leave`. */
  run(): void {
    let isBeating = false
    const beat = async () => {
      if (isBeating) return
      isBeating = true
      await this.beat()
      isBeating = false
    }
    this.timers.push(
      setInterval(beat, BEAT_MILLISECONDS),
      setInterval(() => this.tick(), TICK_MILLISECONDS),
    )
    void beat()
  }

  /** Hands over to the other host if it responds. From then on, this host signs nothing. */
  async leave(): Promise<void> {
    this.isLeaving = true
    for (const timer of this.timers) clearInterval(timer)
    const { standing } = this
    if (standing.term === 0 || (standing.host !== this.host.name && this.grantUntil === null)) return
    this.grantUntil = null
    const release = async () => {
      const isDone = await this.peer.release(this.say()).catch(() => false)
      this.note(isDone ? 'the other host signs without this one' : 'the other host does not take over')
    }
    // A standby must not block its journal: the other host may be in the middle of an append.
    await (standing.host === this.host.name ? this.journal.inTurn(release) : release())
  }

  /** Throws StandbyError if this host must not sign now, JournalError if the two journals conflict. */
  assertActive(): void {
    if (this.fault) throw new JournalError(this.fault)
    const { term, host, isPaired } = this.standing
    if (host !== this.host.name) throw new StandbyError(`${host || 'no host'} signs in term ${term}`)
    if (this.isLeaving) throw new StandbyError('this host stops')
    if (this.laterTerm > term) throw new StandbyError(`the other host signs in term ${this.laterTerm}`)
    if (isPaired && !this.isLeased())
      throw new StandbyError(
        `the other host has to answer first; if it is stopped for good, start this one once with ${this.host.setting}=${term}`,
      )
  }

  /** The host's role. Ready if it signs, or if it could take over immediately. */
  readiness(): Readiness {
    const { host, term, isPaired } = this.standing
    if (this.grantUntil !== null && !this.isLeaving && !this.fault) return { state: 'standby', reason: null }
    try {
      this.assertActive()
      return { state: isPaired ? 'active' : 'alone', reason: null }
    } catch (error) {
      const { message } = error as Error
      if (error instanceof JournalError) return { state: 'failed', reason: message }
      if (this.isLeaving || host === this.host.name) return { state: 'waiting', reason: message }
      return {
        state: 'waiting',
        reason: `${host || 'no host'} signs in term ${term}, and has not said yet that this host has its whole journal`,
      }
    }
  }

  /** Whether the other host receives every line before this host responds. */
  isPaired(): boolean {
    return this.standing.isPaired
  }

  async append(request: AppendRequest): Promise<AppendAnswer> {
    const { log } = this.journal
    this.assertOther(request)
    const { term, host } = this.standing
    if (term > 0 && request.term === term && request.host !== host) {
      this.fault = `both hosts signed alone in term ${term}: neither journal is whole, so neither signs`
      throw new JournalError(this.fault)
    }
    if (this.isLeaving) throw new StandbyError('this host stops')
    if (request.term > term) this.laterTerm = Math.max(this.laterTerm, request.term)
    const own = log.position()
    const isTaken = request.term >= term && isSame(request.before, own)
    if (isTaken && request.lines.length > 0) log.write(request.lines)
    const isGranted = isTaken && this.grant(request)
    const isAhead = !isTaken && request.term === term && own.lines > request.before.lines
    return {
      term: this.standing.term,
      position: log.position(),
      isTaken,
      isGranted,
      more: isAhead ? (log.since(request.before)?.slice(0, MAX_LINES) ?? null) : null,
    }
  }

  release(request: ReleaseRequest): Promise<boolean> {
    return this.journal.inTurn(async () => {
      this.assertOther(request)
      const { term, host, isPaired } = this.standing
      if (this.isLeaving || request.term !== term || !isSame(request.before, this.journal.log.position()))
        return false
      if (host === this.host.name && !isPaired) return true
      // A standby that restarted may have missed lines that the other host signed alone. Equal positions rule this out.
      this.begin('the other host stops')
      return true
    })
  }

  /** Brings the other host up to date and renews the lease. */
  beat(): Promise<void> {
    return this.journal.inTurn(async () => {
      const { host, isPaired } = this.standing
      if (host !== this.host.name || this.isLeaving) return
      try {
        const isTaken = await this.exchange([])
        if (!isTaken || isPaired) return
        // Write here first: if only the standby had this line, it could take over while this host signs alone.
        this.journal.log.write([lineOf({ ...this.standing, isPaired: true })])
        await this.exchange([])
        this.note(`the other host is on standby in term ${this.standing.term}`)
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error)
        if (error instanceof JournalError) this.fault = message
        this.note(message)
      }
    })
  }

  /** Takes over if the lease granted to the other host has expired. */
  tick(): void {
    const { steady } = this.now()
    // This process was delayed: handle the messages that are waiting before taking over.
    if (this.grantUntil !== null && steady - this.tickedAt > MARGIN_MILLISECONDS)
      this.grantUntil = steady + LEASE_MILLISECONDS
    this.tickedAt = steady
    if (this.isLeaving || this.grantUntil === null || steady < this.grantUntil) return
    this.begin('the other host no longer answers')
  }

  private get standing() {
    return this.journal.log.standing()
  }

  private readonly say = (): ReleaseRequest => ({
    host: this.host.name,
    keys: this.host.keys,
    term: this.standing.term,
    before: this.journal.log.position(),
  })

  private async send(lines: readonly string[]): Promise<void> {
    this.assertActive()
    if (!this.standing.isPaired) return
    const answer = await this.ask(this.journal.log.position(), lines)
    if (!answer.isGranted) throw new StandbyError('the other host has not taken the lines')
  }

  /** Sends one append request as the active host. */
  private async ask(before: Position, lines: readonly string[]): Promise<AppendAnswer> {
    const askedAt = this.now()
    const said = this.say()
    const end = Math.max(said.before.lines, before.lines + lines.length)
    const answer = await this.peer.append({ ...said, before, lines, end }).catch((error: unknown) => {
      if (error instanceof JournalError) throw error
      throw new StandbyError(`the other host does not answer: ${(error as Error).message}`)
    })
    if (answer.term > said.term) this.laterTerm = Math.max(this.laterTerm, answer.term)
    if (this.standing.term !== said.term || this.laterTerm > said.term)
      throw new StandbyError(`the other host signs in term ${this.laterTerm}`)
    if (answer.isTaken) this.fault = null
    if (answer.isGranted) this.leasedAt = askedAt
    return answer
  }

  /** Brings the shorter journal up to date. Returns whether the other host's journal now equals ours. */
  private async exchange(lines: readonly string[]): Promise<boolean> {
    const { log } = this.journal
    const before = log.position()
    const answer = await this.ask(before, lines)
    if (answer.isTaken) return true
    if (answer.more && this.standing.isPaired) {
      log.write(answer.more)
      this.note(`took ${answer.more.length} lines that the other host has`)
      return false
    }
    const rest = log.since(answer.position)
    if (!rest)
      throw new JournalError(
        'the other host lacks more than this journal still tells: copy the journal of this one to it while both are stopped',
      )
    let at = answer.position
    for (let from = 0; from < rest.length; from += MAX_LINES) {
      const part = rest.slice(from, from + MAX_LINES)
      if (!(await this.ask(at, part)).isTaken) return false
      at = { ...at, lines: at.lines + part.length, head: part.reduce(headAfter, at.head) }
    }
    return rest.length > 0
  }

  private isLeased(): boolean {
    const { leasedAt } = this
    const { steady, wall } = this.now()
    const most = LEASE_MILLISECONDS - MARGIN_MILLISECONDS
    return leasedAt !== null && steady - leasedAt.steady < most && wall - leasedAt.wall < most
  }

  /** Grants the active host a lease if this journal has all its lines. */
  private grant({ term, host, end }: AppendRequest): boolean {
    const { standing } = this
    const isOf = standing.isPaired && standing.term === term && standing.host === host
    const isWhole = isOf && this.journal.mark().lines === end
    this.grantUntil = isWhole ? this.now().steady + LEASE_MILLISECONDS : null
    return isWhole
  }

  private begin(reason: string): void {
    this.grantUntil = null
    const term = this.standing.term + 1
    this.journal.log.write([lineOf({ term, host: this.host.name, isPaired: false })])
    this.note(`this host signs alone in term ${term}: ${reason}`)
  }

  private assertOther({ host, keys, before }: ReleaseRequest): void {
    if (host === this.host.name) throw new JournalError(`both hosts have the name ${host}`)
    if (keys !== this.host.keys) throw new JournalError('the two hosts have different keys')
    if (before.journal !== this.journal.mark().journal)
      throw new JournalError('the two hosts have different journals')
  }

  private note(message: string): void {
    if (message !== this.lastNote) this.log.warn({ host: this.host.name }, message)
    this.lastNote = message
  }
}
