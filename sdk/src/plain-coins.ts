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
import { demand } from './verify/demand.ts'
import type { OwnCoin } from './verify/owner.ts'

/** Coins by the contents that a node proves. Pay with `plain` coins only. */
export interface ProvenCoins {
  plain: OwnCoin[]
  /** The offset of the inscription's sat, if the proof contains it. */
  inscribed: { coin: OwnCoin; inscriptionId: string; offset: number | null }[]
  /** Coins with more ancestors than were followed, for example. */
  unproven: { coin: OwnCoin; reason: string }[]
}

/** Limits of the trace of one coin. */
const MAX_TRANSACTIONS = 2000
const MAX_MILLISECONDS = 20_000

/** A chain with the addresses of a network. */
const CHAINS: Record<AddressNetwork, string> = { mainnet: 'main', testnet: 'test', regtest: 'regtest' }

/**
 * Proves with a node which coins hold no inscription, by following all sats of each coin back. `known` has the outpoints (`txid:vout`) of
 * coins that were proven plain before; new ones are added. The market lists the coins, so the whole call has a time limit.
 */
export async function proveCoins(
  node: Pick<CoreNode, 'transaction' | 'height'>,
  coins: readonly OwnCoin[],
  options: {
    network: AddressNetwork
    /** For one coin: 2,000 by default. */
    mostTransactions?: number
    /** For one coin: 20,000 by default. */
    mostMilliseconds?: number
    /** For all coins: 120,000 by default. */
    mostMillisecondsInAll?: number
    known?: Set<string>
    /** Called before each coin. */
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

/**
 * All inscriptions in a coin, proven by a node that follows all its sats back, in the order of the sats or, as `unproven`, the reason
 * why the node cannot. Throws CheckFailed if the coin is spent.
 */
export async function contentsByNode(
  node: Pick<CoreNode, 'transaction' | 'height' | 'output'>,
  coin: Outpoint,
  network: AddressNetwork,
): Promise<{ coin: Coin } & ({ inscriptions: LocatedInscription[] } | { unproven: string })> {
  const output = await node.output(coin)
  demand(output !== null, `${formatOutpoint(coin)} is spent, or the node does not know it`)
  const limits = {
    mostTransactions: MAX_TRANSACTIONS,
    until: performance.now() + MAX_MILLISECONDS,
  }
  const found = await traceAllContents(coin, await contentsSource(node, network), limits).catch(
    (error: unknown) => ({ unproven: reasonOf(error) }),
  )
  return { coin: { txid: coin.txid, vout: coin.vout, ...output }, ...found }
}

/** Transactions as a trace reads them, of a node whose chain has the addresses of a network. */
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

/** Why a trace ended early: a node without a transaction index, or a transaction that it does not know. Throws any other error. */
function reasonOf(error: unknown): string {
  if (error instanceof CheckFailed) return error.message
  throw error
}
