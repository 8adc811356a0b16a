import { expect, it } from 'vitest'
import { freshWallet, listAll } from '../../../e2e/support/market.ts'
import { violations } from '../support/axe.ts'
import { marketInBrowser } from '../support/market-in-browser.ts'

const at = marketInBrowser({ env: { TEST_WALLETS: 'on' } })
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }

const svg = (body: string) =>
  `data:image/svg+xml;base64,${Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40" onload="parent.isHacked = true"><script>parent.isHacked = true</script>${body}</svg>`).toString('base64')}`

it('lists installed wallets with their icons, and shows each step', async () => {
  const visitor = await at.visit({ wallet: freshWallet() })
  const { page } = visitor
  const icon = svg('<rect width="40" height="40" fill="#f60"/>')
  await page.addInitScript(`window.btc_providers = [{ name: 'Xverse Wallet', icon: '${icon}' }]`)
  await visitor.go('/')
  await page.getByRole('button', { name: 'Connect wallet', exact: true }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Connect wallet' })
  await dialog.getByText('Your wallet opens 2 or 3 times').waitFor()
  const xverse = dialog.getByRole('button', { name: /^Xverse/ })
  expect(await xverse.locator('img').getAttribute('src')).toBe(icon)
  await page.waitForFunction(`document.querySelector('dialog button img').naturalWidth === 40`)
  expect(await page.evaluate('window.isHacked')).toBe(undefined)
  expect(await violations(visitor)).toEqual([])
  // Wallets that are not installed are folded.
  expect(await dialog.getByRole('link', { name: /UniSat/ }).isVisible()).toBe(false)
  await dialog.getByText('More wallets').click()
  await dialog.getByRole('link', { name: /UniSat/ }).waitFor()

  await page.evaluate(`{
    const provider = window.XverseProviders.BitcoinProvider
    const request = provider.request
    provider.request = async (method, params) => {
      if (method === 'signMessage') await new Promise((go) => { window.goOn = go })
      return request.call(provider, method, params)
    }
  }`)
  await xverse.click()
  const steps = dialog.getByRole('status')
  await steps.getByText('2 of 3').waitFor()
  await steps.getByText('ordinals address').waitFor()
  expect(await page.evaluate<string>('document.activeElement.textContent')).toContain('Xverse')
  expect(await violations(visitor)).toEqual([])
  await page.evaluate('window.goOn()')
  await steps.getByText('3 of 3').waitFor()
  await steps.getByText('payment address').waitFor()
  await page.evaluate('window.goOn()')
  await page.locator('[data-account]').waitFor()
  await visitor.signOut()
  await page.getByRole('button', { name: 'Connect wallet', exact: true }).first().click()
  await dialog.getByText('Last used').waitFor()
  visitor.assertQuiet()
  await visitor.close()
})

it('opens the page and the cart in the browser of a wallet app', async () => {
  const { slug, ids } = await at.market.collection(at.seller.wallet, 2)
  await listAll(at.market, at.seller, slug, ids, 90_000)
  const visitor = await at.visit(undefined, { context: PHONE })
  const { page } = visitor
  await visitor.go(`/inscription/${ids[0]}`)
  await page.getByRole('button', { name: /^Buy/ }).first().click()
  await page.getByRole('button', { name: 'Add to cart' }).click()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Connect wallet', exact: true }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Connect wallet' })
  await dialog.getByText('it opens this page, with your cart').waitFor()
  const links = await page.evaluate<string[]>(
    `[...document.querySelectorAll('dialog a')].map((each) => each.href)`,
  )
  expect(links.map((link) => new URL(link).protocol + new URL(link).host)).toEqual([
    'https:connect.xverse.app',
    'https:web3.okx.com',
    'leather:browser',
  ])
  expect(await violations(visitor)).toEqual([])
  const carried = new URL(new URL(links[0]!).searchParams.get('url')!)
  expect(carried.pathname).toBe(`/inscription/${ids[0]}`)
  await visitor.close()

  const other = await at.visit({ wallet: freshWallet() })
  await other.go(`/inscription/${ids[0]}${carried.hash}`)
  await other.page.getByRole('button', { name: /^Cart.*1/ }).click()
  await other.page.getByRole('dialog').getByText(`${slug} #0`).first().waitFor()
  expect(other.page.url()).not.toContain('#')
  other.assertQuiet()
  await other.close()
})
