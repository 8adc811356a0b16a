import { randomBytes } from 'node:crypto'
import { formatOutpoint, parseOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import { counter, enter, offer } from '@ordbook/sdk/index.ts'
import { LocalWallet } from '@ordbook/sdk/wallet.ts'
import { expect, it } from 'vitest'
import { listAll, setUpMarket } from '../../../e2e/support/market.ts'
import { offering, selling } from '../../../e2e/support/offers.ts'
import { violations } from '../support/axe.ts'
import { listedBy, setUpBrowser, type Visitor } from '../support/browser.ts'
import type { Lists } from '../support/wallets.ts'

/** The market returns an inscription's coin as a payment coin, to wallets with inscriptions at their payment address. */
const market = setUpMarket()
const browser = setUpBrowser()

/** Returns a wallet with one address, an inscription in a coin of `valueSats`, and a listing that only this coin can pay for. */
async function setUpBuyer(valueSats: number) {
  const key = new Uint8Array(randomBytes(32))
  const wallet = new LocalWallet({ ordinals: key, payment: key }, { network: 'regtest', paymentKind: 'p2tr' })
  const [held] = (await market.regtest.inscribeTogether([
    {
      inscription: { contentType: 'text/plain', body: new TextEncoder().encode(wallet.ordinalsAddress) },
      owner: wallet.ordinalsScript,
      postageSats: valueSats,
    },
  ])) as [string]
  const seller = await market.trader()
  const { slug, ids } = await market.collection(seller.wallet, 1)
  await listAll(market, seller, slug, ids, 50_000)
  const coin = formatOutpoint(await market.coinOf(held))
  const listed = await listedBy(market.server.url)(wallet.ordinalsAddress)
  expect(listed).toEqual([{ inscriptionId: held, output: coin }])
  return { wallet, coin, wanted: ids[0]!, listed }
}

/** Deletes a coin's contents from the index, so that the market returns it as a payment coin. */
async function forget(coin: string): Promise<void> {
  const [txid, vout] = coin.split(':')
  await market.sql`delete from inscribed_sats where txid = ${txid!} and vout = ${Number(vout)}`
}

async function visit(wallet: LocalWallet, lists: Lists | null): Promise<Visitor> {
  const visitor = await browser.visitor(market.server.url, { wallet, kind: 'unisat', lists })
  await visitor.go('/')
  await visitor.signIn('UniSat')
  return visitor
}

async function buy(visitor: Visitor, id: string): Promise<void> {
  await visitor.go(`/inscription/${id}`)
  await visitor.page.getByRole('button', { name: 'Buy now' }).click()
}

const isUnspent = async (coin: string) =>
  (await market.server.context.node.txOut(parseOutpoint(coin))) !== null

it('never pays with an inscription coin', async () => {
  const { wallet, coin, wanted, listed } = await setUpBuyer(400_000)
  await forget(coin)
  const visitor = await visit(wallet, async () => listed)
  await buy(visitor, wanted)
  await visitor.told(/You do not have enough bitcoin/)
  expect(visitor.asked).not.toContain('signPsbts')

  await market.regtest.pay([{ valueSats: 300_000, script: wallet.paymentScript }])
  await market.mine()
  await buy(visitor, wanted)
  const text = await visitor.confirm()
  expect(text).not.toContain(coin)
  await visitor.told(/Bought in/)
  await market.mine()
  expect(await isUnspent(coin)).toBe(true)
  await visitor.close()
})

it('confirms coins if the wallet cannot list inscriptions', async () => {
  const { wallet, coin, wanted } = await setUpBuyer(400_000)
  await forget(coin)
  const visitor = await visit(wallet, null)
  const { page } = visitor
  await buy(visitor, wanted)
  const blocked = page.getByRole('button', { name: 'Confirm the coin to sign' })
  await blocked.waitFor()
  expect(await blocked.isDisabled()).toBe(true)
  const coins = await page.getByRole('region', { name: 'Your coins that are spent' }).textContent()
  expect(coins).toContain(coin)
  expect(coins).toContain('0.004')
  expect(await violations(visitor)).toEqual([])
  await page.getByRole('button', { name: 'Cancel' }).click()
  await visitor.told(/Nothing was signed/)
  expect(visitor.asked).not.toContain('signPsbts')

  await page.getByRole('button', { name: 'Buy now' }).click()
  const tick = page.getByLabel('Spend this coin: it holds no inscription')
  await tick.check()
  await tick.uncheck()
  await blocked.waitFor()
  await tick.check()
  await visitor.confirm()
  await visitor.told(/Bought in/)
  expect(visitor.asked).toContain('signPsbts')
  expect(await isUnspent(coin)).toBe(false)
  await visitor.close()
})

it('confirms the coin that accepts a counter-offer', async () => {
  const key = new Uint8Array(randomBytes(32))
  const wallet = new LocalWallet({ ordinals: key, payment: key }, { network: 'regtest', paymentKind: 'p2tr' })
  await market.regtest.pay([{ valueSats: 400_000, script: wallet.paymentScript }])
  await market.mine()
  const buyer = await enter(market.base, wallet)
  const seller = await market.trader()
  const { slug, ids } = await market.collection(seller.wallet, 1)
  const { items } = await offer(buyer, slug, await offering(market, buyer, ids, 40_000))
  await counter(seller, items[0]!.offerId, await selling(market, ids[0]!, 50_000))
  const visitor = await visit(wallet, null)
  const { page } = visitor
  await visitor.go(`/inscription/${ids[0]}`)
  await page.getByRole('button', { name: 'Accept', exact: true }).click()
  await page.getByRole('button', { name: 'Buy for 0.0005 BTC' }).click()
  await page.getByText('2 transactions and raw PSBTs').waitFor()
  const ticks = page.getByRole('region', { name: 'Your coins that are spent' }).getByRole('checkbox')
  expect(await ticks.count()).toBe(1)
  await ticks.check()
  await visitor.confirm()
  await visitor.told(/Bought in/)
  await visitor.close()
})
