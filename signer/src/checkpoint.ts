import { Exactly } from '@ordbook/process/parse.ts'
import { type Static, Type } from 'typebox'
import { Hash } from './scalars.ts'

/** A journal's name and number of lines. */
export const Mark = Exactly({
  journal: Hash,
  lines: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
})
export type Mark = Static<typeof Mark>

/** The journal is wrong or incomplete. Nothing is signed until it is restored. */
export class JournalError extends Error {}

/** Throws JournalError if a journal differs from the journal in `seen`, or has fewer lines. */
export function assertCheckpoint(own: Mark, seen: Mark): void {
  if (own.journal !== seen.journal)
    throw new JournalError(
      `the journal is ${own.journal}, but the market has seen ${seen.journal}. Restore the journal that the market has seen. If this is a new process with new keys, move the keys and journals of the market to it`,
    )
  if (own.lines < seen.lines)
    throw new JournalError(
      `the journal has ${own.lines} lines, but the market has seen ${seen.lines}. Restore the whole file`,
    )
}

/** This host must not sign now, because the other host is active or must be reached first. Nothing was signed. Retry on either host. */
export class StandbyError extends Error {}
