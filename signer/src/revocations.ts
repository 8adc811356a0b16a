import { type Journal, openJournal } from './journal.ts'

/** Hashes in hex, of the secrets of collection offers, for which nothing is signed again. */
export interface Revocations {
  journal: Journal
  has(hash: string): boolean
  /** Returns once they are on the disk. Throws where they cannot be written. */
  add(hashes: readonly string[]): Promise<void>
}

const LINE = /^revoked ([0-9a-f]{64})$/

/** Revocations in a journal. */
export function revocationsIn(file: string): Revocations {
  const known = new Set<string>()
  const journal = openJournal(file, {
    read(line) {
      const hash = LINE.exec(line)?.[1]
      if (hash) known.add(hash)
    },
  })
  return {
    journal,
    has(hash) {
      journal.catchUp()
      return known.has(hash)
    },
    add: (hashes) =>
      journal.append(() =>
        [...new Set(hashes)].filter((hash) => !known.has(hash)).map((hash) => `revoked ${hash}`),
      ),
  }
}
