import { propose } from '@ordbook/sdk/index.ts'
import { expect, it } from 'vitest'
import { inscribeTogether } from '../../../e2e/support/bundles.ts'
import { traderAtStorefront } from '../../../e2e/support/storefront.ts'
import { acceptProposal, changePrice, fillListing, settle } from '../support/clicks.ts'
import { marketInBrowser } from '../support/market-in-browser.ts'

const at = marketInBrowser()

it('names the listing that a new listing replaces', async () => {
  const { market, seller } = at
  const [first, second] = await inscribeTogether(market, seller.wallet.ordinalsScript, ['first', 'second'])
  const visitor = await at.enter(seller, `/inscription/${first}`)
  await fillListing(visitor, '0.0005')
  expect(await visitor.confirm()).not.toContain('earlier listing')
  await visitor.told(/Listed for/)
  await changePrice(visitor, second, '0.0006')
  expect(await visitor.confirm()).toMatch(
    /This ends the earlier listing of the coin that holds .+, for 0\.0005 BTC\./,
  )
  await visitor.told(/Listed for/)
  expect(
    await market.sql`select inscription_id, state from listings
      where inscription_id = any(${[first, second]}) order by listed_at`,
  ).toMatchObject([
    { inscriptionId: first, state: 'replaced' },
    { inscriptionId: second, state: 'buyable' },
  ])
  visitor.assertQuiet()
  await visitor.close()
})

it('shows every inscription that a trade moves', async () => {
  const { market, seller, buyer } = at
  const offered = await inscribeTogether(market, seller.wallet.ordinalsScript, ['offered', 'along'])
  const wanted = await inscribeTogether(market, buyer.wallet.ordinalsScript, ['wanted', 'with-it'])
  const proposer = await traderAtStorefront(market.server.url, seller.wallet)
  const names = new Map<string, string>()
  for (const id of [...offered, ...wanted])
    names.set(id, (await proposer.client.call('getInscription', { params: { id } })).name)
  await propose(proposer, {
    visibility: 'public',
    offeredInscriptionIds: [offered[0]],
    offeredBtcSats: 0,
    wantedLegs: [{ collectionSlug: 'wanted', quantity: 1, target: { kind: 'all' } }],
    requestedBtcSats: 0,
  })
  const assertShown = (
    text: string,
    [given, leaves]: readonly [string, string],
    [received, arrives]: readonly [string, string],
  ) => {
    expect(text).toContain(`goes with ${names.get(given)} to the new owner`)
    expect(text).toContain(`I know that ${names.get(leaves)} leaves with the item.`)
    expect(text).toContain(`arrives with ${names.get(received)}`)
    expect(text).toContain(`I know that ${names.get(arrives)} arrives in the same coin.`)
  }

  const acceptor = await at.enter(buyer)
  await acceptProposal(acceptor, names.get(wanted[0])!)
  const accepting = await acceptor.confirm()
  assertShown(accepting, wanted, offered)
  await acceptor.told(/completes when the proposer signs/)

  const settler = await at.enter(seller)
  await settle(settler)
  const settling = await settler.confirm()
  assertShown(settling, offered, wanted)
  await settler.told(/Completed in [0-9a-f]{64}/)
  await market.mine()
  for (const id of offered) expect((await market.coinOf(id)).script).toEqual(buyer.wallet.ordinalsScript)
  for (const id of wanted) expect((await market.coinOf(id)).script).toEqual(seller.wallet.ordinalsScript)
  for (const each of [acceptor, settler]) {
    each.assertQuiet()
    await each.close()
  }
})
