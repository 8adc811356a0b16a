import { readFileSync } from 'node:fs'
import pg from 'pg'

/** Parameter of the statement that starts the follower's transactions. */
const LOCK = { text: 'select pg_advisory_xact_lock($1)', value: '7281004' }

export interface CrashPoint {
  /** The crash is at the n-th statement of the follower's transactions, from 1. */
  at: number
  /** Before the statement is sent, or afterwards without waiting for the response. */
  when: 'before' | 'sent'
}

interface Client {
  connectionParameters: { application_name?: string }
  connection: { stream: { destroy(): void } }
}

/** Counts the statements of the follower's transactions in this process, and calls `crash` at one of them. */
export class Statements {
  readonly texts: string[] = []
  private readonly original = pg.Client.prototype.query
  private readonly indexing = new WeakSet<object>()
  private readonly clients = new Set<Client>()
  private readonly point: CrashPoint | null
  private readonly crash: () => void
  private isDead = false
  hasCrashed = false

  constructor(point: CrashPoint | null, crash: (statements: Statements) => void) {
    this.point = point
    this.crash = () => {
      this.hasCrashed = true
      crash(this)
    }
    const { original } = this
    const before = (client: object, command: unknown) => this.before(client as Client, command)
    pg.Client.prototype.query = function (this: pg.Client, ...args: Parameters<typeof original>) {
      const after = before(this, args[0])
      const result = original.apply(this, args)
      after()
      return result
    } as typeof original
  }

  /** Ends the connections of the follower, and all later ones at their first statement. */
  endConnections(): void {
    this.isDead = true
    for (const { connection } of this.clients) connection.stream.destroy()
  }

  remove(): void {
    pg.Client.prototype.query = this.original
  }

  private before(client: Client, command: unknown): () => void {
    const nothing = () => {}
    if (!client.connectionParameters.application_name?.startsWith('ordbook follower')) return nothing
    this.clients.add(client)
    if (this.isDead) this.endConnections()
    const { text, values } = command as { text: string; values?: string[] }
    if (text === LOCK.text && String(values?.[0]) === LOCK.value) this.indexing.add(client)
    if (!this.indexing.has(client)) return nothing
    this.texts.push(text)
    if (text === 'commit' || text === 'rollback') this.indexing.delete(client)
    if (this.hasCrashed || this.texts.length !== this.point?.at) return nothing
    if (this.point.when === 'sent') return this.crash
    this.crash()
    return nothing
  }
}

/** Sends a signal and blocks this thread until the process has ended. */
export function endNow(pid: number, signal: NodeJS.Signals): void {
  const wait = new Int32Array(new SharedArrayBuffer(4))
  process.kill(pid, signal)
  for (;;) {
    try {
      if (/^\d+ \(.*\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))) return
    } catch {
      return
    }
    Atomics.wait(wait, 0, 0, 2)
  }
}
