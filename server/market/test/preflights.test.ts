import { preparePurchase } from '@ordbook/sdk/index.ts'
import { expect, it } from 'vitest'
import { agreementFor, listAll, setUpMarket } from '../../../e2e/support/market.ts'

const MAX_PREFLIGHTS = 20
const market = setUpMarket({ tuning: { preflightsPerWallet: MAX_PREFLIGHTS } })

it("deletes a wallet's oldest preflight above the limit", async () => {
  const [seller, buyer, other] = [await market.trader(), await market.trader(), await market.trader()]
  const { slug, ids } = await market.collection(seller.wallet, 1)
  await listAll(market, seller, slug, ids, 50_000)
  const ofOther = await preparePurchase(other, slug, await agreementFor(market, other, ids))
  const agreement = await agreementFor(market, buyer, ids)
  const first = await preparePurchase(buyer, slug, agreement)
  for (let n = 0; n < MAX_PREFLIGHTS; n++) await preparePurchase(buyer, slug, agreement)
  const pending = await market.sql<{ handle: string; walletBindingId: string }[]>`
    select handle, wallet_binding_id from preflights where answer is null`
  const ofBuyer = pending.filter(({ walletBindingId }) => walletBindingId === buyer.walletBindingId)
  expect(ofBuyer).toHaveLength(MAX_PREFLIGHTS)
  const handles = pending.map(({ handle }) => handle)
  expect(handles).not.toContain(first.body.purchaseAnchorUtxoId)
  expect(handles).toContain(ofOther.body.purchaseAnchorUtxoId)
  const submit = buyer.client.call('submitPurchase', { params: { slug }, body: first.body })
  await expect(submit).rejects.toMatchObject({ status: 409, code: 'preflight-expired' })
})
