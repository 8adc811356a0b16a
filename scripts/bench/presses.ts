import type { CDPSession, ElementHandle } from 'playwright-core'
import type { Visitor } from '../../web/test/support/browser.ts'

/** A control of a page. */
export interface Control {
  /** Equal for controls of one kind, as the boxes of all cards. */
  key: string
  name: string
}

/** Finds the controls of the page in view, one of each kind, and numbers them for `press`. Runs in the page. */
const FIND = `(() => {
  const found = new Map()
  const open = [...document.querySelectorAll('dialog[open]')].at(-1)
  const all = (open ?? document).querySelectorAll('button, summary, select, input, textarea, [role=tab]')
  for (const node of all) {
    const { width, height } = node.getBoundingClientRect()
    if (node.disabled || width === 0 || height === 0 || !node.checkVisibility({ visibilityProperty: true })) continue
    const label = node.getAttribute('aria-label') ?? node.labels?.[0]?.innerText ?? (node.innerText || node.placeholder || node.type)
    const name = label.trim().replace(/\\s+/g, ' ').slice(0, 40)
    const place = node.closest('article') ? 'card' : node.type === 'checkbox' ? 'value' : ''
    const key = [node.tagName, place || name.replace(/[\\d.,]+/g, '#'), node.type ?? ''].join(' ') + (place === 'card' ? name.split(' ')[0] : '')
    if (!found.has(key)) found.set(key, { name, node })
  }
  globalThis.benchControls = new Map([...found].map(([key, { node }]) => [key, node]))
  return [...found].map(([key, { name }]) => ({ key, name }))
})()`

/** Keeps the longest duration of an interaction since it was last set to 0. Runs in the page. */
const OBSERVE = `
  try { localStorage.clear(), sessionStorage.clear() } catch {}
  globalThis.benchLongest = 0
  new PerformanceObserver((list) => {
    for (const each of list.getEntries())
      if (each.interactionId > 0) globalThis.benchLongest = Math.max(globalThis.benchLongest, each.duration)
  }).observe({ type: 'event', durationThreshold: 16 })`

/** Time for the work of a press and for the report on it, in milliseconds. */
const SETTLE = 500

/** Presses controls of a page as a visitor does, and measures each. */
export class Presses {
  private readonly page: Visitor['page']
  private readonly url: string

  private readonly session: CDPSession
  private readonly slowdown: number

  private constructor(page: Visitor['page'], url: string, session: CDPSession, slowdown: number) {
    this.page = page
    this.url = url
    this.session = session
    this.slowdown = slowdown
  }

  /** For the page at `url`; presses are measured with the processor slowed down so many times. */
  static async on({ page, context }: Visitor, url: string, slowdown: number): Promise<Presses> {
    await page.addInitScript(OBSERVE)
    return new Presses(page, url, await context.newCDPSession(page), slowdown)
  }

  private slow(rate: number): Promise<unknown> {
    return this.session.send('Emulation.setCPUThrottlingRate', { rate })
  }

  /** Loads the page afresh, without what was kept by an earlier press; its controls. */
  async begin(): Promise<Control[]> {
    await this.slow(1)
    await this.page.goto(this.url)
    await this.page.getByRole('article').nth(5).waitFor({ timeout: 30_000 })
    await this.page.waitForTimeout(SETTLE)
    return this.controls()
  }

  /** Whether the page is still the one that was loaded. */
  isAtHome(): boolean {
    return new URL(this.page.url()).pathname === new URL(this.url).pathname
  }

  controls(): Promise<Control[]> {
    return this.page.evaluate<Control[]>(FIND)
  }

  /** The control in view now: a press before it may have drawn the page again. */
  private async find(key: string): Promise<ElementHandle | null> {
    await this.controls()
    const handle = await this.page.evaluateHandle(`globalThis.benchControls.get(${JSON.stringify(key)})`)
    return handle.asElement() as ElementHandle | null
  }

  /** Presses a control: a click, and for a field its keys. Milliseconds to the next paint; null where it is gone. */
  async press({ key }: Control): Promise<number | null> {
    // A grid draws what scrolling brings into view.
    await (await this.find(key))?.evaluate('(node) => node.scrollIntoView({ block: "center" })')
    await this.page.waitForTimeout(SETTLE / 2)
    const element = await this.find(key)
    const box = await element?.boundingBox()
    if (!element || !box) return null
    const tag = await element.evaluate<string, { nodeName: string }>((node) => node.nodeName)
    const type = await element.getAttribute('type')
    await this.slow(this.slowdown)
    await this.page.evaluate('globalThis.benchLongest = 0')
    if (tag === 'SELECT') {
      await element.focus()
      await this.page.keyboard.press('ArrowDown')
    } else await this.page.mouse.click(box.x + box.width / 2, box.y + box.height / 2)
    if ((tag === 'INPUT' && type !== 'checkbox' && type !== 'range') || tag === 'TEXTAREA')
      await this.page.keyboard.type('12', { delay: 100 })
    await this.page.waitForTimeout(SETTLE)
    const took = await this.page.evaluate<number>('globalThis.benchLongest')
    await this.slow(1)
    return took
  }
}
