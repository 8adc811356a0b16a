import { choice, decimal, integer, optional, readVariables, text, url } from '@ordbook/process/variables.ts'
import type { Environment } from './variables.ts'

/** Settings of the storefront. */
export const siteVariables = {
  MARKET_NAME: text('ordbook', 'Name of this market in the storefront.'),
  EXPLORER_URL: url(
    null,
    ['http:', 'https:'],
    'Base address of a block explorer, such as https://mempool.space; the storefront links transactions at /tx/ID below it. Without it there are no such links.',
  ),
  FIAT_CURRENCY: text('USD', 'Currency in which the storefront shows prices too.'),
  FIAT_PER_BTC: decimal(0, 0, 1e9, 'Price of a bitcoin in that currency; 0: prices are in bitcoin alone.'),
  TEST_WALLETS: choice(
    ['on', 'off'],
    'off',
    'Offers the wallets of the demo in the storefront; their keys are public. On regtest only; on by default on the devnet.',
  ),
  PREVIEW_SOCKET: optional(
    'Socket at which preview renderers take their work; default: none, and pages show originals of pictures and drawings in place of stills.',
  ),
  PREVIEW_MEGABYTES: integer(
    4096,
    16,
    10_000_000,
    'Room for stills in the database; beyond it the largest go first, those rendered longest ago.',
  ),
}

export function readSiteConfig(
  environment: Environment,
  problems: string[],
  { chain }: { chain: string | undefined },
) {
  const read = readVariables(siteVariables, environment, problems)
  if (read.testWallets === 'on' && chain && chain !== 'regtest')
    problems.push(`TEST_WALLETS: found on, but on ${chain} everybody could take what they hold`)
  return read
}
