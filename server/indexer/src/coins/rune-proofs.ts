import { RULES } from '@ordbook/bitcoin/chain-rules.ts'
import { formatOutpoint, type Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { isProvenWithoutRunes } from '@ordbook/bitcoin/rune-trace.ts'
import type { Config } from '@ordbook/db/settings/config.ts'
import { type ChainSource, SourceFault } from '../node/source.ts'

type Node = Pick<ChainSource, 'blockchainInfo' | 'txOuts' | 'confirmedTransaction'>

/** Transactions read for one coin, and for all coins of a call. */
const MAX_OF_ONE = 50
const MAX_OF_ALL = 1000
const MAX_KNOWN = 100_000

/** Coins without runes. They stay so in every chain, because ids of transactions contain their ancestors. */
const known = new Set<string>()
/** Coins that could not be proven, so that the node is not asked again. */
const unprovable = new Set<string>()

function remember(coins: Set<string>, key: string): void {
  coins.add(key)
  if (coins.size > MAX_KNOWN) coins.delete(coins.values().next().value!)
}

/** Returns the confirmed coins that certainly have no runes, by outpoint. Asks the node alone, which needs no transaction index. */
export async function listProven(
  { node, config }: { node: Node; config: Pick<Config, 'chain'> },
  coins: readonly Outpoint[],
): Promise<Set<string>> {
  const { firstRuneHeight } = RULES[config.chain]!
  const keys = coins.map(formatOutpoint)
  const proven = new Set(keys.filter((key) => known.has(key)))
  const unknown = coins.filter((_, n) => !proven.has(keys[n]!) && !unprovable.has(keys[n]!))
  let left = MAX_OF_ALL
  const fetch = async (txid: string, height: number) => {
    left--
    return node.confirmedTransaction(txid, height)
  }
  const prove = async (coin: Outpoint, height: number | null) => {
    if (height === null) return false
    const limits = { mostTransactions: Math.min(MAX_OF_ONE, left) }
    const isProven = await isProvenWithoutRunes(
      { ...coin, height },
      { fetch, firstRuneHeight },
      limits,
      known,
    )
    if (!isProven && limits.mostTransactions === MAX_OF_ONE) remember(unprovable, formatOutpoint(coin))
    return isProven
  }
  const heights = await heightsOf(node, unknown)
  for (const [n, coin] of unknown.entries()) {
    // After a block or a reorg, the height may be wrong once.
    const again = async () => prove(coin, (await heightsOf(node, [coin]))[0]!)
    const isProven = await prove(coin, heights[n]!)
      .catch(unlessUnknown(again))
      .catch(unlessUnknown(() => false))
    if (!isProven) continue
    proven.add(formatOutpoint(coin))
    remember(known, formatOutpoint(coin))
  }
  return proven
}

async function heightsOf(node: Node, coins: readonly Outpoint[]): Promise<(number | null)[]> {
  if (coins.length === 0) return []
  const outputs = await node.txOuts(coins, { mempool: false })
  const { blocks } = await node.blockchainInfo()
  return outputs.map((output) => output && blocks - output.confirmations + 1)
}

const unlessUnknown =
  <T>(next: () => T) =>
  (error: unknown): T => {
    if (error instanceof SourceFault && error.reason === 'unknown') return next()
    throw error
  }
