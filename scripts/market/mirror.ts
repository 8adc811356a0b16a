import { openLog } from '@ordbook/db/process/log.ts'
import { ConfigError, readConfig } from '@ordbook/db/settings/config.ts'
import { startMirror } from '@ordbook/operations/mirror/mirror.ts'
import { closeOnSignal, endOnUnexpected } from '@ordbook/process/process-policy.ts'

export async function runMirror(
  url: string,
  folder: string,
  { market, 'most-gigabytes': gigabytes = '100' }: { market?: string; 'most-gigabytes'?: string },
): Promise<void> {
  if (market !== undefined && !/^[0-9a-f]{64}$/.test(market))
    throw new ConfigError(`--market: found ${market}, expected the 64 hex digits of the market's cosignKey`)
  if (!(Number(gigabytes) > 0))
    throw new ConfigError(`--most-gigabytes: found ${gigabytes}, expected a number above 0`)
  const config = readConfig(process.env)
  const log = openLog({ logLevel: config.logLevel, roles: ['mirror'] })
  const mirror = await startMirror(config, {
    url,
    folder,
    market: market ?? null,
    mostBytes: Number(gigabytes) * 1e9,
    log,
    now: new Date(),
  })
  endOnUnexpected(log)
  closeOnSignal(log, () => mirror.close())
  log.info(
    { url: mirror.url, of: url, ...mirror.copy.identity, position: mirror.copy.signed?.position ?? 0 },
    'mirror started',
  )
}
