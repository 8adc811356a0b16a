import { type AddressNetwork, addressOfScript } from '@ordbook/bitcoin/address.ts'
import { formatOutpoint, LOST } from '@ordbook/bitcoin/outpoint.ts'
import type { Sql } from '@ordbook/db/driver/connect.ts'
import { type Attributes, readProperties } from '@ordbook/indexer/inscriptions/properties.ts'
import { describeRelative } from '@ordbook/indexer/recursion/recursive-answers.ts'
import type { RecursiveRow } from '@ordbook/indexer/recursion/recursive-queries.ts'

interface Row extends RecursiveRow {
  contentType: string | null
  contentLength: number | null
  effectiveContentType: string | null
  metaprotocol: string | null
  properties: Uint8Array | null
  propertyEncoding: string | null
  parentIds: string[]
  childCount: number
  children: string[]
  next: string | null
  previous: string | null
}

/** Returns inscriptions of the index in the format of ord's `/inscription/ID`, ordered by sequence. */
export async function ordInscriptions(
  sql: Sql,
  ids: readonly string[],
  [chain, network]: readonly [string, AddressNetwork] = ['regtest', 'regtest'],
) {
  const rows = await sql<Row[]>`
    select i.inscription_id, i.sequence, i.inscription_number, i.height, i.inscribed_at, i.fee_sats, i.sat, i.txid, i.vout,
      i.sat_offset, i.output_value_sats, i.owner_script, i.born_in, i.cursed, i.vindicated, i.unbound, i.reinscription,
      i.content_type, i.content_length::int8 as content_length, i.metaprotocol, i.properties, i.property_encoding, i.parent_ids,
      case when d.sequence is null then i.content_type else d.content_type end as effective_content_type,
      (select count(*) from inscription_rows c
        where c.parent_ids <> '{}' and c.parent_ids @> array[i.inscription_id]) as child_count,
      array(select c.inscription_id from inscription_rows c
        where c.parent_ids <> '{}' and c.parent_ids @> array[i.inscription_id] order by c.sequence limit 4) as children,
      (select n.inscription_id from inscription_rows n where n.sequence = i.sequence + 1) as next,
      (select n.inscription_id from inscription_rows n where n.sequence = i.sequence - 1) as previous
    from inscriptions i left join inscription_rows d on d.inscription_id = i.delegate_id
    where i.inscription_id = any(${ids as string[]}::text[]) order by i.sequence`
  return rows.map((row) => {
    // Here ord also marks inscriptions that were lost after the reveal.
    const bornIn = formatOutpoint(row) === formatOutpoint(LOST) ? 'lost' : row.bornIn
    const { output, ...described } = describeRelative({ ...row, bornIn }, chain)
    const { gallery, ...attributes } = readProperties(row.properties, row.propertyEncoding)
    return {
      ...described,
      address: row.ownerScript && addressOfScript(row.ownerScript, network),
      child_count: Number(row.childCount),
      children: row.children,
      content_length: row.contentLength,
      content_type: row.contentType,
      effective_content_type: row.effectiveContentType,
      metaprotocol: row.metaprotocol,
      next: row.next,
      // ord lists the first four.
      parents: row.parentIds.slice(0, 4),
      previous: row.previous,
      properties: {
        gallery: gallery.map((item) => ({ id: item.inscriptionId, attributes: describeAttributes(item) })),
        attributes: describeAttributes(attributes),
      },
      rune: null,
      value: row.outputValueSats,
    }
  })
}

const describeAttributes = ({ title, traits }: Attributes) => ({
  title,
  traits: Object.fromEntries(traits.map(({ type, value }) => [type, value])),
})
