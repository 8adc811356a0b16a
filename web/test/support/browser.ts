import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import { Client } from '@ordbook/sdk/client.ts'
import type { LocalWallet } from '@ordbook/sdk/wallet.ts'
import { type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { beforeAll, expect } from 'vitest'
import { faultsIn, LISTEN, messageIn } from './said.ts'
import { injectWallet, type Lists, type WalletKind } from './wallets.ts'

const PLACES = [
  process.env.CHROMIUM,
  // Prefer the headless shell: browser windows take most of the CPU time.
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]

/** Returns the browser's path. Throws if there is none, so that these suites cannot pass by being skipped. */
function browserPath(): string {
  const found = PLACES.find((place) => place && existsSync(place))
  if (!found)
    throw new Error(
      'Chromium not found: install it (Debian: apt-get install chromium-headless-shell), or set CHROMIUM to its path',
    )
  return found
}

export type TestBrowser = Awaited<ReturnType<typeof startBrowser>>

/** Starts a browser before the tests of a file and closes it after them. The returned object is empty until the browser has started. */
export function setUpBrowser(args?: readonly string[]): TestBrowser {
  const browser = {} as TestBrowser
  beforeAll(async () => {
    Object.assign(browser, await startBrowser(args))
    return () => browser.close()
  })
  return browser
}

/** Starts a browser with additional arguments. */
export async function startBrowser(args: readonly string[] = []) {
  const directory = mkdtempSync(join(tmpdir(), 'ordbook-browser-'))
  const browser = await chromium.launch({
    executablePath: browserPath(),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      ...args,
    ],
  })
  const visitors: Visitor[] = []
  return {
    browser,
    async close() {
      await browser.close()
      rmSync(directory, { recursive: true, force: true })
      for (const visitor of visitors) visitor.assertWellSaid()
    },
    /**
     * Opens the storefront, with or without a wallet. `lists` replaces the index in which the wallet finds its inscriptions. Default: the
     * market's index; null: the wallet cannot list them.
     */
    async visitor(
      origin: string,
      options: {
        wallet?: LocalWallet
        kind?: WalletKind
        lists?: Lists | null
        context?: BrowserContextOptions
      } = {},
    ): Promise<Visitor> {
      const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options.context })
      const page = await context.newPage()
      // Keep messages on screen, because a slow machine may look too late. Opaque origins have no localStorage.
      await page.addInitScript(`try { localStorage.setItem('messages', 'stay') } catch {}`)
      await page.addInitScript(LISTEN)
      const consoleErrors: string[] = []
      const said: string[] = []
      page.on('pageerror', (error) => consoleErrors.push(`${error}`))
      page.on('console', (message) => {
        const text = message.text()
        const heard = messageIn(text)
        if (heard !== null) said.push(heard)
        if (message.type() === 'error') consoleErrors.push(`${text} (${message.location().url})`)
      })
      const asked: string[] = []
      const { wallet, kind = 'xverse', lists = listedBy(origin) } = options
      if (wallet) await injectWallet(page, wallet, { kind, lists: lists ?? undefined }, asked)
      const visitor = new Visitor(origin, context, page, consoleErrors, asked, said)
      visitors.push(visitor)
      return visitor
    },
  }
}

/** Lists the inscriptions at an address in the market's index. */
export const listedBy = (origin: string) => async (address: string) => {
  const client = new Client(`${origin}/web/v1`)
  const { holdings } = await client.call('listHoldings', { params: { address }, query: { limit: 100 } })
  return holdings.map(({ inscriptionId, outpoint }) => ({ inscriptionId, output: formatOutpoint(outpoint) }))
}

/** Name of the button that signs in a review. */
export const SIGN = /^Sign\b.* in /

export class Visitor {
  readonly origin: string
  readonly context: BrowserContext
  readonly page: Page
  readonly consoleErrors: string[]
  /** Messages on the pages, in order. Checked by `assertWellSaid`. */
  readonly said: string[]
  /** Wallet methods called by pages, in order. */
  readonly asked: string[]

  constructor(
    origin: string,
    context: BrowserContext,
    page: Page,
    consoleErrors: string[],
    asked: string[],
    said: string[] = [],
  ) {
    this.origin = origin
    this.context = context
    this.page = page
    this.consoleErrors = consoleErrors
    this.said = said
    this.asked = asked
  }

  async go(path: string): Promise<void> {
    await this.page.goto(`${this.origin}${path}`)
    // The server-rendered view has a heading but is not interactive. Wait until the client has replaced it.
    await this.page
      .locator('body:not(:has(#view))')
      .waitFor({ state: 'attached', timeout: 15_000 })
      .catch(() => {})
    // Keyboard shortcuts work after the first paint. The evaluation fails if the page redirects.
    await this.page
      .evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)))')
      .catch(() => {})
  }

  async signIn(name = 'Xverse'): Promise<void> {
    const { page } = this
    await page.getByRole('button', { name: 'Connect wallet', exact: true }).first().click()
    const dialog = page.getByRole('dialog', { name: 'Connect wallet' })
    await dialog.getByRole('button', { name: new RegExp(`^${name}`) }).click()
    await page.locator('[data-account]').waitFor()
  }

  async signOut(): Promise<void> {
    await this.page.locator('[data-account]').click()
    await this.page.getByRole('button', { name: 'Sign out', exact: true }).click()
  }

  /** Confirms the review dialog, and what it asks to know, and returns its text. Throws if a notice appears instead. */
  async confirm(): Promise<string> {
    const button = this.page.getByRole('button', { name: SIGN })
    const blocked = this.page.getByRole('button', { name: 'Tick the box to sign' })
    // The inbox can announce other events at any time.
    const notice = this.page.locator('[data-tone]:not([data-tone="note"])')
    await button.or(blocked).or(notice).first().waitFor()
    if ((await blocked.count()) > 0)
      for (const box of await this.page.getByLabel(/^I know /).all()) await box.check()
    if ((await button.count()) === 0)
      throw new Error(`expected a review, got a notice: ${await notice.textContent()}`)
    const text = await this.page.getByRole('dialog').filter({ has: button }).textContent()
    await button.click()
    return text ?? ''
  }

  /** Waits for a notice, dismisses it and returns its text. Fails if it does not match, except for announcements of the inbox. */
  async told(text: string | RegExp): Promise<string> {
    const notice = this.page.locator('[data-tone]').first()
    for (;;) {
      await notice.waitFor({ timeout: 30_000 })
      // Titles contain the whole of abbreviated ids.
      const [tone, found]: [string, string] = await notice.evaluate((node) => {
        const whole = node.cloneNode(true)
        for (const id of whole.querySelectorAll('abbr')) id.textContent = id.title
        return [node.getAttribute('data-tone'), whole.textContent]
      })
      const isMatch = typeof text === 'string' ? found.includes(text) : text.test(found)
      if (!isMatch && tone !== 'note') expect(found).toMatch(text)
      await notice.getByRole('button', { name: 'Dismiss' }).click()
      if (isMatch) return found
    }
  }

  assertQuiet(): void {
    expect(this.consoleErrors).toEqual([])
  }

  /** Throws if a message contained an API field name, a full id or a wrong plural. */
  assertWellSaid(): void {
    const faults = this.said.splice(0).flatMap(faultsIn)
    if (faults.length > 0) throw new Error(faults.join('\n'))
  }

  async close(): Promise<void> {
    await this.context.close()
    this.assertWellSaid()
  }
}
