import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Painters } from './browser/painter.ts'
import type { Claim, Kind, Market } from './market.ts'
import type { Outages } from './outages.ts'
import type { Rasters } from './raster/rasters.ts'
import { NoThumbnail, type Thumbnails } from './thumbnails.ts'

/** First and longest pause while the queue is empty, and while the market or the renderer fails. It doubles each time. */
const MIN_PAUSE = 1000
const MAX_PAUSE = { empty: 8000, failed: 30_000 }
/** The market's claims last two minutes. */
const RENEW_MILLISECONDS = 40_000
/** Kinds that need no browser, and kinds that do. */
export const PLAIN: readonly Kind[] = ['raster', 'text']
export const PAINTED: readonly Kind[] = ['document', 'video', 'audio', 'model']

export interface WorkerKind {
  kinds: readonly Kind[]
  rasters: Rasters
  /** Null to skip items that need a browser. */
  painters: Painters | null
}

interface Work {
  log: Logger
  outages: Outages
  count: (kind: Kind, result: 'rendered' | 'failed') => void
  stopping: AbortSignal
}

/** Renders items one at a time until the signal aborts. */
export async function render(market: Market, lane: WorkerKind, work: Work): Promise<void> {
  const { outages, stopping } = work
  let emptyPause = MIN_PAUSE
  let failurePause = MIN_PAUSE
  while (!stopping.aborted) {
    try {
      // After a failure, start the processes first, so that the next item does not lose an attempt.
      if (outages.has(lane)) await prepare(lane)
      const claim = await market.claim(lane.kinds)
      if (claim) await renderOne(market, lane, claim, work)
      outages.end(lane)
      failurePause = MIN_PAUSE
      if (!claim) await pauseFor(emptyPause, stopping)
      emptyPause = claim ? MIN_PAUSE : Math.min(2 * emptyPause, MAX_PAUSE.empty)
    } catch (error) {
      if (stopping.aborted) return
      outages.begin(lane, error)
      await pauseFor(failurePause, stopping)
      failurePause = Math.min(2 * failurePause, MAX_PAUSE.failed)
    }
  }
}

/** Starts a worker's processes. Throws on failure. */
async function prepare({ kinds, rasters, painters }: WorkerKind): Promise<void> {
  await rasters.prepare()
  if (kinds === PAINTED) await painters?.prepare()
}

async function renderOne(
  market: Market,
  lane: WorkerKind,
  claim: Claim,
  { log, count }: Work,
): Promise<void> {
  const { key, inscriptionId, kind } = claim
  const began = performance.now()
  const renewals = setInterval(() => void market.renew(key).catch(() => {}), RENEW_MILLISECONDS)
  try {
    await market.keep(key, await thumbnailsOf(market, lane, claim))
    count(kind, 'rendered')
    log.debug({ inscriptionId, kind, ms: Math.round(performance.now() - began) }, 'rendered')
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    count(kind, 'failed')
    log.info({ inscriptionId, kind, reason }, 'not rendered')
    await market.fail(key, reason, error instanceof NoThumbnail && error.isFinal)
    if (!(error instanceof NoThumbnail)) throw error
  } finally {
    clearInterval(renewals)
  }
}

async function thumbnailsOf(
  market: Market,
  { rasters, painters }: WorkerKind,
  claim: Claim,
): Promise<Thumbnails> {
  const { kind, inscriptionId } = claim
  const { status, body } = await market.get(`/content/${inscriptionId}`)
  if (status !== 200)
    throw new NoThumbnail(`the market returned ${status} for the content`, { isFinal: status === 406 })
  if (body.length === 0) throw new NoThumbnail('the content is empty', { isFinal: true })
  if (kind === 'raster' || kind === 'text')
    return rasters
      .thumbnailsOf({ kind: kind === 'text' ? 'text' : 'picture', bytes: body })
      .catch(async (error) => {
        if (!painters || !/unsupported image format/.test(error.message)) throw error
        return rasters.thumbnailsOf({ kind: 'picture', bytes: await painters.paint(claim, 'picture') })
      })
  if (!painters) throw new NoThumbnail(`this renderer has no browser to render ${kind}`, { isFinal: true })
  return rasters.thumbnailsOf({ kind: 'picture', bytes: await painters.paint(claim, kind) })
}

const pauseFor = (milliseconds: number, signal: AbortSignal) =>
  sleep(milliseconds, undefined, { signal }).catch(() => {})
