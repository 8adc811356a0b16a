import { inTransaction, type Sql } from '../db/connect.ts'

/** Raise it with every change of a rendered row's text: the next start then drops the rows of older servers. */
const FORMAT = 3

/** Drops all rendered rows of another format than this server's. */
export async function dropRenderedRows(sql: Sql, shownChain: string): Promise<void> {
  const now = `${FORMAT} ${shownChain}`
  await inTransaction(sql, async (tx) => {
    await tx`insert into settings (name, value) values ('rendered rows', ${now}) on conflict do nothing`
    const [row] = await tx<
      { value: string }[]
    >`select value from settings where name = 'rendered rows' for update`
    if (row!.value === now) return
    for (const table of ['listings', 'collection_items', 'sales', 'proposals', 'collection_floors'])
      await tx`update ${tx(table)} set rendered_row = null, rendered_version = rendered_version + 1 where rendered_row is not null`
    await tx`update settings set value = ${now} where name = 'rendered rows'`
  })
}
