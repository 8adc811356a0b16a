import { addressOfScript } from '@ordbook/bitcoin/address.ts'
import { parseOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { Context } from '../context.ts'
import type { Unspent } from './node.ts'
import { RULES } from './rules.ts'

/**
 * The confirmed unspent outputs of a script: from an ord server that indexes addresses, else by a scan of the node, which takes
 * minutes on mainnet. Either may be a block behind: what is to be spent is looked up again before it counts. Throws a Fault
 * (unavailable) where they do not answer.
 */
export async function unspentOf(
  { node, ord, config }: Pick<Context, 'node' | 'ord' | 'config'>,
  script: Uint8Array,
): Promise<Unspent[]> {
  const address = ord && addressOfScript(script, RULES[config.chain]!.addresses)
  const outputs = address ? await ord.outputsOf(address) : null
  if (!outputs) return node.unspentOf(script)
  return outputs.map(({ outpoint, value }) => ({ ...parseOutpoint(outpoint), valueSats: value }))
}
