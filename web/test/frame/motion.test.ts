import { buy } from '@ordbook/sdk/index.ts'
import { expect, it } from 'vitest'
import { agreementFor, listAll } from '../../../e2e/support/market.ts'
import type { Visitor } from '../support/browser.ts'
import { marketInBrowser } from '../support/market-in-browser.ts'

const at = marketInBrowser()

/** Records every animation and transition with a duration. */
const WATCH = `if (window === top) {
  window.moved = new Set()
  const look = () => {
    for (const each of document.getAnimations()) {
      if (each.effect.getComputedTiming().activeDuration > 0)
        window.moved.add((each.animationName ?? each.transitionProperty) + ' of ' + each.effect.target?.className)
    }
    requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
}`

/** Visits pages, a sheet, messages and the live sales. Returns the recorded animations. */
async function walk(visitor: Visitor, id: string, slug: string): Promise<string[]> {
  const { page } = visitor
  const moved: string[] = []
  const leave = async () => moved.push(...(await page.evaluate<string[]>('[...window.moved]')))
  await visitor.go('/')
  await page.getByRole('region', { name: 'Live sales' }).waitFor()
  await leave()
  await visitor.go(`/collection/${slug}`)
  await page.getByRole('article').first().hover()
  await page.getByRole('button', { name: 'Add the cheapest' }).click()
  await page.getByRole('dialog', { name: 'Cart' }).waitFor()
  await leave()
  await visitor.go(`/inscription/${id}`)
  await page.getByRole('button', { name: 'Make offer' }).click()
  await page.getByLabel('Your offer in BTC').fill('0.0002')
  await page.locator('[aria-label="Bill"][aria-busy="false"]').waitFor()
  await page.getByRole('button', { name: 'Review offer' }).click()
  await page.getByRole('button', { name: 'Sign in Xverse' }).waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByText('Cancelled. Nothing was signed.').first().waitFor()
  await leave()
  for (const path of ['/activity', '/wallet', '/market', '/trades']) {
    await visitor.go(path)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await leave()
  }
  return moved
}

it('runs no animations with reduced motion', async () => {
  const { slug, ids } = await at.market.collection(at.seller.wallet, 3)
  await listAll(at.market, at.seller, slug, ids, 50_000)
  await buy(at.buyer, slug, await agreementFor(at.market, at.buyer, [ids[2]!]))
  await at.market.mine()
  const found: string[][] = []
  for (const reducedMotion of ['no-preference', 'reduce'] as const) {
    const visitor = await at.visit(at.buyer, { context: { reducedMotion } })
    await visitor.page.addInitScript(WATCH)
    await visitor.go('/how')
    await visitor.signIn()
    found.push(await walk(visitor, ids[0]!, slug))
    visitor.assertQuiet()
    await visitor.close()
  }
  const [usual, reduced] = found
  // Animations run without reduced motion, so the recording works.
  expect(usual!.some((each) => each.startsWith('transform of rise'))).toBe(true)
  expect(reduced).toEqual([])
})
