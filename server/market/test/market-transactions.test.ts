import { randomUUID } from 'node:crypto'
import { connect, inTransaction, type Sql } from '@ordbook/db/driver/connect.ts'
import { migrate } from '@ordbook/db/schema/migrate.ts'
import { writeTransaction } from '@ordbook/market/market-coins/pool.ts'
import { holdCoins } from '@ordbook/market/market-coins/queries.ts'
import { failMarketTransaction, findWritten } from '@ordbook/market/market-coins/transaction-queries.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freshDatabase } from '../../../e2e/support/market.ts'

let sql: Sql
beforeAll(async () => {
  sql = connect(await freshDatabase(), { max: 2 })
  await migrate(sql)
})
afterAll(() => sql?.end())

const txid = () => randomUUID().replaceAll('-', '').repeat(2)

async function makeCoin() {
  const coin = { txid: txid(), vout: 0 }
  await sql`insert into market_coins (txid, vout, value_sats, height) values (${coin.txid}, 0, 330, 1)`
  const state = async () =>
    (await sql<{ state: string }[]>`select state from market_coins where txid = ${coin.txid}`)[0]!.state
  return { coin, state }
}

/** Rejects a stored transaction as the jobs do, with its stored handle. */
async function reject(rejected: string): Promise<void> {
  const { handle } = (await findWritten(sql, rejected))!
  await inTransaction(sql, (tx) => failMarketTransaction(tx, rejected, handle))
}

it('frees the coin of a transaction that is rejected a second time, under a new handle', async () => {
  const { coin, state } = await makeCoin()
  const signed = { txid: txid(), hex: '00' }
  for (const handle of [randomUUID(), randomUUID()]) {
    await inTransaction(sql, (tx) => writeTransaction(tx, signed, { purpose: 'split', handle }, [coin]))
    expect(await findWritten(sql, signed.txid)).toMatchObject({ handle, state: 'intended' })
    expect(await state()).toBe('spending')
    await reject(signed.txid)
    expect(await state()).toBe('free')
  }
})

it('keeps the handle of a stored transaction that has not failed', async () => {
  const { coin } = await makeCoin()
  const signed = { txid: txid(), hex: '00' }
  const handle = randomUUID()
  await inTransaction(sql, (tx) => writeTransaction(tx, signed, { purpose: 'split', handle }, [coin]))
  await inTransaction(sql, (tx) =>
    writeTransaction(tx, signed, { purpose: 'split', handle: randomUUID() }, [coin]),
  )
  expect(await findWritten(sql, signed.txid)).toMatchObject({ handle })
})

it('frees the anchors of a rejected reclaim, and returns the coins of a rejected recovery to their listing', async () => {
  const walletBindingId = randomUUID()
  for (const [purpose, after] of [
    ['reclaim', 'free'],
    ['recovery', 'held'],
  ] as const) {
    const { coin, state } = await makeCoin()
    const signed = { txid: txid(), hex: '00' }
    const handle = randomUUID()
    const causes = [{ purpose, walletBindingId, orderId: handle }]
    await inTransaction(sql, async (tx) => {
      await holdCoins(tx, [coin], { handle, causedBy: walletBindingId })
      await writeTransaction(tx, signed, { purpose, handle, causes }, [coin])
    })
    expect(await state()).toBe('spending')
    await reject(signed.txid)
    expect([purpose, await state()]).toEqual([purpose, after])
  }
})
