import type { Queryable } from '@ordbook/db/driver/connect.ts'
import { missing, unavailable } from '@ordbook/db/process/errors.ts'
import { canDecode, decode } from '@ordbook/http/limits/encoding.ts'
import type { Ord } from '../ord/ord.ts'
import { type ContentFacts, findContentPart } from './queries.ts'
import type { Source } from './store.ts'

/** Maximum size to decode or fetch from ord. A block holds at most 4 MB. */
const MAX_BYTES = 4_000_000
/** Bytes per query. Parsing more would block the event loop. */
const PART_BYTES = 1 << 20

export const NO_CONTENT = 'No inscription with this id has content.'

interface Origin {
  reads: Queryable
  ord: Ord | null
}

/** Returns the source of content, as inscribed or decoded; null if neither the index nor ord has it. */
export function sourceOf(origin: Origin, facts: ContentFacts, decoded: boolean): Source | null {
  const { contentId, contentEncoding, length } = facts
  const { reads, ord } = origin
  if (length === null)
    return ord && { lane: 'ord', mostBytes: MAX_BYTES, make: () => bytesAtOrd(ord, contentId) }
  const inscribed = () => readBytes(reads, contentId, length)
  if (!decoded || contentEncoding === null || !canDecode(contentEncoding))
    return { lane: 'database', mostBytes: length, make: inscribed }
  return {
    lane: 'database',
    mostBytes: length + MAX_BYTES,
    make: async () => decode(contentEncoding, await inscribed(), MAX_BYTES),
  }
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

/** Fetches content from ord without storing it. */
async function bytesAtOrd(ord: Ord, contentId: string): Promise<Buffer> {
  const content = await ord.content(contentId, MAX_BYTES)
  // Throw instead of returning null, which would be cached. The ord server may have the content later.
  if (!content) throw missing('content-missing', NO_CONTENT)
  return Buffer.from(content.body)
}
