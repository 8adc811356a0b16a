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
  MOST_LINES,
  type Peer,
  type ReleaseRequest,
} from './pair-calls.ts'

/** The time that a standby waits for the host that signs before it begins in its place. */
export const LEASE_MILLISECONDS = 3000
/** The host that signs counts its lease so much shorter, from the moment at which it asked for it. */
const MARGIN_MILLISECONDS = 1000
const BEAT_MILLISECONDS = 500
const TICK_MILLISECONDS = 100

/** This host: its name, and a hash of its public keys. */
export interface Host {
  name: string
  keys: string
  /** The setting by which the operator says that it signs alone. */
  setting: string
}

/** Two clocks, since one of them may stand still while a machine sleeps, and the other may be set. */
const clocks = () => ({ steady: performance.now(), wall: Date.now() })

const isSame = (one: Position, other: Position) =>
  one.journal === other.journal && one.lines === other.lines && one.head === other.head

/**
 * One of two hosts with the same keys, of which one signs. The journal says which (standing.ts). While it says `paired`, each line
 * is on the disk of the other host before it is on this one's, and so before its answer leaves: the journal of the host that signs
 * is never longer than the standby's by a line that anything rests on. The host that signs holds a lease, which each answer of the
 * standby renews. Without it, it signs nothing. A standby begins a term of its own once the lease that it gave has run out, where it
 * had the whole journal while it gave it. It signs alone (`alone`) until the other host has caught up with it. A host that starts
 * again, whichever it was, hears from the other one first, unless it signed alone.
 */
export class Pair implements Peer {
  private readonly journal: Journal
  private readonly host: Host
  private readonly peer: Peer
  private readonly log: Logger
  private readonly now: typeof clocks
  private readonly timers: NodeJS.Timeout[] = []
  /** As the host that signs: when it asked for the lease that it holds. */
  private leasedAt: ReturnType<typeof clocks> | null = null
  /** As the host that signs: a later term of the other host, of which this journal does not know yet. */
  private laterTerm = 0
  /** As the standby with the whole journal: until when it does not begin. */
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

  /** Begins a term without the other host, which the operator has stopped, where `term` is the last one. */
  beginAlone(term: number): void {
    if (this.standing.term === term) this.begin('by word of the operator')
  }

  /** Beats and looks at leases until `leave`. */
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

  /** Hands over to the other host, as far as it answers, and signs nothing from then on. */
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
    // A standby keeps its turn free: the other host may be in the middle of a line.
    await (standing.host === this.host.name ? this.journal.inTurn(release) : release())
  }

  /** Throws StandbyError where this host does not sign now, JournalError where the two journals say different things. */
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

  /** The part of this host in the pair. It is ready where it signs, and where it would at once if the other host ended. */
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

  /** Whether the other host has all that this one answers. */
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
      more: isAhead ? (log.since(request.before)?.slice(0, MOST_LINES) ?? null) : null,
    }
  }

  release(request: ReleaseRequest): Promise<boolean> {
    return this.journal.inTurn(async () => {
      this.assertOther(request)
      const { term, host, isPaired } = this.standing
      if (this.isLeaving || request.term !== term || !isSame(request.before, this.journal.log.position()))
        return false
      if (host === this.host.name && !isPaired) return true
      // A standby that started again since may lack what the other one signed alone; this place says that it does not.
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
        // This host first: a standby that knew of it alone could begin while this one signs alone.
        this.journal.log.write([lineOf({ ...this.standing, isPaired: true })])
        await this.exchange([])
        this.note(`the other host stands by in term ${this.standing.term}`)
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error)
        if (error instanceof JournalError) this.fault = message
        this.note(message)
      }
    })
  }

  /** Begins where the lease of the other host has run out. */
  tick(): void {
    const { steady } = this.now()
    // This process was held up: the messages that wait for it come first.
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

  /** One message of the host that signs. */
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

  /** Makes both journals the same, whichever is longer. Gives whether they are. */
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
    for (let from = 0; from < rest.length; from += MOST_LINES) {
      const part = rest.slice(from, from + MOST_LINES)
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

  /** Gives the host that signs a lease, where this one has all that it answers. */
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
