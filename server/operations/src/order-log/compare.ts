import { ConfigError } from '@ordbook/db/settings/config.ts'
import { startOf } from './chain.ts'
import type { SignedHead } from './copy.ts'
import { readLog, type Summary } from './read.ts'

/** Reads a log to its end. Throws ConfigError where it was changed, cut off or put in another order. */
export function verifyLog(file: string): Promise<Summary> {
  return readLog(file, async ({ header, changes }) => {
    let last = { position: 0, hash: startOf(header.network) }
    for await (const change of changes) last = change
    return { header, changes: last.position, head: last.hash }
  })
}

export interface Comparison {
  /** The number of changes that both copies have alike. */
  alike: number
  /** The first change in which they differ. */
  differing: { ours: object; theirs: object } | null
  /** Number of further changes in each copy. */
  more: { ours: number; theirs: number }
  /** The heads that the market signed, of mirrors' copies. */
  signed: { ours: SignedHead | null; theirs: SignedHead | null }
  /** One market signed both of them, and they differ: it told two histories. */
  isTwoFaced: boolean
}

/** Compares two logs of a network, each of which has to be whole. Throws ConfigError. */
export function compareLogs(ours: string, theirs: string): Promise<Comparison> {
  return readLog(ours, (a) =>
    readLog(theirs, async (b) => {
      if (a.header.network !== b.header.network)
        throw new ConfigError(
          `${ours} is of the network ${a.header.network}, ${theirs} of ${b.header.network}`,
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
          // Each copy ends at its signed head, so each head proves its side of the difference.
          found.isTwoFaced = a.signed !== null && b.signed !== null && a.header.market === b.header.market
        }
        if (!left.done) found.more.ours++
        if (!right.done) found.more.theirs++
      }
    }),
  )
}
