import { bytesToHex } from '@ordbook/bitcoin/bytes.ts'
import { formatOutpoint, type Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { FactSource } from '../adoption/facts.ts'
import type { BlockArchive, CoinSource } from '../node/source.ts'
import { Ord } from '../ord/ord.ts'
import type { OrdInscription } from '../ord/ord-answers.ts'
import * as answers from '../ord/ord-answers.ts'

/** What an index is compared with: an `ord` server or a second ordbook. */
export interface Peer extends FactSource {
  height(): Promise<number>
  blockHash(height: number): Promise<string | null>
  children(id: string): Promise<string[]>
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

/** Concurrent requests. */
const PARALLEL = 8
const TIMEOUT_MS = 30_000

/** Opens the server at a URL. A second ordbook lacks outputs, which come from the node. Throws `unavailable`. */
export async function openPeer(
  url: string,
  node: Pick<CoinSource & BlockArchive, 'txOut' | 'confirmedOutput'>,
): Promise<Peer> {
  const limits = { milliseconds: TIMEOUT_MS }
  const ord = new OrdPeer(url).within(limits) as OrdPeer
  const isOrd = (await ord.recursive('status', 1 << 20).catch(() => null)) as {
    inscription_index?: unknown
  } | null
  return isOrd?.inscription_index === undefined
    ? (new OrdbookPeer(url, node).within(limits) as OrdbookPeer)
    : ord
}

class OrdPeer extends Ord implements Peer {
  async counters(): Promise<PeerCounters> {
    const { height, inscriptions, blessed_inscriptions, cursed_inscriptions, lost_sats } =
      await this.numbering()
    return {
      height,
      nextSequence: inscriptions,
      blessed: blessed_inscriptions,
      cursed: cursed_inscriptions,
      lostSats: lost_sats,
    }
  }
}

class OrdbookPeer extends Ord implements Peer {
  private readonly node: Pick<CoinSource & BlockArchive, 'txOut' | 'confirmedOutput'>

  constructor(url: string, node: OrdbookPeer['node']) {
    super(url)
    this.node = node
  }

  override async inscriptions(ids: readonly string[]): Promise<OrdInscription[]> {
    const found = await mapParallel(ids, async (id) => {
      const inscription = await this.fetchOptional(`r/inscription/${id}`, answers.inscription)
      return inscription && { ...inscription, parents: await this.relatives('parents', id) }
    })
    return found.filter((each) => each !== null)
  }

  override async outputs(outpoints: readonly Outpoint[]): ReturnType<Ord['outputs']> {
    const found = await mapParallel(outpoints, async (outpoint) => {
      const output =
        (await this.node.txOut(outpoint, { mempool: false })) ?? (await this.node.confirmedOutput(outpoint))
      if (!output) return null
      return {
        outpoint: formatOutpoint(outpoint),
        value: output.valueSats,
        script_pubkey: bytesToHex(output.script),
        indexed: true,
        confirmations: 1,
        inscriptions: null,
        runes: null,
        sat_ranges: null,
        spent: false,
      }
    })
    return found.filter((each) => each !== null)
  }

  async counters(): Promise<null> {
    return null
  }
}

async function mapParallel<T, R>(all: readonly T[], work: (one: T) => Promise<R>): Promise<R[]> {
  const results = new Array<R>(all.length)
  let next = 0
  const run = async () => {
    for (let n = next++; n < all.length; n = next++) results[n] = await work(all[n]!)
  }
  await Promise.all(Array.from({ length: PARALLEL }, run))
  return results
}
