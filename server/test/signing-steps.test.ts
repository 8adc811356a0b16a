import { sighashesOf } from '@ordbook/bitcoin/psbt.ts'
import { offer } from '@ordbook/sdk/index.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startMarket, type TestMarket } from '../../e2e/support/market.ts'
import { coinsOf, offering } from '../../e2e/support/offers.ts'

let market: TestMarket
beforeAll(async () => {
  market = await startMarket()
})
afterAll(() => market?.stop())

it('names the key of the client in each step, and says that the tweaked key signs taproot inputs', async () => {
  const [seller, buyer] = [await market.trader('p2tr'), await market.trader('p2sh-p2wpkh')]
  const { slug, ids } = await market.collection(seller.wallet, 2)
  const { ordinalsPublicKey } = seller.wallet
  const items = ids.map((inscriptionId) => ({ inscriptionId, priceSats: 50_000 }))
  const { walletBindingId } = seller
  const body = { walletBindingId, ordinalsPublicKey, items }
  const { listings, recoveryPsbt } = await seller.client.call('preflightListing', { params: { slug }, body })
  const steps = [...listings.flatMap(({ psbts }) => psbts), recoveryPsbt]
  expect(steps).toHaveLength(5)
  for (const { inputsToSign } of steps)
    expect(inputsToSign).toEqual([
      expect.objectContaining({ publicKey: ordinalsPublicKey, disableTweakSigner: false }),
    ])

  const made = await offer(buyer, slug, await offering(market, buyer, [ids[0]!], 40_000))
  const at = { params: { id: ids[0]!, offerId: made.items[0]!.offerId } }
  const counter = await seller.client.call('preflightCounterOffer', {
    ...at,
    body: { walletBindingId, ordinalsPublicKey, priceSats: 45_000 },
  })
  expect(counter.steps).toHaveLength(3)
  for (const { inputsToSign } of counter.steps)
    expect(inputsToSign).toEqual([
      expect.objectContaining({ publicKey: ordinalsPublicKey, disableTweakSigner: false }),
    ])

  const accepted = await seller.client.call('preflightOfferAcceptance', {
    ...at,
    body: { walletBindingId, ordinalsPublicKey },
  })
  // The inscription by the sighash that is asked for, the nested payments of the other side by ALL, written out.
  expect([...new Set(sighashesOf(accepted.steps[0]!.psbtBase64))]).toEqual([0, 1])
})

it('writes the sighash of each segwit version 0 input into the PSBT that its owner signs', async () => {
  const [seller, buyer] = [await market.trader(), await market.trader()]
  const { slug, ids } = await market.collection(seller.wallet, 1)
  const { items } = await buyer.client.call('preflightCollectionOffer', {
    params: { slug },
    body: {
      walletBindingId: buyer.walletBindingId,
      paymentPublicKey: buyer.wallet.paymentPublicKey,
      inscriptionIds: ids,
      priceSats: 40_000,
      spendableUtxos: await coinsOf(market, buyer),
    },
  })
  const { inputsToSign, psbtBase64 } = items[0]!.steps[0]!
  const sighashes = sighashesOf(psbtBase64)
  expect(inputsToSign[0]).not.toHaveProperty('disableTweakSigner')
  for (const index of inputsToSign[0]!.signingIndexes) expect(sighashes[index]).toBe(1)
})
