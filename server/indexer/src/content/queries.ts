import { first, type Queryable } from '@ordbook/db/driver/connect.ts'

/** Facts about an inscription's content that need none of its bytes. */
export interface ContentFacts {
  /** The inscription whose content it is: the delegate, where there is one. */
  contentId: string
  /** The block of its reveal; a reveal that another block holds may carry other bytes. Null where the index began later. */
  blockHash: string | null
  contentType: string | null
  contentEncoding: string | null
  /** Bytes as inscribed; null where the index has none. */
  length: number | null
}

/** Facts of the content of an inscription, through its delegate where `delegated`; null where it is unknown. */
export function findContentFacts(sql: Queryable, inscriptionId: string, delegated: boolean) {
  return first(sql<ContentFacts[]>`
    select c.inscription_id as content_id, b.block_hash, c.content_type, c.content_encoding, length(c.body) as length
    from inscriptions i
    join inscriptions c
      on c.inscription_id = ${delegated ? sql`coalesce(i.delegate_id, i.inscription_id)` : sql`i.inscription_id`}
    left join blocks b on b.height = c.height
    where i.inscription_id = ${inscriptionId}`)
}

/** Part of an inscription's bytes, from an offset on; null where the index has none. */
export async function findContentPart(
  sql: Queryable,
  inscriptionId: string,
  part: { offset: number; bytes: number },
): Promise<Uint8Array | null> {
  const [row] = await sql<{ part: Uint8Array | null }[]>`
    select substring(body from ${part.offset + 1}::integer for ${part.bytes}::integer) as part
    from inscriptions where inscription_id = ${inscriptionId}`
  return row?.part ?? null
}
