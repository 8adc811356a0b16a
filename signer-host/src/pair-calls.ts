import { type CallSchema, Exactly, List } from '@ordbook/process/parse.ts'
import { HOST } from '@ordbook/signer/pair-state.ts'
import { Hash } from '@ordbook/signer/scalars.ts'
import { type Static, Type } from 'typebox'

/** Most lines in one message between the hosts of a pair: a call of the market makes half as many at most. */
export const MOST_LINES = 10_000

const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const Place = Exactly({ journal: Hash, lines: Count, head: Hash })
const Lines = List(Type.String({ pattern: '^[\\x20-\\x7e]{1,300}$' }), MOST_LINES)

/** The side of a host that signs: its name, its keys, its term, and its journal before the lines. */
const said = {
  host: Type.String({ pattern: `^${HOST}$` }),
  /** A hash of its public keys. */
  keys: Hash,
  term: Count,
  before: Place,
}
const AppendRequest = Exactly({
  ...said,
  lines: Lines,
  /** Lines of the whole journal: a standby that has less grants nothing. */
  end: Count,
})
const AppendAnswer = Exactly({
  term: Count,
  position: Place,
  /** The lines went on from the journal of the standby, and are on its disk. */
  isTaken: Type.Boolean(),
  /** The standby does not begin before the lease of this answer has run out. */
  isGranted: Type.Boolean(),
  /** Lines that the standby has and the host that signs has not: it was killed before it wrote them. */
  more: Type.Union([Lines, Type.Null()]),
})
const ReleaseRequest = Exactly(said)

/** Every call between the two hosts of a pair. */
export const pairCalls = {
  append: { request: AppendRequest, answer: AppendAnswer },
  release: { request: ReleaseRequest, answer: Type.Boolean() },
} satisfies Record<string, CallSchema>

export type AppendRequest = Static<typeof AppendRequest>
export type AppendAnswer = Static<typeof AppendAnswer>
export type ReleaseRequest = Static<typeof ReleaseRequest>

/** A host, as the other one of its pair asks it. */
export interface Peer {
  /** Takes lines of the host that signs, none to say that it is there. Throws JournalError where the journals say different things. */
  append(request: AppendRequest): Promise<AppendAnswer>
  /** The other host stops: this one may sign without it. Gives whether it does. */
  release(request: ReleaseRequest): Promise<boolean>
}
