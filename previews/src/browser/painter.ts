import type { Claim, Market } from '../market.ts'
import { NoStill } from '../stills.ts'
import { Browser, type BrowserLimits } from './launch.ts'
import { paint, type Shown } from './render.ts'

/** Pieces after which a browser is replaced, so that nothing adds up. */
const MOST_PIECES = 200

export interface PainterOptions extends BrowserLimits {
  path: string
  milliseconds: number
}

/** Paints one piece after the other in a browser, which is killed and replaced when a piece passes a limit. */
export class Painter {
  private readonly options: PainterOptions
  private readonly market: Market
  private browser: Browser | null = null
  private pieces = 0
  /** Pieces that it paints or that wait for it. */
  taken = 0
  private turn: Promise<unknown> = Promise.resolve()

  constructor(market: Market, options: PainterOptions) {
    this.market = market
    this.options = options
  }

  /** A piece as PNG. Throws NoStill where it is not painted, and other errors where no browser starts. */
  paint(claim: Claim, as: Shown): Promise<Buffer> {
    this.taken++
    const painted = this.turn.then(() => this.paintNow(claim, as)).finally(() => this.taken--)
    this.turn = painted.catch(() => {})
    return painted
  }

  private async paintNow(claim: Claim, as: Shown): Promise<Buffer> {
    const { path, milliseconds } = this.options
    if (this.pieces++ >= MOST_PIECES) await this.end()
    this.browser ??= await Browser.start(path, this.options)
    const { browser } = this
    const late = setTimeout(
      () => browser.kill(`the content takes more than ${milliseconds / 1000} s`),
      milliseconds,
    )
    try {
      return await paint(browser, this.market, claim, as)
    } catch (error) {
      // A page that says why it cannot be painted is as good as closed.
      if (error instanceof NoStill && !browser.passed) throw error
      const { passed } = browser
      await this.end()
      throw new NoStill(passed ?? `the content ended the browser: ${(error as Error).message}`, {
        isFinal: false,
      })
    } finally {
      clearTimeout(late)
      if (!browser.isRunning || browser.passed) await this.end()
    }
  }

  /** Ends the browser; the next piece gets a new one. */
  async end(): Promise<void> {
    const { browser } = this
    this.browser = null
    this.pieces = 0
    await browser?.end()
  }

  /** Ends the browser for good. */
  async close(): Promise<void> {
    await this.end()
    this.market.close()
  }
}

/** Painters side by side, each with a browser and limits of its own. */
export class Painters {
  private readonly painters: readonly Painter[]

  constructor(painters: readonly Painter[]) {
    this.painters = painters
  }

  get count(): number {
    return this.painters.length
  }

  /** A piece as PNG, by the painter that has the least to do. Throws as a painter does. */
  paint(claim: Claim, as: Shown): Promise<Buffer> {
    return this.painters.reduce((least, each) => (each.taken < least.taken ? each : least)).paint(claim, as)
  }

  async end(): Promise<void> {
    await Promise.all(this.painters.map((each) => each.close()))
  }
}
