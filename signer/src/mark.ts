import { Exactly } from '@ordbook/process/parse.ts'
import { type Static, Type } from 'typebox'
import { Hash } from './scalars.ts'

/** The state of a journal: its name, and its number of lines. */
export const Mark = Exactly({
  journal: Hash,
  lines: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
})
export type Mark = Static<typeof Mark>

/** The journal is not the one that it has to be, or lacks lines. Nothing is signed until the right one is back. */
export class JournalError extends Error {}

/** Throws JournalError where a journal is another one than `seen`, or lacks lines that were there. */
export function assertMark(own: Mark, seen: Mark): void {
  if (own.journal !== seen.journal)
    throw new JournalError(
      `this journal is ${own.journal}, and its market has seen ${seen.journal}: put that one back`,
    )
  if (own.lines < seen.lines)
    throw new JournalError(
      `the journal has ${own.lines} lines, and its market has seen ${seen.lines}: put the whole file back`,
    )
}

/** Another host signs now, or this one has to hear from the other first: nothing was signed. It is asked again, here or there. */
export class StandbyError extends Error {}
