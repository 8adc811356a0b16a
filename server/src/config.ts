import { resolve } from 'node:path'
import { type AddressNetwork, scriptOfAddress } from '@ordbook/bitcoin/address.ts'
import { keyVariables } from '@ordbook/signer/config.ts'
import {
  ConfigError,
  type ConfigOf,
  choice,
  decimal,
  integer,
  optional,
  readVariables,
  text,
  url,
  type Variable,
} from '@ordbook/signer/variables.ts'
import { database } from './database-hosts.ts'
import { rateLimitVariables } from './rate-limit-variables.ts'
import { trustedProxies } from './trusted-proxies.ts'

export { ConfigError }

/**
 * Configuration: one table of environment variables, each with its reader, its default and its purpose. A wrong value is
 * refused at start with its name, what was found and what is expected. docs/reference/settings.md prints this table.
 */
const list = <const C extends string>(
  about: string,
  fallback: readonly C[],
  choices?: readonly C[],
): Variable<readonly C[]> => ({
  read: (found) => {
    const parts = found
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean)
    return choices && !parts.every((part) => choices.includes(part as C)) ? undefined : (parts as C[])
  },
  expected: choices ? `a comma-separated list of ${choices.join(', ')}` : 'a comma-separated list',
  fallback,
  about,
})

const ROLES = ['api', 'follower', 'jobs'] as const

