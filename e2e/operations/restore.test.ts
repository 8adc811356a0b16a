import { randomBytes } from 'node:crypto'
import { connect } from '@ordbook/db/driver/connect.ts'
import { buy, delist } from '@ordbook/sdk/index.ts'
import { expect, inject, it } from 'vitest'
import { agreementFor, enter, listAll, serveAgain, setUpMarket, until } from '../support/market.ts'

/** A database from a backup knows nothing of what was delisted after it: the signer does. */
// Anchors of ended listings stay unspent: the chain alone prevents nothing.
const market = setUpMarket({ tuning: { anchorSpendDelaySeconds: 86400 }, LOG_LEVEL: 'silent' })

/** Has the market's server run with another database, and in these roles. */
const restart = (databaseUrl: string, roles = 'api,follower,jobs') =>
  serveAgain(market, databaseUrl, {
    tuning: { anchorSpendDelaySeconds: 86400 },
    ROLES: roles,
    LOG_LEVEL: 'silent',
  })

/** A copy of the database as it is; its server is stopped before. */
async function backUp(): Promise<string> {
  const url = new URL(market.databaseUrl)
  const name = `test_${randomBytes(8).toString('hex')}`
  const admin = connect(inject('superuserUrl'), { max: 1 })
  await admin.unsafe(`create database ${name} template ${url.pathname.slice(1)} owner ${url.username}`)
  await admin.end()
  url.pathname = `/${name}`
  return url.href
}

async function stop(): Promise<void> {
  await market.server.close()
  await market.sql.end()
}

it('revives no listing that was delisted after the backup', async () => {
  const [seller, buyer] = [await market.trader(), await market.trader()]
  const { slug, ids } = await market.collection(seller.wallet, 2)
  const [gone, kept] = ids as [string, string]
  const listed = await listAll(market, seller, slug, [gone, kept], 123_000)

  await stop()
  const backup = await backUp()
  await restart(market.databaseUrl)
  const back = await enter(market.base, seller.wallet)
  await delist(back, slug, [{ inscriptionId: gone, listingId: listed.get(gone)! }])

  await stop()
  await restart(backup, 'api')
  const later = await enter(market.base, buyer.wallet)
  const before = await market.regtest.call<string[]>('getrawmempool')
  await expect(buy(later, slug, await agreementFor(market, later, [gone]))).rejects.toMatchObject({
    status: 409,
    message: expect.stringMatching(/taken this back/),
  })
  expect(await market.regtest.call<string[]>('getrawmempool')).toEqual(before)
  expect(await market.sql`select 1 from settlements`).toHaveLength(0)

  // The jobs end it at their first turn; the other one is for sale as before.
  await stop()
  await restart(backup)
  const state = async (id: string) =>
    (
      await market.sql<{ state: string }[]>`select state from listings where listing_id = ${listed.get(id)!}`
    )[0]!.state
  await until('the end of the revoked listing', async () => (await state(gone)) === 'cancelled')
  expect(await state(kept)).toBe('buyable')
  const last = await enter(market.base, buyer.wallet)
  await buy(last, slug, await agreementFor(market, last, [kept]))
  expect(await market.sql`select 1 from settlements`).toHaveLength(1)
})
