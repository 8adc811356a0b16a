import type { Queryable } from '@ordbook/db/driver/connect.ts'
import { missing, unacceptable, unavailable } from '@ordbook/db/process/errors.ts'
import { canDecode, decode } from '@ordbook/http/limits/encoding.ts'
import { fetchBody } from '../adoption/facts.ts'
import { revealsOf } from '../adoption/reveals.ts'
import type { Ord, OrdContent } from '../ord/ord.ts'
import { type ContentFacts, findContentPart } from './queries.ts'
import type { Loaded, Source } from './store.ts'

/** Maximum size to decode or fetch from ord. A block holds at most 4 MB. */
const MAX_BYTES = 4_000_000
/** Maximum memory to read a reveal transaction, which arrives in hex, or then to decode its content. */
const MAX_REVEAL_BYTES = 3 * MAX_BYTES
/** Bytes per query. Parsing more would block the event loop. */
const PART_BYTES = 1 << 20

export const NO_CONTENT = 'No inscription with this id has content.'

interface Origin {
  reads: Queryable
  ord: Ord | null
}

/** Returns the source of content that the index has, or has the facts of, as inscribed or decoded; null without content. */
export function sourceOf(origin: Origin, facts: ContentFacts, decoded: boolean): Source | null {
  const { contentId, contentEncoding, length, bodyAt } = facts
  const { reads, ord } = origin
  if (length === null || (bodyAt === 'ord' && !ord)) return null
  if (bodyAt === 'ord' && contentEncoding === null)
    return sourceAtOrd(ord!, `r/undelegated-content/${contentId}`)
  // ord decodes some encodings, and refuses others. The reveal has the content as inscribed.
  const inscribed =
    bodyAt === 'ord' ? () => revealedBytes(ord!, contentId) : () => readBytes(reads, contentId, length)
  const lane = bodyAt === 'ord' ? 'ord' : 'database'
  if (!decoded || contentEncoding === null || !canDecode(contentEncoding))
    return {
      lane,
      mostBytes: bodyAt === 'ord' ? MAX_REVEAL_BYTES : length,
      make: async () => ({ bytes: await inscribed() }),
    }
  return {
    lane,
    mostBytes: bodyAt === 'ord' ? MAX_REVEAL_BYTES : length + MAX_BYTES,
    make: async () => ({ bytes: await decode(contentEncoding, await inscribed(), MAX_BYTES) }),
  }
}

/** Returns the source of content that only `ord` knows, at a path of `ord`. */
export function sourceAtOrd(ord: Ord, path: string): Source {
  return { lane: 'ord', mostBytes: MAX_BYTES, make: () => contentAtOrd(ord, path) }
}

async function readBytes(reads: Queryable, contentId: string, length: number): Promise<Buffer> {
  const body = Buffer.allocUnsafeSlow(length)
  for (let offset = 0; offset < length; offset += PART_BYTES) {
    const bytes = Math.min(PART_BYTES, length - offset)
    const part = await findContentPart(reads, contentId, { offset, bytes })
    if (part?.length !== bytes)
      throw unavailable('server-busy', 'The content was removed from the index while it was read. Try again.')
    body.set(part, offset)
  }
  return body
}

/** Throws instead of returning null, which would be cached: the ord server may have the content later. */
async function contentAtOrd(ord: Ord, path: string): Promise<Loaded> {
  const content = await ord.content(path, MAX_BYTES)
  if (content === null) throw missing('content-missing', NO_CONTENT)
  const bytes = content === 'unreadable' ? null : await decoded(content)
  if (content === 'unreadable' || !bytes)
    throw unacceptable('encoding-not-acceptable', 'The content cannot be decoded within 4 MB.')
  const type = content.contentType && Buffer.from(content.contentType, 'latin1').toString()
  return { bytes, type }
}

/** Returns null if the content cannot be decoded. `ord` sends an empty header for an empty encoding. */
async function decoded({ encoding, body }: OrdContent): Promise<Buffer | null> {
  if (!encoding) return body
  return canDecode(encoding) ? decode(encoding, body, MAX_BYTES) : null
}

async function revealedBytes(ord: Ord, contentId: string): Promise<Buffer> {
  const body = await fetchBody(revealsOf(null, ord), contentId)
  if (!body) throw missing('content-missing', NO_CONTENT)
  return Buffer.from(body)
}
