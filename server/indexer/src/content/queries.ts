import { first, type Queryable } from '@ordbook/db/driver/connect.ts'

export interface ContentFacts {
  /** The inscription with the content, possibly a delegate. */
  contentId: string
  /** Block of the reveal, part of the cache key because content may differ after a reorg. Null before the index's base. */
  blockHash: string | null
  /** Where the body is: an index begun at `ord` has only what was inscribed later. Null if the inscription or delegate is not indexed. */
  bodyAt: 'index' | 'ord' | null
  contentType: string | null
  contentEncoding: string | null
  /** Inscribed size in bytes; null without content. */
  length: number | null
}

/** Returns the metadata of an inscription's content, or of its delegate's if `delegated`. Null if the inscription is unknown. */
export function findContentFacts(sql: Queryable, inscriptionId: string, delegated: boolean) {
  const contentId = delegated ? sql`coalesce(i.delegate_id, i.inscription_id)` : sql`i.inscription_id`
  return first(sql<ContentFacts[]>`
    select ${contentId} as content_id, b.block_hash, c.content_type, c.content_encoding, c.content_length as length,
      case when c.inscription_id is null then null when c.adopted_height is null then 'index' else 'ord' end as body_at
    from inscription_rows i
    left join inscription_rows c on c.inscription_id = ${contentId}
    left join blocks b on b.height = c.height
    where i.inscription_id = ${inscriptionId}`)
}

/** Returns part of an inscription's content; null if the index lacks it. */
export async function findContentPart(
  sql: Queryable,
  inscriptionId: string,
  part: { offset: number; bytes: number },
): Promise<Uint8Array | null> {
  const [row] = await sql<{ part: Uint8Array | null }[]>`
    select substring(body from ${part.offset + 1}::integer for ${part.bytes}::integer) as part
    from inscription_rows where inscription_id = ${inscriptionId}`
  return row?.part ?? null
}
