import { addressOfScript } from '@ordbook/bitcoin/address.ts'
import { RULES } from '@ordbook/bitcoin/chain-rules.ts'
import { parseOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { Queryable } from '@ordbook/db/driver/connect.ts'
import { Fault, unavailable } from '@ordbook/db/process/errors.ts'
import { type Config, ConfigError } from '@ordbook/db/settings/config.ts'
import { withinLimits } from '../node/limits.ts'
import type { ChainSource, Unspent } from '../node/source.ts'
import type { Ord } from '../ord/ord.ts'
import type { AddressIndex } from './address-index.ts'
import { electrumIndex } from './electrum.ts'
import { esploraIndex } from './esplora.ts'
import { ownIndex } from './own-index.ts'

/** Clients by the protocol of ADDRESS_INDEX_URL. */
const CLIENTS: Readonly<Record<string, (url: URL, sql: Queryable) => AddressIndex>> = {
  'electrum:': electrumIndex,
  'electrum+tls:': electrumIndex,
  'esplora+http:': esploraIndex,
  'esplora+https:': esploraIndex,
  'node:': (_, sql) => ownIndex(sql, MAX_COINS),
}

/** Timeout of a lookup at ADDRESS_INDEX_URL, in milliseconds, and the maximum coins of its result. */
const TIMEOUT_MS = 10_000
const MAX_COINS = 1000

interface CoinSources {
  sql: Queryable
  node: Pick<ChainSource, 'unspentOf' | 'blockchainInfo'>
  ord: Ord | null
  config: Config
}

/**
 * Returns the confirmed unspent outputs of a script, from ADDRESS_INDEX_URL, ord's address index or a UTXO set scan. The result
 * may be a block old, so check coins again before spending them. `isComplete` is false if it does not list all. Throws `unavailable`
 * on mainnet without an address index.
 */
export async function unspentOf(
  { sql, node, ord, config }: CoinSources,
  script: Uint8Array,
): Promise<{ coins: Unspent[]; isComplete: boolean }> {
  if (config.addressIndexUrl) return unspentAt(config.addressIndexUrl, { sql, node, config }, script)
  const address = ord && addressOfScript(script, RULES[config.chain]!.addresses)
  const outputs = address ? await ord.outputsOf(address) : null
  if (outputs)
    return {
      coins: outputs.map(({ outpoint, value }) => ({ ...parseOutpoint(outpoint), valueSats: value })),
      isComplete: true,
    }
  if (config.chain === 'main')
    throw unavailable('address-index-missing', 'Address lookups are unavailable. Try again later.')
  return { coins: await node.unspentOf(script), isComplete: true }
}

async function unspentAt(
  text: string,
  { sql, node, config: { tradingLagBlocks } }: Omit<CoinSources, 'ord'>,
  script: Uint8Array,
) {
  const url = new URL(text)
  const index = CLIENTS[url.protocol]!(url, sql)
  const { coins, isComplete, tipHeight } = await withinLimits({}, TIMEOUT_MS, (signal) =>
    index(script, signal),
  ).catch((cause: unknown) => {
    if (cause instanceof Fault) throw cause
    throw unavailable(
      'address-index-unavailable',
      'The address index does not respond. Try again shortly.',
      cause,
    )
  })
  const { blocks } = await node.blockchainInfo()
  if (blocks - tipHeight > tradingLagBlocks)
    throw unavailable(
      'address-index-unavailable',
      `The address index is at block ${tipHeight}. Try again shortly.`,
    )
  return { coins: coins.slice(0, MAX_COINS), isComplete: isComplete && coins.length <= MAX_COINS }
}

/** Throws ConfigError on mainnet without an address index, which sign-in requires. */
export async function assertAddressIndex({
  ord,
  config,
}: {
  ord: Ord | null
  config: Config
}): Promise<void> {
  if (config.chain !== 'main' || config.addressIndexUrl) return
  const fix = 'On mainnet, address lookups need ADDRESS_INDEX_URL, or an ord server with --index-addresses.'
  if (!ord) throw new ConfigError(`ORD_URL: found nothing. ${fix}`)
  const status = await ord.status().catch((error: Error) => {
    throw new ConfigError(`ORD_URL: the server did not respond (${error.message}). ${fix}`)
  })
  if (!status.address_index) throw new ConfigError(`ORD_URL: the server has no address index. ${fix}`)
}
