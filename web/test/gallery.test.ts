import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build, type PreviewServer, preview } from 'vite'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ALL_RULES, violations } from './support/axe.ts'
import { startBrowser, Visitor } from './support/browser.ts'
import { comparePicture, isTaking, SIZES, type Size } from './support/pictures.ts'

/** Every component in every state, in a build of its own: the build for visitors has no `/_ui`. */
let browser: Awaited<ReturnType<typeof startBrowser>>
let pages: PreviewServer
const outDir = mkdtempSync(join(tmpdir(), 'ordbook-gallery-'))
beforeAll(async () => {
  const root = join(import.meta.dirname, '..')
  const shared = { root, mode: 'gallery', logLevel: 'warn' } as const
  await build({ ...shared, build: { outDir, emptyOutDir: true } })
  pages = await preview({ ...shared, build: { outDir }, preview: { port: 0, host: '127.0.0.1' } })
  browser = await startBrowser()
}, 180_000)
afterAll(async () => {
  await browser?.close()
  await pages?.close()
  rmSync(outDir, { recursive: true, force: true })
})

/** A visitor whose messages leave by themselves, as they do for everyone who has not asked otherwise. */
async function visitor(width: number, height: number): Promise<Visitor> {
  const origin = pages.resolvedUrls!.local[0]!.replace(/\/$/, '')
  const context = await browser.browser.newContext({ viewport: { width, height }, reducedMotion: 'reduce' })
  const page = await context.newPage()
  const consoleErrors: string[] = []
  page.on('pageerror', (error) => consoleErrors.push(`${error}`))
  const found = new Visitor(origin, context, page, consoleErrors, [])
  await found.go('/_ui')
  await page.getByRole('heading', { level: 1, name: 'Components and states' }).waitFor()
  return found
}

it.each(Object.keys(SIZES) as Size[])(
  'every component looks as kept and axe finds nothing on a %s, in either theme, with a sheet open',
  async (size) => {
    const { width, height } = SIZES[size]
    const one = await visitor(width, height)
    const problems: string[] = []
    for (const colorScheme of ['light', 'dark'] as const) {
      await one.page.emulateMedia({ colorScheme })
      await one.page.waitForFunction(`matchMedia('(prefers-color-scheme: ${colorScheme})').matches`)
      for (const problem of await violations(one, ALL_RULES)) problems.push(`${colorScheme}: ${problem}`)
      const changed = await comparePicture(one.page, `components-${colorScheme}-${size}`, true)
      if (changed) problems.push(changed)
      await one.page.getByRole('button', { name: 'Open the sheet' }).click()
      await one.page.getByRole('dialog').waitFor()
      for (const problem of await violations(one, ALL_RULES))
        problems.push(`${colorScheme}, sheet: ${problem}`)
      await one.page.keyboard.press('Escape')
      await one.page.getByRole('dialog').waitFor({ state: 'detached' })
    }
    expect(problems).toEqual([])
    expect(await one.page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    await one.close()
  },
)

it('a sheet takes the focus and gives it back to its opener', async () => {
  const { page, close } = await visitor(390, 844).then((one) => ({
    page: one.page,
    close: () => one.close(),
  }))
  const opener = page.getByRole('button', { name: 'Open the sheet' })
  const focused = () => page.evaluate<string>('document.activeElement.textContent')
  await opener.click()
  const sheet = page.getByRole('dialog', { name: 'Offer for Keeper #2207' })
  await sheet.waitFor()
  // On a phone it rises from the bottom edge, over the whole width.
  const box = (await sheet.boundingBox())!
  expect([box.x, box.y + box.height]).toEqual([0, 844])
  await page.keyboard.press('Escape')
  await sheet.waitFor({ state: 'detached' })
  expect(await focused()).toBe('Open the sheet')
  await opener.click()
  await page.getByRole('button', { name: 'Review offer' }).click()
  await sheet.waitFor({ state: 'detached' })
  expect(await focused()).toBe('Open the sheet')
  await close()
})

it('a message fits a phone, leaves by itself, and can be dismissed by touch; a refusal stays', async () => {
  const one = await visitor(390, 844)
  const { page } = one
  const messages = page.locator('[data-tone]')
  await page.getByRole('button', { name: 'Bad', exact: true }).click()
  await page.getByRole('button', { name: 'Good', exact: true }).click()
  await page.locator('[data-tone="good"]').waitFor()
  const boxes = await messages.evaluateAll((all) =>
    all.map((each) => {
      const { left, right } = (
        each as unknown as { getBoundingClientRect(): { left: number; right: number } }
      ).getBoundingClientRect()
      return left >= 0 && right <= 390
    }),
  )
  expect(boxes).toEqual([true, true])
  const dismiss = page.locator('[data-tone="bad"]').getByRole('button', { name: 'Dismiss' })
  const box = (await dismiss.boundingBox())!
  expect([box.width, box.height]).toEqual([44, 44])
  expect(box.x + box.width).toBeLessThanOrEqual(390)
  await page.locator('[data-tone="good"]').waitFor({ state: 'detached', timeout: 60_000 })
  expect(await messages.count()).toBe(1)
  // A later message about the same subject takes the place of the earlier one.
  await page.getByRole('button', { name: 'Bad', exact: true }).click()
  expect(await messages.count()).toBe(1)
  await dismiss.click()
  await messages.waitFor({ state: 'detached' })
  await one.close()
})

it('an error of one part stays in that part', async () => {
  const one = await visitor(1440, 900)
  await one.page.getByText('The chart did not load').waitFor()
  expect(await one.page.getByRole('button', { name: 'Buy now' }).count()).toBeGreaterThan(0)
  await one.close()
})

it.skipIf(isTaking)('a component that looks otherwise than kept is named', async () => {
  const one = await visitor(390, 844)
  await one.page
    .getByRole('button', { name: 'Buy now' })
    .first()
    .evaluate((each) => each.remove())
  expect(await comparePicture(one.page, 'components-light-phone', true)).toMatch(/differ/)
  expect(await comparePicture(one.page, 'components-none')).toMatch(/no picture yet/)
  await one.close()
})
