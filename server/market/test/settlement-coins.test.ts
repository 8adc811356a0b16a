import { randomUUID } from 'node:crypto'
import { connect, inTransaction, type Sql } from '@ordbook/db/driver/connect.ts'
import { migrate } from '@ordbook/db/schema/migrate.ts'
import { settlementKinds } from '@ordbook/market/settlement-kinds.ts'
import { settlementsOnBlock } from '@ordbook/market/settlements/on-block.ts'
import { claimCoins, listClaimed } from '@ordbook/market/settlements/queries.ts'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freshDatabase } from '../../../e2e/support/market.ts'

let sql: Sql
beforeAll(async () => {
  sql = connect(await freshDatabase(), { max: 2 })
  await migrate(sql)
})
afterAll(() => sql?.end())

const txid = () => randomUUID().replaceAll('-', '').repeat(2)
const coin = () => ({ txid: txid(), vout: 1 })
const claim = (coins: readonly ReturnType<typeof coin>[], settlementId = randomUUID()) =>
  inTransaction(sql, (tx) => claimCoins(tx, settlementId, coins))

it('claimCoins returns false for a claimed coin', async () => {
  const [one, two] = [coin(), coin()]
  expect(await claim([one])).toBe(true)
  expect(await claim([one])).toBe(false)
  expect(await claim([two, one])).toBe(false)
})

it('claimCoins succeeds for one of two settlements', async () => {
  const one = coin()
  expect((await Promise.all([claim([one]), claim([one])])).toSorted()).toEqual([false, true])
})

it('releases the coins of a confirmed settlement', async () => {
  const [one, settlementId, settlementTxid] = [coin(), randomUUID(), txid()]
  await sql`
    insert into settlements (settlement_id, kind, settlement_txid, inscription_ids, transactions, state)
    values (${settlementId}, 'swap', ${settlementTxid}, '{}', '[]', 'broadcast')`
  await claim([one], settlementId)
  const onBlock = settlementsOnBlock(settlementKinds, pino({ level: 'silent' }))
  const height = 7
  const block = { height, transactions: [{ txid: settlementTxid }], seenAt: new Date(), minedAt: new Date() }

  await inTransaction(sql, (tx) => onBlock.apply(tx, block as never))
  expect(await listClaimed(sql, [one])).toEqual([])
  await inTransaction(sql, (tx) => onBlock.undo(tx, height))
  expect(await listClaimed(sql, [one])).toEqual([one])
  expect(await claim([one])).toBe(false)
})
