import type { BaseContext } from '@ordbook/db/context.ts'
import type { Queryable } from '@ordbook/db/driver/connect.ts'
import { type Config, ConfigError } from '@ordbook/db/settings/config.ts'
import { assertAddressIndex } from './coins/coins.ts'
import { assertRunesKnown } from './coins/other-contents.ts'
import { findBase } from './inscriptions/adopt-queries.ts'
import { NodePolicy } from './node/node-policy.ts'
import { openSource } from './node/open-source.ts'
import { Ord } from './ord/ord.ts'

/** Connects to the node and `ord`. Throws ConfigError if they do not match the settings. */
export async function openSources(config: Config & { bitcoinRpcUrl: string }, log: BaseContext['log']) {
  const node = openSource(config.bitcoinRpcUrl)
  const { chain } = await node.blockchainInfo().catch((error: Error) => {
    const target = `${node.host} (${error.cause instanceof Error ? reasonOf(error.cause) : error.message})`
    throw new ConfigError(
      `BITCOIN_RPC_URL: no response from ${target}. Expected a running Bitcoin Core node.`,
    )
  })
  if (chain !== config.chain)
    throw new ConfigError(`CHAIN: found ${config.chain}, but the node is on ${chain}`)
  const policy = new NodePolicy(node)
  await policy
    .refresh()
    .catch((error: Error) => log.warn({ err: error }, 'failed to detect the relay policy of the node'))
  const ord = config.ordUrl ? new Ord(config.ordUrl) : null
  if (config.roles.includes('api')) {
    await assertAddressIndex({ ord, config })
    const warning = await assertRunesKnown(ord, config)
    if (warning) log.warn(warning)
  }
  return { node, policy, ord }
}

/**
 * Returns the first height of an index seeded from `ord`, otherwise null. Throws ConfigError if the index needs ord and ORD_URL is not set.
 */
export async function findIndexBase(sql: Queryable, ord: Ord | null): Promise<number | null> {
  const base = await findBase(sql)
  if (base !== null && !ord)
    throw new ConfigError(
      `ORD_URL: found nothing. This index started at block ${base} of an ord server and needs it.`,
    )
  return base
}

/** Returns the innermost cause. The message of fetch is not specific. */
function reasonOf(error: Error): string {
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message
}
