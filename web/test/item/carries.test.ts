import { buildPayment } from '@ordbook/bitcoin/inscribe.ts'
import { hexOfTransaction } from '@ordbook/bitcoin/transaction.ts'
import { list } from '@ordbook/sdk/index.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type OrdServer, startMarketWithOrd } from '../../../e2e/indexer/support/ord-server.ts'
import { etch } from '../../../e2e/indexer/support/runes.ts'
import { keyHolder, type TestMarket, type TestTrader } from '../../../e2e/support/market.ts'
import { startBrowser, type Visitor } from '../support/browser.ts'

let market: TestMarket
let ord: OrdServer
let browser: Awaited<ReturnType<typeof startBrowser>>
beforeAll(async () => {
  ;({ market, ord } = await startMarketWithOrd())
  browser = await startBrowser()
})
afterAll(async () => {
  await browser?.close()
  await ord?.stop()
  await market?.stop()
})

async function signedIn(trader: TestTrader, path: string): Promise<Visitor> {
  const visitor = await browser.visitor(market.server.url, { wallet: trader.wallet })
  await visitor.go(path)
  await visitor.signIn()
  return visitor
}

/** Puts the runes of an etching into the coin of an inscription. Returns their amount and name as a page shows them. */
async function withRunes(
  { trader: { wallet, client, walletBindingId }, keys }: Awaited<ReturnType<typeof keyHolder>>,
  slug: string,
  id: string,
): Promise<string> {
  const script = wallet.ordinalsScript
  const rune = await etch(market.regtest, script, { valueSats: 20_000, premine: 1234 })
  const joined = buildPayment([await market.coinOf(id), rune], [{ valueSats: 10_000, script }], {
    privateKey: keys.ordinals,
    feeRateSatVb: 2,
  })
  await market.regtest.call('sendrawtransaction', hexOfTransaction(joined))
  await market.mine()
  const { carries } = await client.call('preflightListing', {
    params: { slug },
    body: {
      walletBindingId,
      ordinalsPublicKey: wallet.ordinalsPublicKey,
      items: [{ inscriptionId: id, priceSats: 50_000 }],
    },
  })
  return `12.34 ${carries![0]!.name}`
}

it('shows the runes of a coin in each review', async () => {
  const holder = await keyHolder(market)
  const { trader: seller } = holder
  const { trader: buyer } = await keyHolder(market)
  const { slug, ids } = await market.collection(seller.wallet, 2)
  const [id, plain] = ids as [string, string]
  const held = await withRunes(holder, slug, id)

  const owner = await signedIn(seller, `/inscription/${id}`)
  await owner.page.getByRole('region', { name: 'Also in this coin' }).getByText(held).waitFor()
  await owner.page.getByRole('button', { name: 'List for sale' }).click()
  await owner.page.getByLabel('Price in BTC').fill('0.0005')
  await owner.page.getByRole('button', { name: /^List for \d/ }).click()
  const blocked = owner.page.getByRole('dialog', { name: 'Review your listing' })
  await blocked.getByRole('alert').getByText(`This coin also contains ${held}.`).waitFor()
  await blocked.getByRole('button', { name: 'Cancel' }).click()
  await owner.told(/Nothing was signed/)
  // Listed with another client.
  await list(seller, slug, [
    {
      inscriptionId: id,
      priceSats: 50_000,
      coin: await market.coinOf(id),
      maxFeeBps: 1000,
      alsoGoes: [],
    },
  ])

  const visitor = await signedIn(buyer, `/inscription/${id}`)
  const { page } = visitor
  await page.getByRole('region', { name: 'Also in this coin' }).getByText(held).waitFor()
  await page.getByRole('button', { name: 'Make offer' }).click()
  await page.getByLabel('Your offer in BTC').fill('0.0004')
  await page.getByRole('dialog').getByRole('button', { name: 'Review offer' }).click()
  const offered = await visitor.confirm()
  expect(offered).toContain(held)
  expect(offered).toContain(`arrives with ${slug} #0`)
  await visitor.told(/Offer placed/)
  await page.getByRole('button', { name: 'Buy now' }).click()
  expect(await visitor.confirm()).toContain(`I know that ${held} arrives in the same coin.`)
  await visitor.told(/Bought in/)

  // Pages show nothing for a coin without other contents. The purchase's change holds the runes, so it cannot pay.
  const { trader: another } = await keyHolder(market)
  const bidder = await signedIn(another, `/inscription/${plain}`)
  await bidder.page.getByRole('button', { name: 'Make offer' }).click()
  expect(await bidder.page.getByText('Also in').count()).toBe(0)
  await bidder.page.getByLabel('Your offer in BTC').fill('0.0004')
  await bidder.page.getByRole('dialog').getByRole('button', { name: 'Review offer' }).click()
  expect(await bidder.confirm()).not.toContain('also contains')
  await bidder.told(/Offer placed/)
  for (const each of [owner, visitor, bidder]) {
    each.assertQuiet()
    await each.close()
  }
})

it('separates the runes of a coin', async () => {
  const holder = await keyHolder(market)
  const { trader: seller } = holder
  const { slug, ids } = await market.collection(seller.wallet, 1)
  const [id] = ids as [string]
  const held = await withRunes(holder, slug, id)
  const owner = await signedIn(seller, `/inscription/${id}`)
  await owner.page.getByRole('button', { name: 'List for sale' }).click()
  await owner.page.getByLabel('Price in BTC').fill('0.0005')
  await owner.page.getByRole('button', { name: /^List for \d/ }).click()
  await owner.page.getByRole('button', { name: 'Separate the coin' }).click()
  await owner.page.getByRole('dialog', { name: 'Review the split' }).waitFor()
  expect(await owner.confirm()).toContain('The runes, in a separate coin')
  await owner.page.getByText(/each is in a separate coin/).waitFor()
  await market.mine()
  const { txid } = await market.coinOf(id)
  const { vout } = await market.regtest.call<{ vout: unknown[] }>('getrawtransaction', txid, true)
  const response = await fetch(`${ord.url}/outputs`, {
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/json' },
    body: JSON.stringify(vout.map((_, n) => `${txid}:${n}`)),
  })
  const outputs = (await response.json()) as {
    address: string
    inscriptions: string[]
    runes: Record<string, unknown>
  }[]
  const inscribed = outputs.filter(({ inscriptions }) => inscriptions.length > 0)
  expect(inscribed).toMatchObject([{ inscriptions: [id], runes: {} }])
  const runic = outputs.filter(({ runes }) => Object.keys(runes).length > 0)
  expect(runic).toMatchObject([{ inscriptions: [], address: seller.wallet.ordinalsAddress }])
  expect(Object.keys(runic[0]!.runes)).toEqual([held.slice('12.34 '.length)])
  await owner.close()
})
