import type { Request } from 'playwright-core'
import { expect, it } from 'vitest'
import { setUpMarket, setUpTrader } from '../../../e2e/support/market.ts'
import { setUpBrowser } from '../support/browser.ts'
import { ANY_CAMERA } from '../support/camera.ts'
import { hostileCollection, reportsOf } from '../support/hostile.ts'

/** A hostile inscription must neither read nor change anything outside its frame. */
const market = setUpMarket()
const browser = setUpBrowser(ANY_CAMERA)
const owner = setUpTrader(market)

it('isolates an inscription on a page', async () => {
  const { slug, id } = await hostileCollection(market, owner.wallet)
  const visitor = await browser.visitor(market.server.url, { wallet: owner.wallet })
  const { page, context } = visitor
  const left: string[] = []
  context.on('page', (opened) => left.push(`a window: ${opened.url()}`))
  // Requests that the CSP blocks are never sent. Any other request to a foreign host was sent, even if it failed.
  const watch = (request: Request, blocked: boolean) => {
    const { origin, pathname, protocol } = new URL(request.url())
    if (blocked || protocol === 'data:' || protocol === 'blob:') return
    const isContent = pathname.startsWith('/content/') || pathname.startsWith('/r/')
    // The frame has an opaque origin. From this server it may only request content.
    if (origin !== market.server.url || (request.headers().origin === 'null' && !isContent))
      left.push(`asked for ${request.url()}`)
  }
  context.on('requestfinished', (request) => watch(request, false))
  context.on('requestfailed', (request) => watch(request, request.failure()?.errorText === 'csp'))
  page.on('dialog', (dialog) => {
    left.push(`a dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('download', (download) => left.push(`a download: ${download.url()}`))
  await visitor.go('/')
  await visitor.signIn()
  const before = await page.evaluate<string>('JSON.stringify({ ...localStorage })')
  await visitor.go(`/inscription/${id}`)
  const reports = await reportsOf(page, id)
  // If the script did not run, the checks below prove nothing.
  expect(reports.ran).toBe('yes')
  for (const [attempt, outcome] of Object.entries(reports))
    if (attempt !== 'ran' && attempt !== 'recursion')
      expect(`${attempt}: ${outcome}`).toBe(`${attempt}: refused`)
  // The page itself may use the camera.
  expect(
    await page.evaluate(`navigator.mediaDevices.getUserMedia({ video: true }).then(() => 'granted')`),
  ).toBe('granted')
  // Features that inscriptions rely on still work.
  expect(reports.recursion).toBe('works')
  expect(page.url()).toBe(`${market.server.url}/inscription/${id}`)
  expect(left).toEqual([])
  expect(await page.evaluate<string>('JSON.stringify({ ...localStorage })')).toBe(before)
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(`${slug} #0`)
  const cookies = await context.cookies()
  expect(cookies.map((cookie) => cookie.name)).toEqual(['ordbook_session'])
  expect(cookies[0]).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/' })
  await visitor.close()
})

it('isolates an inscription opened directly', async () => {
  const { id } = await hostileCollection(market, owner.wallet)
  const visitor = await browser.visitor(market.server.url, { wallet: owner.wallet })
  await visitor.go('/')
  await visitor.signIn()
  await visitor.page.goto(`${market.server.url}/content/${id}`)
  const reports = await reportsOf(visitor.page, null)
  expect(reports.ran).toBe('yes')
  for (const attempt of [
    'cookies',
    'localStorage',
    'indexedDB',
    'session',
    'form',
    'serviceWorker',
    'popup',
    'camera',
  ])
    expect(`${attempt}: ${reports[attempt]}`).toBe(`${attempt}: refused`)
  await visitor.close()
})

/** Counts requests by route that did not get a 403. Omits requests that inscriptions may make, and /metrics. */
async function answeredByRoute(): Promise<Record<string, number>> {
  const text = await (await fetch(`${market.server.url}/metrics`)).text()
  const counts: Record<string, number> = {}
  for (const [, route, count] of text.matchAll(
    /^ordbook_http_request_seconds_count\{.*route="([^"]*)",status="(?!403)\d+"\} (\d+)$/gm,
  ))
    if (!/^\/(content|r|blockheight|metrics)\b/.test(route!))
      counts[route!] = (counts[route!] ?? 0) + Number(count)
  return counts
}

it('limits the requests of an inscription', async () => {
  const { id } = await hostileCollection(market, owner.wallet)
  const visitor = await browser.visitor(market.server.url)
  await visitor.page.goto(`${market.server.url}/content/${id}`)
  await reportsOf(visitor.page, null)
  // The browser requests an icon automatically.
  const { none: icons, ...before } = await answeredByRoute()
  await visitor.page.goto(`${market.server.url}/content/${id}`)
  const reports = await reportsOf(visitor.page, null)
  expect(reports.recursion).toBe('works')
  for (const [attempt, outcome] of Object.entries(reports))
    if (/^fetch |^(challenge|no-cors|xhr|events|worker|script|stylesheet|api|session|writes)$/.test(attempt))
      expect(`${attempt}: ${outcome}`).toBe(`${attempt}: refused`)
  const { none, ...after } = await answeredByRoute()
  expect(after).toEqual(before)
  expect(none ?? 0).toBe(icons ?? 0)
  await visitor.close()
})

it('blocks navigation of the frame to other paths', async () => {
  const { id } = await hostileCollection(market, owner.wallet, 'leaves')
  const visitor = await browser.visitor(market.server.url)
  const asked: string[] = []
  visitor.context.on('requestfinished', (request) => asked.push(request.url()))
  await visitor.go(`/inscription/${id}`)
  await visitor.page.frameLocator(`iframe[src*="${id}"]`).getByText('leaves').waitFor()
  await visitor.page.waitForTimeout(2000)
  expect(asked.filter((url) => url.includes('/status?'))).toEqual([])
  await visitor.close()
})

it('runs no SVG scripts in a grid', async () => {
  const { slug, id } = await hostileCollection(market, owner.wallet, 'svg')
  const visitor = await browser.visitor(market.server.url)
  await visitor.go(`/collection/${slug}`)
  await visitor.page.locator(`img[src*="${id}"]`).first().waitFor()
  expect(await visitor.page.evaluate('window.owned')).toBeUndefined()
  expect(await visitor.page.locator('iframe').count()).toBe(0)
  await visitor.go(`/inscription/${id}`)
  const frame = visitor.page.locator('iframe')
  await frame.waitFor()
  expect(await frame.getAttribute('sandbox')).toBe('allow-scripts')
  expect(await visitor.page.evaluate('window.owned')).toBeUndefined()
  await visitor.close()
})
