import { type Journal, openJournal } from './journal.ts'
import type { Revocation } from './requests.ts'

/** Revoked orders in the lines of a journal. */
export interface Revocations {
  journal: Journal
  has(id: string): boolean
  /** Returns once they are on the disk. Throws where they cannot be written. */
  add(revocations: readonly Revocation[]): Promise<void>
}

const LINE = /^revoked ([0-9a-f-]{36}|[0-9a-f]{64}) (\d{1,16})$/

/** Time for which an order stays revoked after it has expired, since the clocks of the hosts differ. */
const KEPT_MILLISECONDS = 86_400_000

/** The revoked orders that a journal knows. An order that has expired is forgotten a day later. */
export class Revoked {
  private readonly clock: () => number
  /** By id: when the order expires. */
  private readonly known = new Map<string, number>()

  constructor(clock: () => number) {
    this.clock = clock
  }

  /** Reads a line of the journal; ignores lines about other things. */
  read(line: string): void {
    const [, id, expiresAt] = LINE.exec(line) ?? []
    if (id) this.known.set(id, Math.max(Number(expiresAt), this.known.get(id) ?? 0))
  }

  has(id: string): boolean {
    return this.known.has(id)
  }

  /** The lines that say what is not known yet. */
  linesFor(revocations: readonly Revocation[]): string[] {
    const added = revocations.filter(({ id, expiresAt }) => (this.known.get(id) ?? -1) < expiresAt)
    return [...new Set(added.map(({ id, expiresAt }) => `revoked ${id} ${expiresAt}`))]
  }

  /** Forgets orders that expired long ago; returns the lines that say the rest. */
  summary(): string[] {
    const since = this.clock() - KEPT_MILLISECONDS
    for (const [id, expiresAt] of this.known) if (expiresAt < since) this.known.delete(id)
    return [...this.known].map(([id, expiresAt]) => `revoked ${id} ${expiresAt}`)
  }
}

/** Revocations in a journal that holds nothing else: the guardian's. */
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
