import { inTransaction, type Sql } from '../db/connect.ts'

/** Moved whenever a card is rendered otherwise than before: what older servers rendered is then dropped at start. */
const FORMAT = 3

/** Drops every rendered card where this server would render them otherwise. */
export async function resetCards(sql: Sql, shownChain: string): Promise<void> {
  const now = `${FORMAT} ${shownChain}`
  await inTransaction(sql, async (tx) => {
    await tx`insert into settings (name, value) values ('cards', ${now}) on conflict do nothing`
    const [row] = await tx<{ value: string }[]>`select value from settings where name = 'cards' for update`
    if (row!.value === now) return
    for (const table of ['listings', 'collection_items', 'sales', 'proposals', 'collection_floors'])
      await tx`update ${tx(table)} set card = null, card_version = card_version + 1 where card is not null`
    await tx`update settings set value = ${now} where name = 'cards'`
  })
}
