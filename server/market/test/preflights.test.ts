import { preparePurchase } from '@ordbook/sdk/index.ts'
import { expect, it } from 'vitest'
import { agreementFor, listAll, setUpMarket } from '../../../e2e/support/market.ts'

/** Preflights that wait for their submit are bounded for each wallet. */
const MOST = 20
const market = setUpMarket({ tuning: { preflightsPerWallet: MOST } })

it("deletes a wallet's oldest preflight above the limit, and none of other wallets", async () => {
  const [seller, buyer, other] = [await market.trader(), await market.trader(), await market.trader()]
  const { slug, ids } = await market.collection(seller.wallet, 1)
  await listAll(market, seller, slug, ids, 50_000)
  const theirs = await preparePurchase(other, slug, await agreementFor(market, other, ids))
  const agreement = await agreementFor(market, buyer, ids)
  const first = await preparePurchase(buyer, slug, agreement)
  for (let n = 0; n < MOST; n++) await preparePurchase(buyer, slug, agreement)
  const waiting = await market.sql<{ handle: string; walletBindingId: string }[]>`
    select handle, wallet_binding_id from preflights where answer is null`
  const own = waiting.filter((each) => each.walletBindingId === buyer.walletBindingId)
  expect(own).toHaveLength(MOST)
  const handles = waiting.map((each) => each.handle)
  expect(handles).not.toContain(first.body.purchaseAnchorUtxoId)
  expect(handles).toContain(theirs.body.purchaseAnchorUtxoId)
  const late = buyer.client.call('submitPurchase', { params: { slug }, body: first.body })
  await expect(late).rejects.toMatchObject({ status: 409, code: 'preflight-expired' })
})
