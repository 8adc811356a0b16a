import { buy } from '@ordbook/sdk/index.ts'
import { expect, it } from 'vitest'
import { agreementFor, listAll } from '../../../e2e/support/market.ts'
import { marketInBrowser } from '../support/market-in-browser.ts'

const at = marketInBrowser({ env: { FIAT_PER_BTC: '90000' } })

it('gives all cards the same height in every state', async () => {
  const { market, seller, buyer } = at
  const other = await market.trader()
  const { slug, ids } = await market.collection(seller.wallet, 8)
  await market.anchors(20)
  await listAll(market, seller, slug, ids.slice(6), 20_000)
  await buy(buyer, slug, await agreementFor(market, buyer, ids.slice(6)))
  await market.mine()
  await listAll(market, buyer, slug, ids.slice(6, 7), 60_000)
  await listAll(market, seller, slug, ids.slice(0, 1), 20_000)
  await listAll(market, seller, slug, ids.slice(1, 4), 1_234_567_000)
  await market.sql`
    update collection_items set item_name = ${'Very long name '.repeat(20)}, rendered_row = null where inscription_id = ${ids[5]!}`
  const visitor = await at.enter(buyer, `/collection/${slug}`)
  const { page } = visitor
  await page.getByRole('button', { name: `Add to cart: ${slug} #1` }).click()
  await buy(other, slug, await agreementFor(market, other, ids.slice(0, 1)))
  const statuses = () => page.locator('article [data-status]').allTextContents()
  for (const status of ['In your cart, 1', 'Sale pending', 'Yours, listed', 'Listed '])
    await expect.poll(async () => (await statuses()).join('|')).toContain(status)
  await page.getByRole('article').getByText('54.00 USD').first().waitFor()
  for (const width of [390, 820, 1440, 1920]) {
    await page.setViewportSize({ width, height: 900 })
    const boxes = await page.getByRole('article').evaluateAll((cards) =>
      cards.map((card) => {
        const status = card.querySelector('[data-status]')!
        return {
          height: Math.round(card.getBoundingClientRect().height),
          status: Math.round(status.getBoundingClientRect().height),
          isCut: status.scrollWidth > status.clientWidth + 1,
          isWider: card.scrollWidth > card.clientWidth + 1,
        }
      }),
    )
    expect(boxes.length).toBe(8)
    expect(new Set(boxes.map((box) => box.height)).size, `heights at ${width}`).toBe(1)
    for (const box of boxes)
      expect(box, `at ${width}`).toMatchObject({ status: 28, isCut: false, isWider: false })
  }
  visitor.assertQuiet()
  await visitor.close()
})

it('replaces the last lines of a card by Buy', async () => {
  const { market, seller } = at
  const { slug, ids } = await market.collection(seller.wallet, 2)
  await listAll(market, seller, slug, ids.slice(0, 1), 50_000)
  const visitor = await at.visit(undefined, { context: { viewport: { width: 1440, height: 900 } } })
  const { page } = visitor
  await visitor.go(`/collection/${slug}`)
  const card = page.getByRole('article').first()
  const before = await card.boundingBox()
  const button = card.getByRole('button', { name: `Buy 0.0005: ${slug} #0` })
  const isShown = async () => {
    const price = card.getByText('50,000 sats')
    const [shown, bar] = await Promise.all([price.boundingBox(), button.boundingBox()])
    // The price stays visible above the button.
    expect(shown!.y + shown!.height).toBeLessThanOrEqual(bar!.y + 1)
    expect(await card.boundingBox()).toEqual(before)
  }
  await card.hover()
  await button.waitFor()
  await isShown()
  await page.mouse.move(0, 0)
  await button.waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'Skip to content' }).focus()
  await page.getByRole('radio', { name: 'Cards', exact: true }).focus()
  for (let n = 0; n < 6 && !(await button.isVisible()); n++) await page.keyboard.press('Tab')
  await isShown()
  await page.keyboard.press('b')
  await page.getByRole('dialog', { name: 'Connect wallet' }).waitFor()
  visitor.assertQuiet()
  await visitor.close()
})
