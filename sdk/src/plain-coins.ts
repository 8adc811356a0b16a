import type { AddressNetwork } from '@ordbook/bitcoin/address.ts'
import { RULES } from '@ordbook/bitcoin/chain-rules.ts'
import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import { type ContentsSource, traceContents } from '@ordbook/bitcoin/trace-contents.ts'
import type { CoreNode } from './core-node.ts'
import { CheckFailed } from './errors.ts'
import { remembering } from './receipt.ts'
import type { OwnCoin } from './verify/owner.ts'

/** Coins by the contents that a node proves. Pay with `plain` coins only. */
export interface ProvenCoins {
  plain: OwnCoin[]
  inscribed: { coin: OwnCoin; inscriptionId: string; offset: number }[]
  /** Coins with more ancestors than were followed, for example. */
  unproven: { coin: OwnCoin; reason: string }[]
}

/** A chain with the addresses of a network. */
const CHAINS: Record<AddressNetwork, string> = { mainnet: 'main', testnet: 'test', regtest: 'regtest' }

/**
 * Proves by a node which coins hold no inscription, by following all sats of each coin back. `known` holds the names (`txid:vout`) of
 * coins that were proven plain before, and gets those that are proven now: a coin stays what it is. The market lists the coins, so all of
 * them together have a time limit.
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
  const { network, mostTransactions = 2000, known = new Set(), onCoin } = options
  const { mostMilliseconds = 20_000, mostMillisecondsInAll = 120_000 } = options
  const end = performance.now() + mostMillisecondsInAll
  const rules = RULES[CHAINS[network]]!
  const tip = await node.height()
  const chain = remembering(node)
  const source: ContentsSource = {
    // Several chains have testnet addresses.
    firstInscriptionHeight: network === 'testnet' ? 0 : rules.firstInscriptionHeight,
    halvingInterval: rules.halvingInterval,
    async fetch(txid) {
      const { tx, confirmations } = await chain.transaction(txid)
      return { tx, height: confirmations > 0 ? tip - confirmations + 1 : null }
    },
  }
  const proven: ProvenCoins = { plain: [], inscribed: [], unproven: [] }
  for (const [n, coin] of coins.entries()) {
    onCoin?.(n)
    const limits = { mostTransactions, until: Math.min(performance.now() + mostMilliseconds, end) }
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
