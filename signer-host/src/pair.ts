import type { Readiness } from '@ordbook/process/health.ts'
import { JournalError, StandbyError } from '@ordbook/signer/checkpoint.ts'
import type { Journal } from '@ordbook/signer/journal.ts'
import { headAfter } from '@ordbook/signer/journal-files.ts'
import type { Position } from '@ordbook/signer/log.ts'
import { lineOf } from '@ordbook/signer/pair-state.ts'
import type { Logger } from 'pino'
import {
  type AppendAnswer,
  type AppendRequest,
  MAX_LINES,
  type Peer,
  type ReleaseRequest,
} from './pair-calls.ts'

/** Time that a standby waits before it takes over. */
export const LEASE_MILLISECONDS = 3000
/** The active host's lease is shorter by this margin, and starts at its request. */
const MARGIN_MILLISECONDS = 1000
const BEAT_MILLISECONDS = 500
const TICK_MILLISECONDS = 100

/** `keys` is a hash of the host's public keys. */
export interface Host {
  name: string
  keys: string
  /** Setting that forces a term on this host. */
  setting: string
}

/** The steady clock can stop while the machine sleeps, and the wall clock can be changed. */
const clocks = () => ({ steady: performance.now(), wall: Date.now() })

const isSame = (one: Position, other: Position) =>
  one.journal === other.journal && one.lines === other.lines && one.head === other.head

/**
 * One of two hosts with the same keys, of which only one signs. The journal records which one (pair-state.ts).
 *
 * In state `paired`, each line is written to the other host's disk, then to this host's, before the response is sent. So the standby has
 * every line that a signature depends on. The active host signs only while it has a lease, which each response of the standby renews.
 *
 * A standby begins a new term when its granted lease expires, if it had the whole journal when it granted the lease. It signs in state
 * `alone` until the other host catches up. A restarted host must reach the other host before it signs, unless its state was `alone`.
 */
export class Pair implements Peer {
  private readonly journal: Journal
  private readonly host: Host
  private readonly peer: Peer
  private readonly log: Logger
  private readonly now: typeof clocks
  private readonly timers: NodeJS.Timeout[] = []
  /** Active host: time of the request for its lease. */
  private leasedAt: ReturnType<typeof clocks> | null = null
  /** Active host: later term of the other host that is not in this journal yet. */
  private laterTerm = 0
  /** Earliest time at which a standby that has the whole journal takes over. */
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