export const variables = {
  ...keyVariables,
  HOST: text('127.0.0.1', 'Address that the API listens on.'),
  PORT: integer(4000, 0, 65_535, 'Port that the API listens on; 0 takes any free one.'),
  HEALTH_PORT: integer(
    0,
    0,
    65_535,
    'Port of /healthz, /readyz and /metrics, for processes without the api role too; 0: none of its own.',
  ),
  PUBLIC_URL: url(
    null,
    ['http:', 'https:'],
    'Base address of the server as clients see it; default http://HOST:PORT.',
  ),
  CONTENT_URL: url(
    null,
    ['http:', 'https:'],
    'Base address of inscription content, as pages see it: an origin of its own that leads here; default PUBLIC_URL.',
  ),
  EXPLORER_URL: url(
    null,
    ['http:', 'https:'],
    'Base address of a block explorer, such as https://mempool.space; the storefront links transactions at /tx/ID below it. Without it there are no such links.',
  ),
  MARKET_NAME: text('ordbook', 'Name of this market in the storefront.'),
  FIAT_CURRENCY: text('USD', 'Currency in which the storefront shows prices too.'),
  FIAT_PER_BTC: decimal(0, 0, 1e9, 'Price of a bitcoin in that currency; 0: prices are in bitcoin alone.'),
  TEST_WALLETS: choice(
    ['on', 'off'],
    'off',
    'Offers the wallets of the demo in the storefront; their keys are public. On regtest only; on by default on the devnet.',
  ),
  DATABASE_URL: database(
    'PostgreSQL; of hosts separated by commas the one that is the primary. Default: an embedded one in DATA_DIR.',
  ),
  DATABASE_DIRECT_URL: database(
    'The same database past a transaction pooler, for listening, leases, follower, jobs and migrations; default DATABASE_URL.',
  ),
  DATABASE_READ_URL: url(
    null,
    ['postgres:', 'postgresql:'],
    'A streaming replica of the same database for the public reads, one server; default: they read DATABASE_URL.',
  ),
  DATABASE_CONNECTIONS: integer(6, 1, 1000, 'Most connections of a process for requests.'),
  DATABASE_READ_CONNECTIONS: integer(6, 1, 1000, 'Most connections of a process for public reads.'),
  ORD_URL: url(
    null,
    ['http:', 'https:'],
    'An ord server, for inscriptions from before the index, contents of coins, and coins of an address (--index-addresses).',
  ),
  ALLOW_RUNE_LOSS: choice(
    ['no', 'yes'],
    'no',
    'yes: on mainnet, trade without an ord server that knows runes (--index-runes): users may lose the runes on coins that trades spend.',
  ),
  CHAIN: choice(['main', 'test', 'signet', 'regtest'], 'regtest', 'The chain that the node must be on.'),
  ADDRESS_NETWORK: choice<AddressNetwork>(
    ['mainnet', 'testnet', 'regtest'],
    'regtest',
    'Form of addresses, on any chain.',
  ),
  ROLES: list('Tasks of this process.', ROLES, ROLES),
  LISTING_MIN_SATS: integer(1000, 546, 2_100_000_000_000_000, 'Lowest price of a listing, in sats.'),
  SELLER_FEE_BPS: integer(100, 0, 5000, 'Fee on the seller, in basis points of the price.'),
  SELLER_FEE_MIN_SATS: integer(0, 0, 100_000_000, 'Lowest fee on the seller, in sats.'),
  BUYER_FEE_BPS: integer(100, 0, 5000, 'Fee on the buyer, in basis points of the price.'),
  BUYER_FEE_MIN_SATS: integer(0, 0, 100_000_000, 'Lowest fee on the buyer, in sats.'),
  DONATION_NAME: optional('Initiative that buyers may round up for; all three DONATION variables, or none.'),
  DONATION_URL: url(null, ['http:', 'https:'], 'Page of the initiative.'),
  DONATION_ADDRESS: optional('Address that donations are paid to.'),
  FILL_FEE_BPS: integer(
    250,
    0,
    5000,
    'Fee on who fills a collection or trait offer, in basis points of the price.',
  ),
  FILL_FEE_MIN_SATS: integer(0, 0, 100_000_000, 'Lowest fee on a fill, in sats.'),
  OFFER_FLOOR_PERCENT: decimal(
    0,
    0,
    100,
    'Lowest offer on an inscription, as a percentage of the floor of each of its collections; 0: off.',
  ),
  PROPOSAL_FEE_SATS: integer(
    0,
    0,
    100_000_000,
    'Fee on a peer-to-peer trade that is proposed here, in sats.',
  ),
  MIN_FUNDING_SATS: integer(
    100_000,
    0,
    2_100_000_000_000_000,
    'Confirmed sats that a payment address must hold to sign in.',
  ),
  UNFUNDED_WRITES: integer(
    4,
    0,
    1_000_000_000,
    'Writes a minute at the storefront by a wallet with less than that; taking back is not counted.',
  ),
  UNFUNDED_COINS: integer(
    12,
    0,
    1_000_000,
    'Coins of the market that such a wallet may hold at a time; a listing takes two.',
  ),
  UNFUNDED_COINS_TOTAL: integer(
    400,
    0,
    1_000_000_000,
    'Coins of the market that all such wallets together may hold at a time.',
  ),
  FEE_RATE_MIN_SAT_VB: decimal(1, 0.1, 1000, 'Lowest fee rate of a settlement, in sat/vB.'),
  FEE_RATE_FALLBACK_SAT_VB: decimal(2, 0.1, 1000, 'Fee rate while the node has no estimate, in sat/vB.'),
  ANCHOR_POOL: integer(
    100,
    2,
    2000,
    'Free 330-sat anchors that the market keeps ready; a listing takes two.',
  ),
  VOID_SECONDS: integer(
    30,
    0,
    86_400,
    'Time between the end of a listing and the spending of its anchor, so that several go together.',
  ),
  VOID_MAX_SAT_VB: decimal(
    50,
    0.1,
    10_000,
    'Fee rate above which anchors of ended listings wait, in sat/vB.',
  ),
  BUMP_BLOCKS: integer(2, 0, 1000, 'Blocks after which a settlement below the fee market is sped up.'),
  BUMP_MAX_SATS: integer(
    50_000,
    0,
    100_000_000,
    'Most that the market spends on speeding up one settlement, in sats; 0: never.',
  ),
  STRANDING_ALLOWANCE_SATS: integer(
    500_000,
    0,
    2_100_000_000_000_000,
    'Most that unsettled purchases may cost the market in a day beyond its earnings; then further risky purchases are refused.',
  ),
  WALLET_ALLOWANCE_SATS: integer(
    100_000,
    0,
    2_100_000_000_000_000,
    'Most that one wallet may cost the market in a day beyond the earnings of its trades, in sats.',
  ),
  INSCRIPTION_ALLOWANCE_SATS: integer(
    10_000,
    0,
    2_100_000_000_000_000,
    'Most that listing one inscription and taking it down may cost the market in a day, in sats.',
  ),
  TAIL_POOL: integer(20, 1, 1000, 'Free tail coins that the market keeps ready; a purchase takes one.'),
  TAIL_SATS: integer(
    20_000,
    2000,
    10_000_000,
    'Size of a tail coin: the most that one settlement can pay in fees.',
  ),
  HANDLE_SECONDS: integer(600, 10, 86_400, 'Time for which a preflight can be submitted.'),
  PREFLIGHTS_PER_WALLET: integer(
    200,
    20,
    10_000,
    'Preflights of one wallet that can wait for their submit; one more deletes the oldest. A listing has one for each item.',
  ),
  UNDO_BLOCKS: integer(
    100,
    6,
    10_000,
    'Depth of a reorg that the follower can undo, in blocks; beyond it the follower stops.',
  ),
  MOVES_RETENTION_BLOCKS: integer(
    0,
    0,
    10_000_000,
    'Blocks whose moves of inscriptions are kept: pages show the provenance of an inscription as far back; 0 keeps all.',
  ),
  SAT_INDEX: choice(
    ['auto', 'on', 'off'],
    'auto',
    'Whether an index that begins at the first block numbers sats; auto: on regtest and signet.',
  ),
  TRADING_LAG_BLOCKS: integer(
    6,
    0,
    1_000_000,
    'Blocks that the index may be behind the node before trades are refused.',
  ),
  TRADING_MEMPOOL_SECONDS: integer(
    60,
    5,
    86_400,
    'Longest time since the last read of the mempool before trades are refused, in seconds.',
  ),
  REQUEST_SECONDS: integer(
    20,
    1,
    600,
    'Longest time for a request before it is answered with 503, in seconds.',
  ),
  DRAIN_SECONDS: integer(
    0,
    0,
    5,
    'Time for which a server that is asked to end goes on answering while /readyz is 503, so that a balancer sends no more, in seconds.',
  ),
  ACCESS_LOG: choice(
    ['on', 'off'],
    'off',
    'Logs a line for each request: its id, method, path without query, status, time and address.',
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: url(
    null,
    ['http:', 'https:'],
    'Base address of a collector of traces (OTLP over HTTP); default: nothing is traced. Other OTEL_ variables count too.',
  ),
  ...rateLimitVariables,
  REDIS_URL: url(
    null,
    ['redis:', 'rediss:'],
    'Redis in which several servers count requests together; default: each counts for itself.',
  ),
  RESPONSE_CACHE_MEGABYTES: integer(
    64,
    0,
    100_000,
    'Memory for responses of the public reads, never a stale one; 0: none are kept.',
  ),
  CONTENT_CACHE_MEGABYTES: integer(
    64,
    16,
    100_000,
    'Memory for inscription content, that which is being sent included; beyond it requests wait, then get 503.',
  ),
  CONTENT_CLIENT_ANSWERS: integer(
    100,
    1,
    1_000_000,
    'Answers with inscription content that one client may be sent at once.',
  ),
  CONTENT_CLIENT_MEGABYTES: integer(
    32,
    4,
    100_000,
    'Bytes of inscription content that one client may be sent at once, in megabytes.',
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
  TRUST_PROXY: trustedProxies(
    'Proxies of yours, which append to X-Forwarded-For: their number in front of the server, or their networks.',
  ),
  BLOCKED_ADDRESSES: list<string>('Addresses that may not sign in or trade.', []),
  PINNED_ADDRESSES: list<string>(
    'Addresses that may sign in with the partner address of their first sign-in alone.',
    [],
  ),
  POLL_MILLISECONDS: integer(
    500,
    20,
    60_000,
    'Interval at which the follower asks the node for a new block.',
  ),
  METRICS_TOKEN: optional(
    'Bearer token that /metrics asks for; without one it answers only on this machine, and not where PUBLIC_URL is set.',
  ),
} satisfies Record<string, Variable<unknown>>

/** The configuration by camel-case name: `LISTING_MIN_SATS` is `listingMinSats`. */
export type Config = ConfigOf<typeof variables>

/** Reads the configuration from an environment. Throws ConfigError. */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const problems: string[] = []
  const read = readVariables(variables, environment, problems)
  if (problems.length === 0 && read.feeRateMinSatVb > read.feeRateMaxSatVb)
    problems.push('FEE_RATE_MIN_SAT_VB: expected at most FEE_RATE_MAX_SAT_VB')
  if (problems.length === 0 && read.movesRetentionBlocks > 0 && read.movesRetentionBlocks < read.undoBlocks)
    problems.push('MOVES_RETENTION_BLOCKS: expected 0, or at least UNDO_BLOCKS')
  if (problems.length === 0 && read.testWallets === 'on' && read.chain !== 'regtest')
    problems.push(`TEST_WALLETS: found on, but on ${read.chain} everybody could take what they hold`)
  if (problems.length === 0 && read.proposalFeeSats > 0 && read.proposalFeeSats < 330)
    problems.push('PROPOSAL_FEE_SATS: expected 0, or at least 330, the least that an output can hold')
  const donation = [read.donationName, read.donationUrl, read.donationAddress].filter(Boolean)
  if (donation.length !== 0 && donation.length !== 3)
    problems.push('DONATION_NAME, DONATION_URL, DONATION_ADDRESS: expected all three, or none')
  if (read.donationAddress && problems.length === 0) {
    try {
      scriptOfAddress(read.donationAddress, read.addressNetwork)
    } catch {
      problems.push(
        `DONATION_ADDRESS: found ${JSON.stringify(read.donationAddress)}, expected an address of ${read.addressNetwork}`,
      )
    }
  }
  if (problems.length > 0) throw new ConfigError(problems.join('\n'))
  return { ...read, dataDir: resolve(read.dataDir) }
}
