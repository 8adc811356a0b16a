import { ConfigError } from '@ordbook/db/settings/config.ts'
import { CoreSource } from './core.ts'
import type { ChainSource } from './source.ts'

const SOURCES: Readonly<Record<string, (url: string) => ChainSource>> = {
  'http:': (url) => new CoreSource(url),
  'https:': (url) => new CoreSource(url),
}

/** Opens the chain source at a URL with user name and password. Throws ConfigError for an unknown scheme. */
export function openSource(url: string): ChainSource {
  const { protocol } = new URL(url)
  const open = SOURCES[protocol]
  if (!open)
    throw new ConfigError(
      `BITCOIN_RPC_URL: found ${protocol}//…, expected one of ${Object.keys(SOURCES).join(', ')}`,
    )
  return open(url)
}
