import type { AddressNetwork } from '@ordbook/bitcoin/address.ts'
import { RULES } from '@ordbook/bitcoin/chain-rules.ts'
import { formatOutpoint, type Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import {
  type ContentsSource,
  type LocatedInscription,
  traceAllContents,
  traceContents,
} from '@ordbook/bitcoin/trace-contents.ts'
import type { Coin } from '@ordbook/bitcoin/trade/layout.ts'
import type { CoreNode } from './core-node.ts'
import { CheckFailed } from './errors.ts'
import { remembering } from './receipt.ts'
import { assert } from './verify/assert.ts'
import type { OwnCoin } from './verify/owner.ts'

/** Coins by their contents. Pay only with `plain` coins. */
export interface ProvenCoins {
  plain: OwnCoin[]
  /** `offset` is the position of the inscription's sat, if known. */
  inscribed: { coin: OwnCoin; inscriptionId: string; offset: number | null }[]
  unproven: { coin: OwnCoin; reason: string }[]
}

const MAX_TRANSACTIONS = 2000
const MAX_MILLISECONDS = 20_000

const CHAINS: Record<AddressNetwork, string> = { mainnet: 'main', testnet: 'test', regtest: 'regtest' }

/**
 * Classifies coins by tracing their sats back with a node. Adds the outpoints of proven coins to `known`. The time is limited, because the
 * market can list any number of coins.
 */
export async function proveCoins(
  node: Pick<CoreNode, 'transaction' | 'height'>,
  coins: readonly OwnCoin[],
  options: {
    network: AddressNetwork
    /** Maximum per coin; default 2,000. */
    mostTransactions?: number
    /** Maximum per coin; default 20,000. */
    mostMilliseconds?: number
    /** Maximum for all coins; default 120,000. */
    mostMillisecondsInAll?: number
    known?: Set<string>
    onCoin?: (n: number) => void
  },
): Promise<ProvenCoins> {
  const { network, known = new Set(), onCoin, mostMillisecondsInAll = 120_000 } = options
  const { mostTransactions = MAX_TRANSACTIONS, mostMilliseconds = MAX_MILLISECONDS } = options
  const end = performance.now() + mostMillisecondsInAll
  const source = await contentsSource(node, network)
  const proven: ProvenCoins = { plain: [], inscribed: [], unproven: [] }
  for (const [n, coin] of coins.entries()) {
    onCoin?.(n)
    const limits = { mostTransactions, until: Math.min(performance.now() + mostMilliseconds, end) }
    const found = await traceContents(coin, source, limits, known).catch((error: unknown) => ({
      kind: 'unproven' as const,
      reason: reasonOf(error),
    }))
    if (found.kind === 'plain') {
      known.add(formatOutpoint(coin))
      proven.plain.push(coin)
    } else if (found.kind === 'inscribed') {
      const { inscriptionId, offset } = found
      proven.inscribed.push({ coin, inscriptionId, offset })
    } else proven.unproven.push({ coin, reason: found.reason })
  }
  return proven
}

/** Returns all inscriptions in a coin in the order of their sats, or the reason as `unproven`. Throws CheckFailed if the coin is spent. */
export async function contentsByNode(
  node: Pick<CoreNode, 'transaction' | 'height' | 'output'>,
  coin: Outpoint,
  network: AddressNetwork,
): Promise<{ coin: Coin } & ({ inscriptions: LocatedInscription[] } | { unproven: string })> {
  const output = await node.output(coin)
  assert(output !== null, `${formatOutpoint(coin)} is spent or unknown to the node`)
  const limits = {
    mostTransactions: MAX_TRANSACTIONS,
    until: performance.now() + MAX_MILLISECONDS,
  }
  const found = await traceAllContents(coin, await contentsSource(node, network), limits).catch(
    (error: unknown) => ({ unproven: reasonOf(error) }),
  )
  return { coin: { txid: coin.txid, vout: coin.vout, ...output }, ...found }
}

async function contentsSource(
  node: Pick<CoreNode, 'transaction' | 'height'>,
  network: AddressNetwork,
): Promise<ContentsSource> {
  const rules = RULES[CHAINS[network]]!
  const tip = await node.height()
  const chain = remembering(node)
  return {
    // Several chains have testnet addresses.
    firstInscriptionHeight: network === 'testnet' ? 0 : rules.firstInscriptionHeight,
    halvingInterval: rules.halvingInterval,
    async fetch(txid) {
      const { tx, confirmations } = await chain.transaction(txid)
      return { tx, height: confirmations > 0 ? tip - confirmations + 1 : null }
    },
  }
}

/** Returns why the node cannot find a transaction. Throws other errors. */
function reasonOf(error: unknown): string {
  if (error instanceof CheckFailed) return error.message
  throw error
}
