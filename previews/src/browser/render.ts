import { setTimeout as sleep } from 'node:timers/promises'
import type { Claim, Market } from '../market.ts'
import { NoThumbnail } from '../thumbnails.ts'
import type { Browser } from './launch.ts'
import { partsOfThree } from './models.ts'
import { PLAYER, PLAYERS } from './players.ts'
import { type OwnPages, Requests } from './requests.ts'

/** Viewport in CSS pixels, and device pixels per CSS pixel. */
const WINDOW = 512
const SCALE = 2
/**
 * A document is captured once it has loaded and no request is pending, or after this time on the browser's clock. The capture is repeated
 * until two are equal.
 */
const LOAD_MILLISECONDS = 9000
const LOOK_MILLISECONDS = 300
const MAX_LOOKS = 9
const POLL_MILLISECONDS = 50
/** Time limit for closing a page. */
const CLOSE_MILLISECONDS = 3000

/** The page that shows an item: the document itself, or a player. */
export type Shown = 'document' | keyof typeof PLAYERS

/** Renders an item to PNG in a separate browser context. Throws NoThumbnail. The caller must kill a browser that hangs. */
export async function paint(browser: Browser, market: Market, claim: Claim, as: Shown): Promise<Buffer> {
  const { protocol } = browser
  const { browserContextId } = await protocol.call('Target.createBrowserContext', { disposeOnDetach: true })
  try {
    const page = await openPage(browser, browserContextId)
    const requests = answerRequests(browser, market, claim, as)
    const problem = watchPage(browser)
    const work =
      as === 'document' ? drawDocument(browser, page, { claim, requests }) : play(browser, page, claim)
    return await Promise.race([work, problem])
  } finally {
    const closing = protocol.call('Target.disposeBrowserContext', { browserContextId })
    const closed = await Promise.race([
      closing.then(
        () => true,
        () => true,
      ),
      sleep(CLOSE_MILLISECONDS, false),
    ])
    if (!closed) browser.kill('the page of the content does not close')
  }
}

async function openPage({ protocol }: Browser, browserContextId: string): Promise<string> {
  await protocol.call('Browser.setDownloadBehavior', { behavior: 'deny', browserContextId })
  const { targetId } = await protocol.call('Target.createTarget', {
    url: 'about:blank',
    browserContextId,
    width: WINDOW,
    height: WINDOW,
  })
  const { sessionId } = await protocol.call('Target.attachToTarget', { targetId, flatten: true })
  await protocol.call('Page.enable', {}, sessionId)
  await protocol.call('Inspector.enable', {}, sessionId)
  await protocol.call(
    'Emulation.setDeviceMetricsOverride',
    { width: WINDOW, height: WINDOW, deviceScaleFactor: SCALE, mobile: false },
    sessionId,
  )
  return sessionId
}

/** Serves the requests of the page, its frames and its workers. */
function answerRequests({ protocol }: Browser, market: Market, claim: Claim, as: Shown): Requests {
  const pages: OwnPages =
    as === 'document'
      ? {}
      : {
          [PLAYER]: { type: 'text/html; charset=utf-8', body: PLAYERS[as] },
          ...(as === 'model' ? partsOfThree() : {}),
        }
  const requests = new Requests(protocol, market, { origin: claim.origin, pages })
  protocol.on('Fetch.requestPaused', (paused, sessionId) => void requests.answer(paused, sessionId))
  protocol.on('Page.javascriptDialogOpening', (_, sessionId) => {
    protocol.call('Page.handleJavaScriptDialog', { accept: false }, sessionId).catch(() => {})
  })
  // Cross-site frames and workers stay paused until their requests are intercepted too.
  protocol.on('Target.attachedToTarget', ({ sessionId }) => void prepare(sessionId))
  const prepare = async (sessionId: string) => {
    const also = (method: string, params: object = {}) =>
      protocol.call(method, params, sessionId).catch(() => {})
    await Promise.all([
      also('Fetch.enable', { patterns: [{ urlPattern: '*' }] }),
      also('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: true, flatten: true }),
      also('Page.enable'),
      also('Runtime.runIfWaitingForDebugger'),
    ])
  }
  return requests
}

function watchPage({ protocol }: Browser): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>()
  promise.catch(() => {})
  protocol.on('Inspector.targetCrashed', () =>
    reject(new NoThumbnail('the content crashed its page', { isFinal: true })),
  )
  return promise
}

