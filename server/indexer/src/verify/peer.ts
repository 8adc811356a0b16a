import { bytesToHex } from '@ordbook/bitcoin/bytes.ts'
import { formatOutpoint, type Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { FactSource } from '../adoption/facts.ts'
import type { BlockArchive, CoinSource } from '../node/source.ts'
import { mapParallel } from '../ord/map-parallel.ts'
import { Ord } from '../ord/ord.ts'

/** What an index is compared with: an `ord` server or a second ordbook. */
export interface Peer extends FactSource, Pick<Ord, 'height' | 'blockHash' | 'children' | 'transactionHex'> {
  /** The counters after its last block; null if it does not report them. */
  counters(): Promise<PeerCounters | null>
}

interface PeerCounters {
  height: number | null
  nextSequence: number
  blessed: number
  cursed: number
  lostSats: number
}

type Outputs = Pick<CoinSource & BlockArchive, 'txOuts' | 'confirmedOutput'>

/** Concurrent requests. */
export const PARALLEL = 8
const TIMEOUT_MS = 30_000

/** Opens the server at a URL. A second ordbook lacks outputs, which come from the node. Throws `unavailable`. */
export async function openPeer(url: string, node: Outputs): Promise<Peer> {
  const ord = new Ord(url).within({ milliseconds: TIMEOUT_MS })
  const isOrd = (await ord.recursive('status', 1 << 20).catch(() => null)) as {
    inscription_index?: unknown
  } | null
  const isOrdbook = isOrd?.inscription_index === undefined
  return {
    height: () => ord.height(),
    blockHash: (height) => ord.blockHash(height),
    children: (id) => ord.children(id),
    parents: (id) => ord.parents(id),
    transactionHex: (txid) => ord.transactionHex(txid),
    inscriptions: (ids) => (isOrdbook ? inscriptionsOneByOne(ord, ids) : ord.inscriptions(ids)),
    outputs: (outpoints) => (isOrdbook ? outputsOfNode(node, outpoints) : ord.outputs(outpoints)),
    counters: async () => (isOrdbook ? null : countersOf(ord)),
  }
}

async function countersOf(ord: Ord): Promise<PeerCounters> {
  const { height, inscriptions, blessed_inscriptions, cursed_inscriptions, lost_sats } = await ord.numbering()
  return {
    height,
    nextSequence: inscriptions,
    blessed: blessed_inscriptions,
    cursed: cursed_inscriptions,
    lostSats: lost_sats,
  }
}

async function inscriptionsOneByOne(ord: Ord, ids: readonly string[]): ReturnType<Peer['inscriptions']> {
  const found = await mapParallel(ids, PARALLEL, (id) => ord.inscription(id))
  return found.filter((each) => each !== null)
}

async function outputsOfNode(node: Outputs, outpoints: readonly Outpoint[]): ReturnType<Peer['outputs']> {
  const unspent = await node.txOuts(outpoints, { mempool: false })
  // The others are unspendable, or spent by a later block.
  const outputs = await mapParallel(
    outpoints,
    PARALLEL,
    async (outpoint, n) => unspent[n] ?? (await node.confirmedOutput(outpoint)),
  )
  return outputs.flatMap((output, n) =>
    output
      ? {
          outpoint: formatOutpoint(outpoints[n]!),
          value: output.valueSats,
          script_pubkey: bytesToHex(output.script),
          indexed: true,
        }
      : [],
  )
}
