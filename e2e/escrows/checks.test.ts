import { moveEscrows, type OwnEscrow, type RelistAgreement, reclaim, relist } from '@ordbook/sdk/index.ts'
import { beforeAll, expect, it } from 'vitest'
import { cheated, rejectsUnsigned } from '../sdk/support/cheated.ts'
import { setUpMarket, setUpTrader } from '../support/market.ts'
import { coinsOf } from '../support/offers.ts'
import { isHome, rested } from './support/escrow-market.ts'

/** Relists, moves and reclaims through the SDK. See e2e/lying-market for false responses. */
const market = setUpMarket()
const owner = setUpTrader(market)
let ids: [string, string, string]
let escrows: OwnEscrow[]
beforeAll(async () => {
  const collection = await market.collection(owner.wallet, 3)
  ids = collection.ids as typeof ids
  const rows = await rested(market, owner, collection.slug, ids)
  escrows = rows.map(({ txid, vout, valueSats, escrowForm }) => ({
    txid,
    vout,
    valueSats,
    escrowForm,
    offset: 0,
  }))
})

const honest = (operation: string) => cheated(owner, operation, (answer) => answer)

it('relists from escrow with a later generation', async () => {
  const agreement: RelistAgreement = {
    inscriptionId: ids[0],
    priceSats: 80_000,
    escrow: escrows[0]!,
    maxFeeBps: 100,
  }
  await rejectsUnsigned(
    honest('preflightRelist'),
    (one) => relist(one, [{ ...agreement, lastGeneration: 1_000_000 }]),
    /generation of the leg of [0-9a-f]+i0 is not later than the last signed one/,
  )
  const { listings } = await relist(owner, [{ ...agreement, lastGeneration: 0 }], 30)
  expect(listings[0]!.inscriptionId).toBe(ids[0])
  const { listings: book } = await owner.client.call('listListings', { query: { inscriptionId: ids[0] } })
  expect(book[0]).toMatchObject({ priceSats: 80_000, listingId: listings[0]!.listingId })
})

it('returns a reclaimed inscription to its owner', async () => {
  await reclaim(owner, [escrows[1]!])
  await market.mine()
  expect(await isHome(market, ids[1], owner)).toBe(true)
})

it('moves escrows within the agreed cost', async () => {
  const agreement = { escrows: [escrows[2]!], coins: await coinsOf(market, owner), maxNetworkSats: 20_000 }
  await rejectsUnsigned(
    honest('preflightMove'),
    (one) => moveEscrows(one, { ...agreement, maxNetworkSats: 10 }),
    /agreed maximum of 10 /,
  )
  const moved = await moveEscrows(owner, agreement)
  expect(moved.costSats).toBeGreaterThan(0)
  await market.mine()
  expect(await market.coinOf(ids[2])).toMatchObject(moved.escrows[0]!)
})
