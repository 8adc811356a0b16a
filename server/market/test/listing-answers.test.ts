import { buy, delist, prepareListing } from '@ordbook/sdk/index.ts'
import { expect, it } from 'vitest'
import { agreementFor, listAll, setUpMarket } from '../../../e2e/support/market.ts'

const market = setUpMarket()

it('returns 409 for a repeated submit of a cancelled listing', async () => {
  const seller = await market.trader()
  const { slug, ids } = await market.collection(seller.wallet, 1)
  const agreement = {
    inscriptionId: ids[0]!,
    priceSats: 50_000,
    maxFeeBps: 100,
    coin: await market.coinOf(ids[0]!),
  }
  const { body } = await prepareListing(seller, slug, [agreement])
  const submit = () => seller.client.call('submitListing', { params: { slug }, body })
  const first = await submit()
  expect(await submit()).toEqual(first)
  await delist(seller, slug, first.listings)
  await expect(submit()).rejects.toMatchObject({ status: 409, message: expect.stringMatching(/has ended/) })
})

it('returns 409 for a listing during an unconfirmed purchase', async () => {
  const seller = await market.trader()
  const buyer = await market.trader()
  const { slug, ids } = await market.collection(seller.wallet, 1)
  await listAll(market, seller, slug, ids, 50_000)
  await buy(buyer, slug, await agreementFor(market, buyer, ids))
  for (const { client, walletBindingId, wallet } of [buyer, seller])
    await expect(
      client.call('preflightListing', {
        params: { slug },
        body: {
          walletBindingId,
          ordinalsPublicKey: wallet.ordinalsPublicKey,
          items: [{ inscriptionId: ids[0]!, priceSats: 60_000 }],
        },
      }),
    ).rejects.toMatchObject({
      status: 409,
      message: expect.stringMatching(/A purchase of .* is in progress/),
    })
})
