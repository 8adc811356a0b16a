import { type Fragment, inTransaction, type Queryable, type Sql } from '@ordbook/db/driver/connect.ts'
import { BETWEEN, type RenderedRow } from '@ordbook/http/responses/rendered-rows.ts'

/** Increment when the text of a rendered row changes. The next start then drops all older rows. */
const FORMAT = 5

/** Drops all rendered rows of another format or chain. */
export async function dropRenderedRows(sql: Sql, shownChain: string): Promise<void> {
  const version = `${FORMAT} ${shownChain}`
  await inTransaction(sql, async (tx) => {
    await tx`insert into settings (name, value) values ('rendered rows', ${version}) on conflict do nothing`
    const [row] = await tx<
      { value: string }[]
    >`select value from settings where name = 'rendered rows' for update`
    if (row!.value === version) return
    for (const table of [
      'listings',
      'collection_items',
      'sales',
      'proposals',
      'collection_floors',
      'offers',
      'collection_offers',
    ])
      await tx`update ${tx(table)} set rendered_row = null, rendered_version = rendered_version + 1 where rendered_row is not null`
    await tx`update settings set value = ${version} where name = 'rendered rows'`
  })
}

/** Stores rendered rows, except those whose version has changed. `keys` is the SQL array type of the key. */
export async function saveRenderedRows(
  sql: Queryable,
  table: Fragment,
  key: Fragment,
  keys: Fragment,
  rendered: readonly RenderedRow[],
): Promise<void> {
  await sql`
    update ${table} t set rendered_row = fresh.rendered_row
    from (
      select t.${key}, x.rendered_row
      from unnest(${rendered.map((each) => each.id)}::${keys}, ${rendered.map((each) => each.version)}::int[],
        ${rendered.map((each) => each.text)}::text[]) as x (id, version, rendered_row)
      join ${table} t on t.${key} = x.id and t.rendered_version = x.version and t.rendered_row is null
      for no key update of t skip locked
    ) fresh
    where t.${key} = fresh.${key}`
}

/** Columns of a slice of rendered rows, without `expires_at`. `keys` are the slice's `lastKeys`. */
export const sliceColumns = (sql: Queryable, keys: Fragment) => sql`
  string_agg(rendered_row, ${BETWEEN}) as rows, count(*) as row_count, bool_or(rendered_row is null) as stale,
  ${keys} as last_keys`

/** Column `collection_id` of a feed's filter. Null without a filter. */
export const filterColumn = (sql: Queryable, slug: string | null) =>
  slug === null
    ? sql`null::uuid as collection_id`
    : sql`(select collection_id from collections where slug = ${slug}) as collection_id`
