import { ConfigError } from '@ordbook/db/settings/config.ts'
import { startOf } from './chain.ts'
import type { SignedHead } from './copy.ts'
import { readLog, type Summary } from './read.ts'

/** Verifies a complete log. Throws ConfigError if lines were changed, removed or reordered. */
export function verifyLog(file: string): Promise<Summary> {
  return readLog(file, async ({ header, changes }) => {
    let last = { position: 0, hash: startOf(header.network) }
    for await (const change of changes) last = change
    return { header, changes: last.position, head: last.hash }
  })
}

export interface Comparison {
  /** Number of equal changes. */
  alike: number
  /** The first different change in both copies, or null. */
  differing: { ours: object; theirs: object } | null
  /** Number of further changes in each copy. */
  more: { ours: number; theirs: number }
  /** The signed heads; null unless the log is a mirror's copy. */
  signed: { ours: SignedHead | null; theirs: SignedHead | null }
  /** Whether one market signed both histories. */
  isTwoFaced: boolean
}

/** Compares two complete logs of the same network. Throws ConfigError. */
export function compareLogs(ours: string, theirs: string): Promise<Comparison> {
  return readLog(ours, (a) =>
    readLog(theirs, async (b) => {
      if (a.header.network !== b.header.network)
        throw new ConfigError(
          `${ours} is for network ${a.header.network}, but ${theirs} is for network ${b.header.network}`,
        )
      const found: Comparison = {
        alike: 0,
        differing: null,
        more: { ours: 0, theirs: 0 },
        signed: { ours: a.signed, theirs: b.signed },
        isTwoFaced: false,
      }
      for (;;) {
        const [left, right] = [await a.changes.next(), await b.changes.next()]
        if (left.done && right.done) return found
        if (!left.done && !right.done && !found.differing) {
          if (left.value.hash === right.value.hash) {
            found.alike++
            continue
          }
          found.differing = { ours: left.value.change, theirs: right.value.change }
          // Both copies end at their signed heads, so the two signatures prove the difference.
          found.isTwoFaced = a.signed !== null && b.signed !== null && a.header.market === b.header.market
        }
        if (!left.done) found.more.ours++
        if (!right.done) found.more.theirs++
      }
    }),
  )
}
