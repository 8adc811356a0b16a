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

const onBlock = settlementsOnBlock(settlementKinds, pino({ level: 'silent' }))
const undo = (height: number) => inTransaction(sql, (tx) => onBlock.undo(tx, height))

/** Stores a settlement that claims coins, and confirms it in a block. */
async function confirm(coins: readonly ReturnType<typeof coin>[], height: number): Promise<string> {
  const [settlementId, settlementTxid] = [randomUUID(), txid()]
  await sql`
    insert into settlements (settlement_id, kind, settlement_txid, inscription_ids, transactions, state)
    values (${settlementId}, 'swap', ${settlementTxid}, '{}', '[]', 'broadcast')`
  await claim(coins, settlementId)
  const block = { height, transactions: [{ txid: settlementTxid }], seenAt: new Date(), minedAt: new Date() }
  await inTransaction(sql, (tx) => onBlock.apply(tx, block as never))
  return settlementId
}

it('releases the coins of a confirmed settlement', async () => {
  const one = coin()
  await confirm([one], 7)
  expect(await listClaimed(sql, [one])).toEqual([])
  await undo(7)
  expect(await listClaimed(sql, [one])).toEqual([one])
  expect(await claim([one])).toBe(false)
})

it('undoes a block whose settlement has a coin that another settlement has claimed since', async () => {
  const [one, two] = [coin(), coin()]
  const settlementId = await confirm([one, two], 9)
  const later = randomUUID()
  expect(await claim([one], later)).toBe(true)
  await undo(9)
  expect(
    await sql`select settlement_id, txid from settlement_coins where live and txid in ${sql([one.txid, two.txid])}`,
  ).toEqual(
    expect.arrayContaining([
      { settlementId: later, txid: one.txid },
      { settlementId, txid: two.txid },
    ]),
  )
})
