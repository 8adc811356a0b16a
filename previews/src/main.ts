import { availableParallelism } from 'node:os'
import { serveHealth } from '@ordbook/process/health.ts'
import { closeOnSignal, endOnUnexpected } from '@ordbook/process/process-policy.ts'
import { ConfigError } from '@ordbook/process/variables.ts'
import { pino } from 'pino'
import { findBrowser } from './browser/launch.ts'
import { Painter, Painters } from './browser/painter.ts'
import { drawCards } from './cards.ts'
import { type RendererConfig, readRendererConfig } from './config.ts'
import { rendererHealth } from './health.ts'
import { limitsOf } from './limits.ts'
import { memoryForRenderer, processors, shareOf, workerCount } from './machine.ts'
import { Market } from './market.ts'
import { Outages } from './outages.ts'
import { Rasters } from './raster/rasters.ts'
import { PAINTED, PLAIN, render } from './renderer.ts'

/**
 * `ordbook market previews`: renders thumbnails as a separate process and user. Jobs come from the market's socket. The process has no
 * network, database or keys.
 */

/** Separate connections and processors, so that painters do not wait for each other's content. */
function paintersOf(
  count: number,
  config: RendererConfig & { previewSocket: string },
  path: string,
): Painters {
  const painter = (n: number) =>
    new Painter(new Market(config.previewSocket), {
      path,
      limits: limitsOf(config.previewSeconds, config.previewBrowserMegabytes),
      processors: shareOf(processors(), n, count),
      idleMilliseconds: config.previewIdleMilliseconds,
    })
  return new Painters(Array.from({ length: count }, (_, n) => painter(n)))
}

async function startRenderer(config: RendererConfig & { previewSocket: string }): Promise<void> {
  if (process.getuid?.() === 0)
    throw new ConfigError(
      'The preview renderer must not run as root, because Chromium has no sandbox then. Run it as a separate user, for example `runuser -u ordbook-previews -- ordbook market previews`',
    )
  const log = pino({ level: config.logLevel }, pino.destination({ dest: 2, sync: true }))
  endOnUnexpected(log)
  const stopping = new AbortController()
  const market = new Market(config.previewSocket)
  const limits = limitsOf(config.previewSeconds, config.previewPictureMegabytes)
  const path = process.platform === 'linux' ? findBrowser(config.chromium) : null
  if (!path) log.warn('no browser found, rendering only images and text (Debian: chromium-headless-shell)')
  const count =
    config.previewConcurrency ||
    workerCount({ cores: availableParallelism(), bytes: memoryForRenderer() }, config)
  const painters = path ? paintersOf(count, config, path) : null
  const lanes = (painters ? [PLAIN, PAINTED] : [PLAIN]).flatMap((kinds) =>
    Array.from({ length: count }, () => ({
      kinds,
      rasters: new Rasters(limits, config.previewIdleMilliseconds),
      painters,
    })),
  )
  const outages = new Outages(log)
  const health = rendererHealth(outages, { lanes: lanes.length, hasBrowser: path !== null })
  const healthServer = config.healthSocket === null ? null : await serveHealth(config.healthSocket, health)
  const work = { log, outages, count: health.count, stopping: stopping.signal }
  const cards = new Rasters(
    limitsOf(config.previewCardSeconds, config.previewCardMegabytes),
    config.previewIdleMilliseconds,
  )
  const working = [...lanes.map((lane) => render(market, lane, work)), drawCards(market, cards, work)]
  const close = async () => {
    stopping.abort()
    await painters?.end()
    for (const { rasters } of lanes) rasters.end()
    cards.end()
    await Promise.all(working)
    market.close()
    healthServer?.close()
  }
  closeOnSignal(log, close)
  // The parent holds our standard input open, so it closes when the parent dies, even by SIGKILL.
  if (process.env.ORDBOOK_STOP_WITH_PARENT)
    process.stdin.on('end', () => process.kill(process.pid, 'SIGTERM')).resume()
}

try {
  await startRenderer(readRendererConfig(process.env))
  console.log('ordbook previews')
} catch (error) {
  console.error(error instanceof ConfigError ? error.message : error)
  process.exitCode = 1
}
