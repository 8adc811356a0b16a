import { sighashesOf } from '@ordbook/bitcoin/psbt.ts'
import { decodeTransaction } from '@ordbook/bitcoin/transaction.ts'
import { offer } from '@ordbook/sdk/index.ts'
import { expect, it } from 'vitest'
import { escrowsOf } from '../../../e2e/escrows/support/escrow-market.ts'
import { listAll, setUpMarket, signedPackage } from '../../../e2e/support/market.ts'
import { coinsOf, offering } from '../../../e2e/support/offers.ts'

const market = setUpMarket()

it("returns the client's key in each taproot step", async () => {
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

  const offers = await offer(buyer, slug, await offering(market, buyer, [ids[0]!], 40_000))
  const at = { params: { id: ids[0]!, offerId: offers.items[0]!.offerId } }
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
  // The inscription input has the requested sighash, the buyer's nested segwit inputs an explicit ALL.
  expect([...new Set(sighashesOf(accepted.steps[0]!.psbtBase64))]).toEqual([0, 1])
})

it('sets SIGHASH_ALL on segwit v0 inputs', async () => {
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

it('returns disableTweakSigner true only for the wallet form', async () => {
  const [seller, buyer] = [await market.trader(), await market.trader()]
  const { slug, ids } = await market.collection(seller.wallet, 2)
  for (const [n, id] of ids.entries()) {
    const escrowForm = n === 0 ? 'wallet' : 'published'
    await listAll(market, { ...seller, escrowForm }, slug, [id], 50_000)
    const { signed } = await signedPackage(market, buyer, slug, [id])
    await market.regtest.mineExactly([decodeTransaction(signed[0]!.hex)])
    await market.server.sync()
  }
  const escrows = await escrowsOf(seller)
  const { steps } = await seller.client.call('preflightReclaim', {
    body: {
      walletBindingId: seller.walletBindingId,
      ordinalsPublicKey: seller.wallet.ordinalsPublicKey,
      escrows: escrows.map(({ txid, vout }) => ({ txid, vout })),
    },
  })
  const requested = steps[0]!.inputsToSign.flatMap(({ signingIndexes, disableTweakSigner }) =>
    signingIndexes.map((index) => ({ index, disableTweakSigner })),
  )
  expect(requested.toSorted((a, b) => a.index - b.index)).toEqual(
    escrows.map(({ escrowForm }, index) => ({ index, disableTweakSigner: escrowForm === 'wallet' })),
  )
})
