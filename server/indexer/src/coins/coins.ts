import { addressOfScript } from '@ordbook/bitcoin/address.ts'
import { RULES } from '@ordbook/bitcoin/chain-rules.ts'
import { parseOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import { unavailable } from '@ordbook/db/process/errors.ts'
import { type Config, ConfigError } from '@ordbook/db/settings/config.ts'
import type { CoinSource, Unspent } from '../node/source.ts'
import type { Ord } from '../ord/ord.ts'

/**
 * Returns the confirmed unspent outputs of a script, from ord's address index or a UTXO set scan. The result may be a block old, so check
 * coins again before spending them. Throws `unavailable` on mainnet without an address index.
 */
export async function unspentOf(
  { node, ord, config }: { node: CoinSource; ord: Ord | null; config: Config },
  script: Uint8Array,
): Promise<Unspent[]> {
  const address = ord && addressOfScript(script, RULES[config.chain]!.addresses)
  const outputs = address ? await ord.outputsOf(address) : null
  if (outputs) return outputs.map(({ outpoint, value }) => ({ ...parseOutpoint(outpoint), valueSats: value }))
  if (config.chain === 'main')
    throw unavailable('address-index-missing', 'Address lookups are unavailable. Try again later.')
  return node.unspentOf(script)
}

/** Throws ConfigError on mainnet without an address index, which sign-in requires. */
export async function assertAddressIndex({
  ord,
  config,
}: {
  ord: Ord | null
  config: Config
}): Promise<void> {
  if (config.chain !== 'main') return
  const fix =
    'On mainnet, address lookups need an ord server. Start ord with --index-addresses and set ORD_URL to it.'
  if (!ord) throw new ConfigError(`ORD_URL: found nothing. ${fix}`)
  const status = await ord.status().catch((error: Error) => {
    throw new ConfigError(`ORD_URL: the server did not respond (${error.message}). ${fix}`)
  })
  if (!status.address_index) throw new ConfigError(`ORD_URL: the server has no address index. ${fix}`)
}
