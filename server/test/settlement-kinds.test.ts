import { randomUUID } from 'node:crypto'
import { connect, type Sql } from '@ordbook/server/db/connect.ts'
import { migrate } from '@ordbook/server/db/migrate.ts'
import { settlementKinds } from '@ordbook/server/settlement-kinds.ts'
import { insertBacking } from '@ordbook/server/settlements/backing-queries.ts'
import { type DependentOrders, deleteFinishedBacking } from '@ordbook/server/settlements/dependent-orders.ts'
import { SettlementKinds } from '@ordbook/server/settlements/kinds.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freshDatabase } from '../../e2e/support/market.ts'

let sql: Sql
beforeAll(async () => {
  sql = connect(await freshDatabase(), { max: 1 })
  await migrate(sql)
})
afterAll(() => sql?.end())

it('has handlers for each row of settlement_kinds, and no others', async () => {
  const rows = await sql<{ name: string }[]>`select name from settlement_kinds`
  expect(settlementKinds.names.toSorted()).toEqual(rows.map((row) => row.name).toSorted())
})

it('refuses a settlement of a kind that no migration inserted', async () => {
  await expect(sql`
    insert into settlements (settlement_id, kind, settlement_txid, inscription_ids, transactions, state)
    values (${randomUUID()}, 'barter', ${'00'.repeat(32)}, '{}', '[]', 'intended')`).rejects.toThrow(
    'settlements_kind_fkey',
  )
})

it('names a settlement of a kind that newer code wrote', () => {
  expect(() => settlementKinds.of({ settlementId: 'b7', kind: 'barter' })).toThrow(
    'settlement b7 is of the kind barter, which this code does not know',
  )
})

it('asks dependent orders once that two kinds share', () => {
  const [, offer, counter] = ['purchase', 'offer', 'counter'].map((kind) =>
    settlementKinds.of({ settlementId: 'b7', kind }),
  )
  expect(counter!.orders).toEqual(offer!.orders)
  expect(new SettlementKinds([offer!, counter!]).orders).toEqual(offer!.orders)
  expect(settlementKinds.orders).toHaveLength(4)
})

it('deletes the coins of finished orders alone', async () => {
  const [finished, live] = [randomUUID(), randomUUID()]
  await sql.begin(async (tx) => {
    for (const id of [finished, live]) await insertBacking(tx, id, [{ txid: 'aa'.repeat(32), vout: 0 }])
  })
  const orders: Pick<DependentOrders, 'listFinished'> = { listFinished: async () => [finished] }
  await deleteFinishedBacking(sql, [orders], new Date())
  expect(await sql`select offer_id from backing_coins`).toEqual([{ offerId: live }])
})
