import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import { type CoreNode, coinByNode } from '@ordbook/sdk'
import type { InscriptionCoin } from '@ordbook/sdk/verify'
import type { Config } from './config.ts'

/**
 * Proves the coin of an inscription with the node of a session. Without a node, or if a Core wallet's node cannot look up a transaction,
 * it returns the reported coin, and the reason as `unproven`. Throws CheckFailed.
 */
export async function proveItem(
  { node, config }: { node: CoreNode | null; config: Config },
  inscriptionId: string,
  reported: InscriptionCoin,
): Promise<{ coin: InscriptionCoin; unproven: string | null }> {
  if (!node) return { coin: reported, unproven: 'no node is configured' }
  let missing: unknown
  const source = {
    output: node.output,
    transaction: (txid: string) =>
      node.transaction(txid).catch((error: Error) => {
        missing = error
        throw error
      }),
  }
  try {
    const coin = await coinByNode(source, {
      inscriptionId,
      locationTxid: reported.txid,
      locationVout: reported.vout,
      locationSatpoint: `${formatOutpoint(reported)}:${reported.offset}`,
    })
    return { coin, unproven: null }
  } catch (error) {
    if (config.node !== null || error !== missing) throw error
    return { coin: reported, unproven: (error as Error).message }
  }
}