  /** Starts a term without the other host, which the operator has stopped. Does nothing unless `term` is the latest. */
  beginAlone(term: number): void {
    if (this.state.term === term) this.begin('forced by the operator')
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

  /** Hands over to the other host if it responds. Afterwards, this host signs nothing. */
  async leave(): Promise<void> {
    this.isLeaving = true
    for (const timer of this.timers) clearInterval(timer)
    const { state } = this
    if (state.term === 0 || (state.host !== this.host.name && this.grantUntil === null)) return
    this.grantUntil = null
    const release = async () => {
      const isDone = await this.peer.release(this.identify()).catch(() => false)
      this.note(isDone ? 'the other host signs alone' : 'the other host does not take over')
    }
    // A standby must not wait for its journal: the other host may be appending to it.
    await (state.host === this.host.name ? this.journal.inTurn(release) : release())
  }

  /** Throws StandbyError if this host must not sign now, JournalError if the journals conflict. */
  assertActive(): void {
    if (this.fault) throw new JournalError(this.fault)
    const { term, host, isPaired } = this.state
    if (host !== this.host.name) throw new StandbyError(`${host || 'no host'} signs in term ${term}`)
    if (this.isLeaving) throw new StandbyError('this host is stopping')
    if (this.laterTerm > term) throw new StandbyError(`the other host signs in term ${this.laterTerm}`)
    if (isPaired && !this.isLeased())
      throw new StandbyError(
        `the other host has not responded. If it is permanently stopped, start this host once with ${this.host.setting}=${term}`,
      )
  }

  /** Ready if the host signs or can take over. */
  readiness(): Readiness {
    const { host, term, isPaired } = this.state
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
        reason: `${host || 'no host'} signs in term ${term}, and has not confirmed that this host has its whole journal`,
      }
    }
  }

  /** Returns true if the other host receives every line before a response. */
  isPaired(): boolean {
    return this.state.isPaired
  }

  async append(request: AppendRequest): Promise<AppendAnswer> {
    const { log } = this.journal
    this.assertOther(request)
    const { term, host } = this.state
    if (term > 0 && request.term === term && request.host !== host) {
      this.fault = `both hosts signed alone in term ${term}, so neither journal is complete and neither host signs`
      throw new JournalError(this.fault)
    }
    if (this.isLeaving) throw new StandbyError('this host is stopping')
    if (request.term > term) this.laterTerm = Math.max(this.laterTerm, request.term)
    const own = log.position()
    const isTaken = request.term >= term && isSame(request.before, own)
    if (isTaken && request.lines.length > 0) log.write(request.lines)
    const isGranted = isTaken && this.grant(request)
    const isAhead = !isTaken && request.term === term && own.lines > request.before.lines
    return {
      term: this.state.term,
      position: log.position(),
      isTaken,
      isGranted,
      more: isAhead ? (log.since(request.before)?.slice(0, MAX_LINES) ?? null) : null,
    }
  }

  release(request: ReleaseRequest): Promise<boolean> {
    return this.journal.inTurn(async () => {
      this.assertOther(request)
      const { term, host, isPaired } = this.state
      if (this.isLeaving || request.term !== term || !isSame(request.before, this.journal.log.position()))
        return false
      if (host === this.host.name && !isPaired) return true
      // A restarted standby may lack lines that the other host signed alone; equal positions rule this out.
      this.begin('the other host is stopping')
      return true
    })
  }

  /** Brings the other host up to date and renews the lease. */
  beat(): Promise<void> {
    return this.journal.inTurn(async () => {
      const { host, isPaired } = this.state
      if (host !== this.host.name || this.isLeaving) return
      try {
        const isTaken = await this.exchange([])
        if (!isTaken || isPaired) return
        // Write this line locally first. Otherwise the standby could take over while this host signs alone.
        this.journal.log.write([lineOf({ ...this.state, isPaired: true })])
        await this.exchange([])
        this.note(`the other host is on standby in term ${this.state.term}`)
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error)
        if (error instanceof JournalError) this.fault = message
        this.note(message)
      }
    })
  }

  /** Takes over if the granted lease has expired. */
  tick(): void {
    const { steady } = this.now()
    // This process was delayed. Handle pending messages first.
    if (this.grantUntil !== null && steady - this.tickedAt > MARGIN_MILLISECONDS)
      this.grantUntil = steady + LEASE_MILLISECONDS
    this.tickedAt = steady
    if (this.isLeaving || this.grantUntil === null || steady < this.grantUntil) return
    this.begin('the other host does not respond')
  }

  private get state() {
    return this.journal.log.standing()
  }

  private readonly identify = (): ReleaseRequest => ({
    host: this.host.name,
    keys: this.host.keys,
    term: this.state.term,
    before: this.journal.log.position(),
  })

  private async send(lines: readonly string[]): Promise<void> {
    this.assertActive()
    if (!this.state.isPaired) return
    const response = await this.requestAppend(this.journal.log.position(), lines)
    if (!response.isGranted) throw new StandbyError('the other host did not accept the lines')
  }

  private async requestAppend(before: Position, lines: readonly string[]): Promise<AppendAnswer> {
    const requestedAt = this.now()
    const sender = this.identify()
    const end = Math.max(sender.before.lines, before.lines + lines.length)
    const response = await this.peer.append({ ...sender, before, lines, end }).catch((error: unknown) => {
      if (error instanceof JournalError) throw error
      throw new StandbyError(`the other host is unavailable: ${(error as Error).message}`)
    })
    if (response.term > sender.term) this.laterTerm = Math.max(this.laterTerm, response.term)
    if (this.state.term !== sender.term || this.laterTerm > sender.term)
      throw new StandbyError(`the other host signs in term ${this.laterTerm}`)
    if (response.isTaken) this.fault = null
    if (response.isGranted) this.leasedAt = requestedAt
    return response
  }

  /** Exchanges missing lines. Returns whether the journals are now equal. */
  private async exchange(lines: readonly string[]): Promise<boolean> {
    const { log } = this.journal
    const before = log.position()
    const response = await this.requestAppend(before, lines)
    if (response.isTaken) return true
    if (response.more && this.state.isPaired) {
      log.write(response.more)
      this.note(`received ${response.more.length} missing lines from the other host`)
      return false
    }
    const rest = log.since(response.position)
    if (!rest)
      throw new JournalError(
        "the other host lacks lines that this journal no longer contains. Stop both hosts and copy this host's journal to the other",
      )
    let at = response.position
    for (let from = 0; from < rest.length; from += MAX_LINES) {
      const batch = rest.slice(from, from + MAX_LINES)
      if (!(await this.requestAppend(at, batch)).isTaken) return false
      at = { ...at, lines: at.lines + batch.length, head: batch.reduce(headAfter, at.head) }
    }
    return rest.length > 0
  }

  private isLeased(): boolean {
    const { leasedAt } = this
    const { steady, wall } = this.now()
    const most = LEASE_MILLISECONDS - MARGIN_MILLISECONDS
    return leasedAt !== null && steady - leasedAt.steady < most && wall - leasedAt.wall < most
  }

  /** Grants a lease to the active host if this journal has all its lines. */
  private grant({ term, host, end }: AppendRequest): boolean {
    const { state } = this
    const isActive = state.isPaired && state.term === term && state.host === host
    const isWhole = isActive && this.journal.mark().lines === end
    this.grantUntil = isWhole ? this.now().steady + LEASE_MILLISECONDS : null
    return isWhole
  }

  private begin(reason: string): void {
    this.grantUntil = null
    const term = this.state.term + 1
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
