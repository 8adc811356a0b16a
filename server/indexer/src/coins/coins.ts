import { addressOfScript } from '@ordbook/bitcoin/address.ts'
import { RULES } from '@ordbook/bitcoin/chain-rules.ts'
import { parseOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import { unavailable } from '@ordbook/db/process/errors.ts'
import { type Config, ConfigError } from '@ordbook/db/settings/config.ts'
import type { CoinSource, Unspent } from '../node/source.ts'
import type { Ord } from '../ord/ord.ts'

/**
 * Confirmed unspent outputs of a script: from an ord server with an address index, otherwise from a UTXO set scan, which takes too long on
 * mainnet. Either may be a block behind, so look coins up again before spending them. Throws a Fault (unavailable) if neither is available.
 */
export async function unspentOf(
  { node, ord, config }: { node: CoinSource; ord: Ord | null; config: Config },
  script: Uint8Array,
): Promise<Unspent[]> {
  const address = ord && addressOfScript(script, RULES[config.chain]!.addresses)
  const outputs = address ? await ord.outputsOf(address) : null
  if (outputs) return outputs.map(({ outpoint, value }) => ({ ...parseOutpoint(outpoint), valueSats: value }))
  if (config.chain === 'main')
    throw unavailable('address-index-missing', 'The coins of an address cannot be looked up; try again later')
  return node.unspentOf(script)
}

/** Throws ConfigError on mainnet without an address index: the server could not look up coins of an address, so nobody could sign in. */
export async function assertAddressIndex({
  ord,
  config,
}: {
  ord: Ord | null
  config: Config
}): Promise<void> {
  if (config.chain !== 'main') return
  const mend =
    'On mainnet the coins of an address come from an ord server: start one with --index-addresses and set ORD_URL to it'
  if (!ord) throw new ConfigError(`ORD_URL: found nothing. ${mend}`)
  const status = await ord.status().catch((error: Error) => {
    throw new ConfigError(`ORD_URL: found no answer from it (${error.message}). ${mend}`)
  })
  if (!status.address_index)
    throw new ConfigError(`ORD_URL: that server keeps no index of addresses. ${mend}`)
}
