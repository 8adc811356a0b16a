import { expect, it } from 'vitest'
import { marketInBrowser } from '../support/market-in-browser.ts'

const at = marketInBrowser()

it('styles native select and check boxes in both themes', async () => {
  const { slug } = await at.market.collection(at.seller.wallet, 1)
  const visitor = await at.visit(undefined, { context: { viewport: { width: 1440, height: 900 } } })
  const { page } = visitor
  await visitor.go(`/collection/${slug}`)
  await page.getByText('Satributes').click()
  const box = page.getByRole('checkbox', { name: 'Uncommon', exact: true })
  const sort = page.getByRole('combobox', { name: 'Sort by' })
  const look = (selector: string) =>
    page.evaluate<Record<string, string>>(`(() => {
      const { appearance, backgroundColor, width, paddingRight } = getComputedStyle(document.querySelector('main ${selector}'))
      return { appearance, backgroundColor, width, paddingRight }
    })()`)
  const ofBox = () => look('input[type="checkbox"]')
  const AMBER = 'rgb(255, 176, 46)'
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    expect(await ofBox()).toMatchObject({ appearance: 'none', width: '18px' })
    expect((await ofBox()).backgroundColor).not.toBe(AMBER)
    // Room for the arrow, whatever padding the utility classes set.
    expect(await look('select')).toMatchObject({ appearance: 'none', paddingRight: '36px' })
  }
  await box.focus()
  await page.keyboard.press('Space')
  await page.waitForURL('**?satribute=uncommon')
  expect(await ofBox()).toMatchObject({ backgroundColor: AMBER })
  await sort.selectOption('Newest')
  await page.waitForURL('**sort=newest**')
  await page.emulateMedia({ forcedColors: 'active' })
  expect((await ofBox()).appearance).toBe('auto')
  visitor.assertQuiet()
  await visitor.close()
})