async function listen({ protocol }: Browser, sessionId: string): Promise<void> {
  await protocol.call('Fetch.enable', { patterns: [{ urlPattern: '*' }] }, sessionId)
  await protocol.call(
    'Target.setAutoAttach',
    { autoAttach: true, waitForDebuggerOnStart: true, flatten: true },
    sessionId,
  )
}

async function drawDocument(
  browser: Browser,
  sessionId: string,
  { claim, requests }: { claim: Claim; requests: Requests },
): Promise<Buffer> {
  const { protocol } = browser
  await listen(browser, sessionId)
  let hasLoaded = false
  protocol.on('Page.loadEventFired', (_, from) => (hasLoaded ||= from === sessionId))
  const isSvg = /^\s*image\/svg\+xml/i.test(claim.contentType ?? '')
  if (isSvg)
    await protocol.call(
      'Emulation.setDefaultBackgroundColorOverride',
      { color: { r: 0, g: 0, b: 0, a: 0 } },
      sessionId,
    )
  const { errorText } = await protocol.call(
    'Page.navigate',
    { url: `${claim.origin}/content/${claim.inscriptionId}` },
    sessionId,
  )
  if (errorText) throw new NoThumbnail(`the content failed to load: ${errorText}`, { isFinal: false })
  await untilLoaded(browser, () => hasLoaded && requests.onTheWay === 0)
  const clip = isSvg ? await clipOfSvg(browser, sessionId) : null
  let before: string | null = null
  for (let looks = 1; ; looks++) {
    await sleep(LOOK_MILLISECONDS)
    const data = await capture(browser, sessionId, clip)
    const isSettled = data === before && requests.onTheWay === 0
    if (isSettled || looks === MAX_LOOKS) return Buffer.from(data, 'base64')
    before = data
  }
}

async function untilLoaded(browser: Browser, hasLoaded: () => boolean): Promise<void> {
  const began = performance.now()
  const clock = browser.clock()
  // The clock reads all of /proc, so only after the time has passed on the wall clock.
  const isLate = () => performance.now() - began > LOAD_MILLISECONDS && clock() > LOAD_MILLISECONDS
  while (!hasLoaded() && !isLate()) await sleep(POLL_MILLISECONDS)
}

/** Returns the area of a fixed-size SVG, or null if it fills the window. */
async function clipOfSvg({ protocol }: Browser, sessionId: string): Promise<object | null> {
  const { result } = await protocol.call(
    'Runtime.evaluate',
    {
      expression:
        '(({ x, y, width, height }) => [x, y, width, height])(document.documentElement.getBoundingClientRect())',
      returnByValue: true,
    },
    sessionId,
  )
  const box: unknown = result?.value
  if (!Array.isArray(box) || !box.every((each) => Number.isFinite(each) && each >= 0)) return null
  const [x, y, width, height] = box as [number, number, number, number]
  const longest = Math.max(width, height)
  if (width < 1 || height < 1 || longest > 4096) return null
  return { x, y, width, height, scale: WINDOW / longest }
}

/** Takes a screenshot. Returns a PNG in base64. */
async function capture({ protocol }: Browser, sessionId: string, clip: object | null): Promise<string> {
  const { data } = await protocol.call(
    'Page.captureScreenshot',
    { format: 'png', optimizeForSpeed: true, ...(clip ? { clip, captureBeyondViewport: true } : {}) },
    sessionId,
  )
  return data
}

/** Plays media until it is drawn. */
async function play(browser: Browser, sessionId: string, claim: Claim): Promise<Buffer> {
  const { protocol } = browser
  await listen(browser, sessionId)
  const url = new URL(PLAYER, claim.origin)
  url.searchParams.set('source', `/content/${claim.inscriptionId}`)
  await protocol.call('Page.navigate', { url: url.href }, sessionId)
  for (;;) {
    const { result } = await protocol.call('Runtime.evaluate', { expression: 'window.outcome' }, sessionId)
    if (result?.value === 'done') return Buffer.from(await capture(browser, sessionId, null), 'base64')
    if (typeof result?.value === 'string') throw new NoThumbnail(result.value, { isFinal: true })
    await sleep(POLL_MILLISECONDS)
  }
}
