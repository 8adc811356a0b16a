import { randomBytes } from 'node:crypto'
import { connect } from '@ordbook/db/driver/connect.ts'
import { unavailable } from '@ordbook/db/process/errors.ts'
import {
  acceptCounter,
  buy,
  cancelOffer,
  counter,
  delist,
  offer,
  prepareAcceptance,
} from '@ordbook/sdk/index.ts'
import { expect, inject, it } from 'vitest'
import { agreementFor, enter, listAll, serveAgain, setUpMarket, until } from '../support/market.ts'
import { countered, offering, selling } from '../support/offers.ts'

/** A restored database lacks all changes since the backup, but the signer's journal records the revocations. */
// Anchors of ended listings stay unspent, so the chain does not enforce the revocations.
const market = setUpMarket({ tuning: { anchorSpendDelaySeconds: 86400 }, LOG_LEVEL: 'silent' })

const restart = (databaseUrl: string, roles = 'api,follower,jobs') =>
  serveAgain(market, databaseUrl, {
    tuning: { anchorSpendDelaySeconds: 86400 },
    ROLES: roles,
    LOG_LEVEL: 'silent',
  })

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

it('does not revive a listing delisted after the backup', async () => {
  const [seller, buyer] = [await market.trader(), await market.trader()]
  const { slug, ids } = await market.collection(seller.wallet, 2)
  const [gone, kept] = ids as [string, string]
  const listed = await listAll(market, seller, slug, [gone, kept], 123_000)

  await stop()
  const backup = await backUp()
  await restart(market.databaseUrl)
  const signedIn = await enter(market.base, seller.wallet)
  await delist(signedIn, slug, [{ inscriptionId: gone, listingId: listed.get(gone)! }])

  await stop()
  await restart(backup, 'api')
  const later = await enter(market.base, buyer.wallet)
  const before = await market.regtest.call<string[]>('getrawmempool')
  await expect(buy(later, slug, await agreementFor(market, later, [gone]))).rejects.toMatchObject({
    status: 409,
    message: expect.stringMatching(/was cancelled by its seller/),
  })
  expect(await market.regtest.call<string[]>('getrawmempool')).toEqual(before)
  expect(await market.sql`select 1 from settlements`).toHaveLength(0)

  // The jobs end the listing in their first run. The other listing stays for sale.
  await stop()
  await restart(backup)
  const state = async (id: string) =>
    (
      await market.sql<{ state: string }[]>`select state from listings where listing_id = ${listed.get(id)!}`
    )[0]!.state
  await until('the revoked listing to end', async () => (await state(gone)) === 'cancelled')
  expect(await state(kept)).toBe('buyable')
  const last = await enter(market.base, buyer.wallet)
  await buy(last, slug, await agreementFor(market, last, [kept]))
  expect(await market.sql`select 1 from settlements`).toHaveLength(1)
})

it('sells relisted items after a restore', async () => {
  const [seller, buyer] = [await market.trader(), await market.trader()]
  const { slug, ids } = await market.collection(seller.wallet, 2)
  const [listed, wanted] = ids as [string, string]
  const { items } = await offer(buyer, slug, await offering(market, buyer, [wanted], 90_000))
  const { offerId } = items[0]!

  await stop()
  const backup = await backUp()
  await restart(market.databaseUrl)
  const signedIn = await enter(market.base, seller.wallet)
  const escrowOf = async (table: 'listings' | 'offers', id: string) => {
    const [row] = await market.sql<{ transferTxid: string; generation: number }[]>`
      select transfer_txid, (terms ->> 'generation')::int as generation from ${market.sql(table)}
      where inscription_id = ${id} and transfer_txid is not null`
    return row!
  }
  const listingId = (await listAll(market, signedIn, slug, [listed], 123_000)).get(listed)!
  const counterOffer = await counter(signedIn, offerId, await selling(market, wanted, 120_000))
  const before = [await escrowOf('listings', listed), await escrowOf('offers', wanted)]
  await delist(signedIn, slug, [{ inscriptionId: listed, listingId }])
  await cancelOffer(signedIn, { id: wanted, offerId: counterOffer.offerId })

  await stop()
  await restart(backup)
  const restoredSession = await enter(market.base, seller.wallet)
  await listAll(market, restoredSession, slug, [listed], 150_000)
  const second = await counter(restoredSession, offerId, await selling(market, wanted, 130_000))
  const after = [await escrowOf('listings', listed), await escrowOf('offers', wanted)]
  // The restored database uses the same coins, so the escrows are the same.
  expect(after.map((each) => each.transferTxid)).toEqual(before.map((each) => each.transferTxid))
  expect(after.map((each) => each.generation)).toEqual([2, 2])
  const last = await enter(market.base, buyer.wallet)
  await buy(last, slug, await agreementFor(market, last, [listed]))
  await market.mine()
  await acceptCounter(last, second.offerId, await countered(market, last, wanted, 130_000))
})

it('does not broadcast acceptances of cancelled offers', async () => {
  const [seller, buyer] = [await market.trader(), await market.trader()]
  const { slug, ids } = await market.collection(seller.wallet, 1)
  const [id] = ids as [string]
  const { items } = await offer(buyer, slug, await offering(market, buyer, ids, 90_000))
  const { offerId } = items[0]!
  const { body } = await prepareAcceptance(seller, offerId, await selling(market, id, 90_000))
  const accept = async () => {
    const owner = await enter(market.base, seller.wallet)
    return owner.client.call('submitOfferAcceptance', { params: { id, offerId }, body })
  }
  const isRejected = async () => {
    throw unavailable('node-unavailable', 'the node does not answer')
  }
  market.server.context.node = Object.assign(Object.create(market.server.context.node), {
    testPackage: isRejected,
  })
  await expect(accept()).rejects.toMatchObject({ status: 503 })
  const states = async () =>
    market.sql<{ offer: string; settlement: string; failure: string | null }[]>`
      select o.state as offer, s.state as settlement, s.failure from offers o join settlements s using (settlement_id)
      where offer_id = ${offerId}`
  expect(await states()).toMatchObject([{ offer: 'accepting', settlement: 'intended' }])
  await stop()
  const backup = await backUp()

  // The node rejects the acceptance later, so the offer is active again and its maker cancels it.
  await restart(market.databaseUrl, 'api')
  const refuse = async () => ({ ok: false, reasons: new Map([['', 'mempool min fee not met']]), refused: [] })
  market.server.context.node = Object.assign(Object.create(market.server.context.node), {
    testPackage: refuse,
  })
  await expect(accept()).rejects.toMatchObject({ status: 409 })
  const maker = await enter(market.base, buyer.wallet)
  expect(await cancelOffer(maker, { id, offerId })).toMatchObject({ status: 'cancelled' })

  await stop()
  await restart(backup)
  await until('the settlement to fail', async () => (await states())[0]!.settlement !== 'intended')
  expect(await states()).toMatchObject([
    { settlement: 'failed', offer: 'invalidated', failure: expect.stringContaining('cancelled') },
  ])
  await market.mine(2)
  expect((await market.coinOf(id)).txid).toBe(id.slice(0, 64))
  expect(await states()).toMatchObject([{ settlement: 'failed', offer: 'invalidated' }])
})
