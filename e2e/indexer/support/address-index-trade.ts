import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import { unspentOf } from '@ordbook/indexer/coins/coins.ts'
import { buy } from '@ordbook/sdk/index.ts'
import { expect, it } from 'vitest'
import { agreementFor, enter, freshWallet, listAll, type TestMarket, until } from '../../support/market.ts'

/** Tests sign-in and a purchase at a market with an address index. The market may start after this call. */
export function itTradesWithIndex(market: () => TestMarket): void {
  const coinsAt = async (script: Uint8Array) => {
    const { coins } = await unspentOf(market().server.context, script)
    return coins.map(formatOutpoint).toSorted()
  }
  const scanned = async (script: Uint8Array) =>
    (await market().regtest.coinsOf(script)).map((coin) => formatOutpoint(coin)).toSorted()
  const isSynced = (script: Uint8Array) =>
    until('the address index to reach the tip', async () => {
      const expected = await scanned(script)
      return expected.length > 0 && (await coinsAt(script).catch(() => [])).join() === expected.join()
    })

  it('signs in only wallets with funds', async () => {
    const { regtest, base, mine } = market()
    const [rich, poor] = [freshWallet(), freshWallet()]
    await regtest.fund(rich.paymentScript, 200_000)
    await regtest.fund(poor.paymentScript, 10_000)
    await mine()
    await isSynced(rich.paymentScript)
    await isSynced(poor.paymentScript)
    expect((await enter(base, rich)).walletBindingId).toBeTruthy()
    await expect(enter(base, poor)).rejects.toMatchObject({ status: 403, code: 'wallet-underfunded' })
  })

  it('buys with coins that the server looks up', async () => {
    const { regtest, base, mine, sql, collection } = market()
    const [sellerWallet, buyerWallet] = [freshWallet(), freshWallet()]
    for (const { paymentScript } of [sellerWallet, buyerWallet, buyerWallet, buyerWallet])
      await regtest.fund(paymentScript, 100_000)
    await mine()
    for (const { paymentScript } of [sellerWallet, buyerWallet]) await isSynced(paymentScript)
    const [seller, buyer] = [await enter(base, sellerWallet), await enter(base, buyerWallet)]
    const { slug, ids } = await collection(seller.wallet, 1)
    await listAll(market(), seller, slug, ids, 50_000)
    // Only Xverse wallets may leave out their coins.
    await sql`
      update wallet_bindings set provider = 'xverse' where wallet_binding_id = ${buyer.walletBindingId}`
    const agreement = await agreementFor(market(), buyer, ids)
    const { walletBindingId } = buyer
    const preflight = await buyer.client.call('preflightPurchase', {
      params: { slug },
      body: {
        walletBindingId,
        paymentPublicKey: buyerWallet.paymentPublicKey,
        listings: agreement.items.map(({ listingId, inscriptionId }) => ({ listingId, inscriptionId })),
      },
    })
    const offered = await coinsAt(buyerWallet.paymentScript)
    for (const coin of preflight.selectedPaymentUtxos) expect(offered).toContain(formatOutpoint(coin))
    const { settlementTxid } = await buy(buyer, slug, agreement)
    expect(await regtest.call<string[]>('getrawmempool')).toContain(settlementTxid)
    await mine()
    await isSynced(buyerWallet.paymentScript)
  })
}
