import { randomUUID } from 'node:crypto'
import { connect, inTransaction, type Sql } from '@ordbook/db/driver/connect.ts'
import { migrate } from '@ordbook/db/schema/migrate.ts'
import {
  findSettlement,
  moveToBroadcast,
  moveToFailed,
  type SettlementState,
} from '@ordbook/market/settlements/queries.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freshDatabase } from '../../../e2e/support/market.ts'

let sql: Sql
beforeAll(async () => {
  sql = connect(await freshDatabase(), { max: 1 })
  await migrate(sql)
})
afterAll(() => sql?.end())

async function insert(): Promise<string> {
  const settlementId = randomUUID()
  await sql`
    insert into settlements (settlement_id, kind, settlement_txid, inscription_ids, transactions, state)
    values (${settlementId}, 'swap', ${'00'.repeat(32)}, '{}', '[]', 'intended')`
  return settlementId
}

const stateOf = async (settlementId: string) => (await findSettlement(sql, settlementId))?.state

it('fails a settlement only in the state that it was judged in', async () => {
  const fail = (settlementId: string, state: SettlementState) =>
    inTransaction(sql, (tx) => moveToFailed(tx, { settlementId, state }, 'rejected'))
  const sent = await insert()
  await inTransaction(sql, (tx) => moveToBroadcast(tx, sent, 1))
  expect(await fail(sent, 'intended')).toBe(false)
  expect(await stateOf(sent)).toBe('broadcast')
  expect(await fail(sent, 'broadcast')).toBe(true)
  expect(await stateOf(sent)).toBe('failed')

  const unsent = await insert()
  expect(await fail(unsent, 'broadcast')).toBe(false)
  expect(await fail(unsent, 'intended')).toBe(true)
  expect(await stateOf(unsent)).toBe('failed')
})
