import { type CallSchema, Exactly, List } from '@ordbook/process/parse.ts'
import { HOST } from '@ordbook/signer/pair-state.ts'
import { Hash } from '@ordbook/signer/scalars.ts'
import { type Static, Type } from 'typebox'

/** Maximum lines per message. A call of the market writes at most half as many. */
export const MAX_LINES = 10_000

const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const Place = Exactly({ journal: Hash, lines: Count, head: Hash })
const Lines = List(Type.String({ pattern: '^[\\x20-\\x7e]{1,300}$' }), MAX_LINES)

/** The sender's name, keys, term, and journal position before the lines. */
const sender = {
  host: Type.String({ pattern: `^${HOST}$` }),
  /** Hash of its public keys. */
  keys: Hash,
  term: Count,
  before: Place,
}
const AppendRequest = Exactly({
  ...sender,
  lines: Lines,
  /** Number of lines in the sender's journal. A standby with fewer lines grants no lease. */
  end: Count,
})
const AppendAnswer = Exactly({
  term: Count,
  position: Place,
  /** The lines continued the standby's journal and are on its disk. */
  isTaken: Type.Boolean(),
  /** The standby does not take over until the granted lease expires. */
  isGranted: Type.Boolean(),
  /** Lines that the active host sent but did not write, because it was killed. */
  more: Type.Union([Lines, Type.Null()]),
})
const ReleaseRequest = Exactly(sender)

export const pairCalls = {
  append: { request: AppendRequest, answer: AppendAnswer },
  release: { request: ReleaseRequest, answer: Type.Boolean() },
} satisfies Record<string, CallSchema>

export type AppendRequest = Static<typeof AppendRequest>
export type AppendAnswer = Static<typeof AppendAnswer>
export type ReleaseRequest = Static<typeof ReleaseRequest>

/** The other host of a pair. */
export interface Peer {
  /** Appends lines of the active host; an empty list is a heartbeat. Throws JournalError if the journals conflict. */
  append(request: AppendRequest): Promise<AppendAnswer>
  /** Announces a shutdown. Returns whether the other host signs alone from now on. */
  release(request: ReleaseRequest): Promise<boolean>
}
