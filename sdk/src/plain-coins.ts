import type { AddressNetwork } from '@ordbook/bitcoin/address.ts'
import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import { type ContentsSource, traceContents } from '@ordbook/bitcoin/trace-contents.ts'
import type { CoreNode } from './core-node.ts'
import { CheckFailed } from './errors.ts'
import { remembering } from './receipt.ts'
import type { OwnCoin } from './verify/owner.ts'

/** Coins by what a node shows that they hold. Pay with `plain` ones alone: a market that calls others plain gets what is in them. */
export interface ProvenCoins {
  plain: OwnCoin[]
  inscribed: { coin: OwnCoin; inscriptionId: string; offset: number }[]
  /** Neither: for instance coins with more ancestors than were followed. */
  unproven: { coin: OwnCoin; reason: string }[]
}

/** The chain's rules, as far as a trace needs them. */
const RULES: Record<AddressNetwork, Pick<ContentsSource, 'firstInscriptionHeight' | 'halvingInterval'>> = {
  mainnet: { firstInscriptionHeight: 767_430, halvingInterval: 210_000 },
  testnet: { firstInscriptionHeight: 0, halvingInterval: 210_000 },
  regtest: { firstInscriptionHeight: 0, halvingInterval: 150 },
}

/**
 * Proves by a node which coins hold no inscription, each by following all of its sats back. `known` holds the names (`txid:vout`) of coins
 * that were found plain before, which stays true; those found now are added.
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
    known?: Set<string>
    /** Called before each coin. */
    onCoin?: (n: number) => void
  },
): Promise<ProvenCoins> {
  const { network, mostTransactions = 2000, mostMilliseconds = 20_000, known = new Set(), onCoin } = options
  const tip = await node.height()
  const chain = remembering(node)
  const source: ContentsSource = {
    ...RULES[network],
    async fetch(txid) {
      const { tx, confirmations } = await chain.transaction(txid)
      return { tx, height: confirmations > 0 ? tip - confirmations + 1 : null }
    },
  }
  const proven: ProvenCoins = { plain: [], inscribed: [], unproven: [] }
  for (const [n, coin] of coins.entries()) {
    onCoin?.(n)
    const limits = { mostTransactions, until: performance.now() + mostMilliseconds }
    const found = await traceContents(coin, source, limits, known).catch((error: unknown) => {
      // A node without a transaction index, or a transaction that it does not know.
      if (error instanceof CheckFailed) return { kind: 'unproven' as const, reason: error.message }
      throw error
    })
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
