import { type Journal, openJournal } from './journal.ts'
import type { Revocation } from './requests.ts'

export interface Revocations {
  journal: Journal
  has(id: string): boolean
  /** Resolves once the revocations are on disk. Throws if they cannot be written. */
  add(revocations: readonly Revocation[]): Promise<void>
}

const LINE = /^revoked ([0-9a-f-]{36}|[0-9a-f]{64}) (\d{1,16})$/

/** Time that an expired order stays revoked, because clocks of hosts can differ. */
const KEPT_MILLISECONDS = 86_400_000

/** Revoked orders in a journal. Orders are removed a day after they expire. */
export class Revoked {
  private readonly clock: () => number
  /** Expiry by id. */
  private readonly known = new Map<string, number>()

  constructor(clock: () => number) {
    this.clock = clock
  }

  read(line: string): void {
    const [, id, expiresAt] = LINE.exec(line) ?? []
    if (id) this.known.set(id, Math.max(Number(expiresAt), this.known.get(id) ?? 0))
  }

  has(id: string): boolean {
    return this.known.has(id)
  }

  /** Returns lines for revocations that are not recorded yet. */
  linesFor(revocations: readonly Revocation[]): string[] {
    const added = revocations.filter(({ id, expiresAt }) => (this.known.get(id) ?? -1) < expiresAt)
    return [...new Set(added.map(({ id, expiresAt }) => `revoked ${id} ${expiresAt}`))]
  }

  /** Removes orders that expired long ago. Returns the lines of the others. */
  summary(): string[] {
    const since = this.clock() - KEPT_MILLISECONDS
    for (const [id, expiresAt] of this.known) if (expiresAt < since) this.known.delete(id)
    return [...this.known].map(([id, expiresAt]) => `revoked ${id} ${expiresAt}`)
  }
}

/** Opens a journal with only revocations: the guardian's. */
export function revocationsIn(
  file: string,
  clock: () => number = Date.now,
  enoughBytes?: number,
): Revocations {
  const revoked = new Revoked(clock)
  const reader = { read: (line: string) => revoked.read(line), summary: () => revoked.summary() }
  const journal = openJournal(file, reader, enoughBytes)
  return {
    journal,
    has(id) {
      journal.catchUp()
      return revoked.has(id)
    },
    add: (revocations) => journal.append(() => revoked.linesFor(revocations)),
  }
}
