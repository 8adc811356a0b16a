import type { Limits } from '../limits.ts'
import type { Claim, Market } from '../market.ts'
import { NoThumbnail } from '../thumbnails.ts'
import { Browser } from './launch.ts'
import { paint, type Shown } from './render.ts'

/** Pieces after which a browser is replaced, so that nothing adds up. */
const MAX_PIECES = 200

export interface PainterOptions {
  path: string
  limits: Limits
  /** The processors that its browser may use. */
  processors: readonly number[]
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

  /** Renders an item to PNG. Throws NoThumbnail if it cannot be rendered, and other errors if no browser starts. */
  paint(claim: Claim, as: Shown): Promise<Buffer> {
    return this.inTurn(() => this.paintNow(claim, as))
  }

  /** Starts the browser. Throws where it does not start. */
  prepare(): Promise<Browser> {
    return this.inTurn(() => this.start())
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    this.taken++
    const done = this.turn.then(work).finally(() => this.taken--)
    this.turn = done.catch(() => {})
    return done
  }

  private async start(): Promise<Browser> {
    this.browser ??= await Browser.start(this.options.path, this.options.processors)
    return this.browser
  }

  private async paintNow(claim: Claim, as: Shown): Promise<Buffer> {
    if (this.pieces++ >= MAX_PIECES) await this.end()
    const browser = await this.start()
    try {
      return await browser.within(this.options.limits, () => paint(browser, this.market, claim, as))
    } catch (error) {
      // A page that reported why it cannot be rendered is done.
      if (error instanceof NoThumbnail && !browser.passed) throw error
      const { passed } = browser
      await this.end()
      throw new NoThumbnail(passed ?? `the content ended the browser: ${(error as Error).message}`, {
        isFinal: false,
      })
    } finally {
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

/** Concurrent painters, each with a separate browser and limits. */
export class Painters {
  private readonly painters: readonly Painter[]

  constructor(painters: readonly Painter[]) {
    this.painters = painters
  }

  /** A piece as PNG, by the painter that has the least to do. Throws as a painter does. */
  paint(claim: Claim, as: Shown): Promise<Buffer> {
    return this.idlest().paint(claim, as)
  }

  /** Starts the browser of the painter that has the least to do. Throws where it does not start. */
  async prepare(): Promise<void> {
    await this.idlest().prepare()
  }

  private idlest(): Painter {
    return this.painters.reduce((least, each) => (each.taken < least.taken ? each : least))
  }

  async end(): Promise<void> {
    await Promise.all(this.painters.map((each) => each.close()))
  }
}
