import { endWhenIdle } from '../idle.ts'
import type { Limits } from '../limits.ts'
import type { Claim, Market } from '../market.ts'
import { NoThumbnail } from '../thumbnails.ts'
import { Browser } from './launch.ts'
import { paint, type Shown } from './render.ts'

/** Items per browser, so that leaks do not accumulate. */
const MAX_PIECES = 200

export interface PainterOptions {
  path: string
  limits: Limits
  /** Processors of its browser. */
  processors: readonly number[]
  idleMilliseconds: number
}

/** Renders one item at a time in a browser. Replaces the browser when an item exceeds a limit, and ends it when idle. */
export class Painter {
  private readonly options: PainterOptions
  private readonly market: Market
  private browser: Browser | null = null
  private pieces = 0
  /** Items being rendered or waiting. */
  taken = 0
  private turn: Promise<unknown> = Promise.resolve()
  private readonly using: ReturnType<typeof endWhenIdle>

  constructor(market: Market, options: PainterOptions) {
    this.market = market
    this.options = options
    // A profile that cannot be deleted does not affect the next browser.
    this.using = endWhenIdle(options.idleMilliseconds, () => void this.end().catch(() => {}))
  }

  /** Renders an item to PNG. Throws NoThumbnail if it cannot be rendered, other errors if no browser starts. */
  paint(claim: Claim, as: Shown): Promise<Buffer> {
    return this.inTurn(() => this.paintNow(claim, as))
  }

  /** Throws if the browser fails to start. */
  prepare(): Promise<Browser> {
    return this.inTurn(() => this.start())
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    this.taken++
    const done = this.turn.then(() => this.using(work)).finally(() => this.taken--)
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
      // The page reported the failure itself, so the browser is still usable.
      if (error instanceof NoThumbnail && !browser.passed) throw error
      const { passed } = browser
      await this.end()
      throw new NoThumbnail(passed ?? `the content crashed the browser: ${(error as Error).message}`, {
        isFinal: false,
      })
    } finally {
      if (!browser.isRunning || browser.passed) await this.end()
    }
  }

  /** Stops the browser. The next item starts a new one. */
  async end(): Promise<void> {
    const { browser } = this
    this.browser = null
    this.pieces = 0
    await browser?.end()
  }

  async close(): Promise<void> {
    await this.end()
    this.market.close()
  }
}

/** Concurrent painters with separate browsers and limits. */
export class Painters {
  private readonly painters: readonly Painter[]

  constructor(painters: readonly Painter[]) {
    this.painters = painters
  }

  /** Renders an item to PNG with the least busy painter. Throws like `Painter.paint`. */
  paint(claim: Claim, as: Shown): Promise<Buffer> {
    return this.idlest().paint(claim, as)
  }

  /** Starts the browser of the least busy painter. Throws on failure. */
  async prepare(): Promise<void> {
    await this.idlest().prepare()
  }

  private idlest(): Painter {
    return this.painters.reduce((least, each) => (each.taken < least.taken ? each : least))
  }

  async end(): Promise<void> {
    await Promise.all(this.painters.map((painter) => painter.close()))
  }
}
