import type { Environment } from '@ordbook/process/settings-file.ts'
import {
  choice,
  decimal,
  integer,
  optional,
  readVariables,
  text,
  url,
  type Variable,
} from '@ordbook/process/variables.ts'

const currency = (fallback: string, about: string): Variable<string> => ({
  read: (found) => Intl.supportedValuesOf('currency').find((code) => code === found.trim()),
  expected: 'a currency code such as USD or EUR (ISO 4217)',
  fallback,
  about,
})

const amount = decimal(0, 0, 1e9, '')
const source = url(null, ['http:', 'https:'], '')

const rate = (about: string): Variable<number | string> => ({
  read: (found) => amount.read(found) ?? source.read(found) ?? undefined,
  expected: `${amount.expected}, or ${source.expected}`,
  fallback: 0,
  about,
})

export const siteVariables = {
  MARKET_NAME: text('ordbook', 'Name of the market in the storefront.'),
  EXPLORER_URL: url(
    null,
    ['http:', 'https:'],
    'Base URL of a block explorer, such as https://mempool.space; transactions are linked as /tx/ID. Default: no links.',
  ),
  FIAT_CURRENCY: currency('USD', 'Second currency for prices in the storefront.'),
  FIAT_PER_BTC: rate(
    'Price of one bitcoin in FIAT_CURRENCY, or a URL that returns it each minute as JSON, such as `{"USD": 97000}` (mempool.space/api/v1/prices); 0: show bitcoin only.',
  ),
  TEST_WALLETS: choice(
    ['on', 'off'],
    'off',
    'Offer the demo wallets, whose keys are public. On regtest only; on by default on the devnet.',
  ),
  PREVIEW_SOCKET: optional('Socket on which the market serves preview renderers. Default: no thumbnails.'),
  PREVIEW_MEGABYTES: integer(
    4096,
    16,
    10_000_000,
    'Maximum size of thumbnails in the database, in MB. Above it, the largest are deleted, oldest first.',
  ),
}

export function readSiteConfig(
  environment: Environment,
  problems: string[],
  { chain }: { chain: string | undefined },
) {
  const read = readVariables(siteVariables, environment, problems)
  if (read.testWallets === 'on' && chain && chain !== 'regtest')
    problems.push(`TEST_WALLETS: found on, but on ${chain} anyone could spend the coins of the demo wallets`)
  return read
}
