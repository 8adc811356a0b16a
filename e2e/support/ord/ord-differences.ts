import { isDeepStrictEqual } from 'node:util'
import type { AddressNetwork } from '@ordbook/bitcoin/address.ts'
import type { Sql } from '@ordbook/db/driver/connect.ts'
import { ordInscriptions } from './ord-inscriptions.ts'
import { type Answer, answerAt, recursivePathsOf } from './recursive-paths.ts'

const LOST = `${'0'.repeat(64)}:4294967295`

export interface Accepted {
  reason: string
  /** Returns ord's answer as the index has it, or null if the reason does not apply. */
  adapt: (path: string, ours: Answer, theirs: Answer) => Answer | null
}

/** Removes the runes of an output. */
export const withoutRunes: Accepted['adapt'] = (path, _, { status, body }) =>
  path.startsWith('/r/utxo/') && status === 200 && (body as { runes: unknown }).runes !== null
    ? { status, body: { ...(body as object), runes: null } }
    : null

/** All differences from ord's answers that are intended (docs/reference/recursion.md). */
const ACCEPTED: readonly Accepted[] = [
  {
    reason: 'the index has no runes',
    adapt: withoutRunes,
  },
  {
    reason: 'data of a lost inscription instead of 404',
    adapt: (path, ours, theirs) => {
      const isLost = (ours.body as { output?: string } | null)?.output === LOST
      return path.startsWith('/r/inscription/') && isLost && theirs.status === 404 ? ours : null
    },
  },
  {
    reason: 'application/octet-stream instead of a media type that is empty',
    adapt: (_, ours, theirs) =>
      theirs.type?.trim() === '' && ours.type === 'application/octet-stream'
        ? { ...theirs, type: ours.type }
        : null,
  },
  {
    reason: 'no empty Content-Encoding header',
    adapt: (_, ours, theirs) =>
      theirs.encoding === '' && ours.encoding === null ? { ...theirs, encoding: null } : null,
  },
  {
    reason: 'content decoded for clients that do not accept its encoding, instead of 406',
    adapt: (_, ours, theirs) =>
      theirs.status === 406 && ours.status === 200 && ours.encoding === null ? ours : null,
  },
]

export interface Comparison {
  pairs: number
  /** Number of accepted differences by reason. */
  accepted: Record<string, number>
  differences: Difference[]
}

export interface Difference {
  path: string
  ours: Answer
  theirs: Answer
}

/** Describes a difference by the members that differ. */
export function describeDifference({ path, ours, theirs }: Difference): string {
  const members = (answer: Answer): Record<string, unknown> => ({
    ...answer,
    ...(answer.body !== null && typeof answer.body === 'object' ? answer.body : {}),
    ...(ours.status === theirs.status && typeof answer.body === 'object' ? { body: undefined } : {}),
  })
  const [our, their] = [members(ours), members(theirs)]
  const names = Object.keys({ ...our, ...their }).filter((name) => !isDeepStrictEqual(our[name], their[name]))
  const text = (value: unknown) => String(JSON.stringify(value)).slice(0, 300)
  return `${path}: ${names.map((name) => `${name} is ${text(our[name])}, ord has ${text(their[name])}`).join('; ')}`
}

export type Answers = (path: string) => Promise<Answer>

/** Returns the answers of a server for its index. `/inscription/ID`, which only ord serves, is read from the database. */
export async function answersOf(
  url: string,
  sql: Sql,
  networks?: readonly [string, AddressNetwork],
): Promise<{ paths: string[]; answer: Answers }> {
  const rows = await sql<
    { inscriptionId: string }[]
  >`select inscription_id from inscription_rows order by sequence`
  const ids = rows.map((row) => row.inscriptionId)
  const inscriptions = new Map<string, Answer>()
  for (let at = 0; at < ids.length; at += 500)
    for (const body of await ordInscriptions(sql, ids.slice(at, at + 500), networks))
      inscriptions.set(`/inscription/${body.id}`, { status: 200, body })
  return {
    paths: [...inscriptions.keys(), '/inscriptions', ...(await recursivePathsOf(sql))],
    answer: async (path) =>
      path === '/inscriptions' ? latest(ids) : (inscriptions.get(path) ?? answerAt(url, path)),
  }
}

/** The last page of all inscriptions. */
const latest = (ids: readonly string[]): Answer => ({
  status: 200,
  body: { ids: ids.slice(-100).reverse(), more: ids.length > 100, page_index: 0 },
})

/** Returns the answers of an ord server. Content that it compresses although it is not inscribed so is requested without. */
export const answersOfOrd =
  (url: string): Answers =>
  async (path) => {
    const asked = await answerAt(url, path)
    const plain = asked.encoding ? await answerAt(url, path.split('#')[0]!) : asked
    const answer = plain.status === 200 ? plain : asked
    return path.startsWith('/inscription/') ? withTexts(answer) : answer
  }

/** The index has the values of traits as text. */
function withTexts({ status, body }: Answer): Answer {
  if (status !== 200) return { status, body }
  const inscription = body as { properties: { gallery: { attributes: Traits }[]; attributes: Traits } }
  const { gallery, attributes } = inscription.properties
  for (const { traits } of [attributes, ...gallery.map((item) => item.attributes)])
    for (const [type, value] of Object.entries(traits)) traits[type] = String(value)
  return { status, body }
}

interface Traits {
  traits: Record<string, unknown>
}

/** Compares answers path by path, several at a time. `differences` are intended. */
export async function compareAnswers(
  paths: readonly string[],
  ours: Answers,
  theirs: Answers,
  differences: readonly Accepted[] = ACCEPTED,
): Promise<Comparison> {
  const comparison: Comparison = { pairs: 0, accepted: {}, differences: [] }
  const waiting = paths.values()
  const work = async () => {
    for (const path of waiting) {
      const [our, their] = await Promise.all([ours(path), theirs(path)])
      comparison.pairs++
      let adapted = their
      for (const { reason, adapt } of differences) {
        if (isDeepStrictEqual(our, adapted)) break
        const next = adapt(path, our, adapted)
        if (!next) continue
        adapted = next
        comparison.accepted[reason] = (comparison.accepted[reason] ?? 0) + 1
      }
      if (!isDeepStrictEqual(our, adapted)) comparison.differences.push({ path, ours: our, theirs: their })
    }
  }
  await Promise.all(Array.from({ length: 8 }, work))
  return comparison
}
