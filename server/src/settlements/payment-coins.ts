import { type KeySpend, keySpendOf } from '@ordbook/bitcoin/address.ts'
import { equalBytes, hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { payWith } from '@ordbook/bitcoin/coins.ts'
import { BitcoinError } from '@ordbook/bitcoin/errors.ts'
import { formatOutpoint, type Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { Coin } from '@ordbook/bitcoin/trade/layout.ts'
import type { BindingRow } from '../auth/queries.ts'
import { carriedBy } from '../chain/carried.ts'
import { unspentOf } from '../chain/coins.ts'
import { isImmature } from '../chain/maturity.ts'
import type { TxOut } from '../chain/node.ts'
import { findTip, listInscribedCoins, listRareSatsIn } from '../chain/queries.ts'
import type { Context } from '../context.ts'
import { refuseBitcoin } from '../engine/refuse.ts'
import { conflict, invalid } from '../errors.ts'
import { listClaimed } from './queries.ts'

/** How the owner of a binding spends its payment coins. Throws invalid when the key is not the payment address's. */
export function payerOf(binding: BindingRow, paymentPublicKey: string): KeySpend {
  return refuseBitcoin(
    () => keySpendOf(binding.paymentScript, hexToBytes(paymentPublicKey)),
    'paymentPublicKey',
  )
}

/** The coins that a request must offer, where the wallet's provider does not tell them. Throws invalid. */
export function demandCoins(binding: BindingRow, offered: readonly Outpoint[] | undefined): void {
  if (!offered && binding.provider !== 'xverse')
    throw invalid('spendableUtxos is required: the confirmed coins of the payment address that may be spent')
}

interface Candidate extends Outpoint {
  valueSats: number
}

/**
 * The buyer's coins that may pay: of those offered, the ones that hold no inscription and no rare sat, and that no live
 * settlement of ours spends. Each that is chosen is looked up on the chain before it counts: unspent, confirmed, of the payment address
 * and of the value claimed. Without an offer the chain is asked for the address's coins. Throws invalid when one is offered twice.
 */
export async function usableCoins(
  context: Context,
  binding: BindingRow,
  offered: readonly Candidate[] | undefined,
) {
  if (offered && new Set(offered.map(formatOutpoint)).size !== offered.length)
    throw invalid('spendableUtxos: a coin is there twice')
  const all: readonly Candidate[] = offered ?? (await unspentOf(context, binding.paymentScript))
  const taken = new Set(
    [
      ...(await listInscribedCoins(context.sql, all)),
      ...(await listRareSatsIn(context.sql, all)),
      ...(await listClaimed(context.sql, all)),
    ].map(formatOutpoint),
  )
  const candidates = new Map(
    all
      .filter((coin) => !taken.has(formatOutpoint(coin)))
      .map(({ txid, vout, valueSats }) => [
        formatOutpoint({ txid, vout }),
        { txid, vout, valueSats, script: binding.paymentScript },
      ]),
  )
  const checked = new Set<string>()
  let passedOver = taken.size
  return {
    /** Those left, and how many were left out. */
    list: (): { coins: Coin[]; passedOver: number } => ({ coins: [...candidates.values()], passedOver }),
    /** Leaves coins out from here on. */
    without(coins: readonly Outpoint[]): void {
      for (const coin of coins) candidates.delete(formatOutpoint(coin))
    },
    /** Takes coins that were left out in again. */
    including(coins: readonly Coin[]): void {
      for (const coin of coins) candidates.set(formatOutpoint(coin), coin)
    },
    /** Chooses largest first and builds. Throws invalid when the coins do not suffice. */
    async pay<T>(build: (coins: Coin[]) => T): Promise<{ chosen: Coin[]; built: T }> {
      for (;;) {
        const paid = tryPay([...candidates.values()], build, passedOver)
        const unchecked = paid.chosen.filter((coin) => !checked.has(formatOutpoint(coin)))
        const claimed = await areAsClaimed(context, unchecked)
        const plain = await findPlain(context, unchecked)
        for (const [i, coin] of unchecked.entries()) {
          const key = formatOutpoint(coin)
          if (claimed[i] && (plain === null || plain.has(key))) checked.add(key)
          else {
            candidates.delete(key)
            passedOver++
          }
        }
        if (paid.chosen.every((coin) => checked.has(formatOutpoint(coin)))) return paid
      }
    },
  }
}

function tryPay<T>(coins: readonly Coin[], build: (coins: Coin[]) => T, passedOver: number) {
  try {
    return payWith(coins, build)
  } catch (error) {
    if (
      !(error instanceof BitcoinError) ||
      (error.code !== 'coins-insufficient' && error.code !== 'coins-fragmented')
    )
      throw error
    const skipped =
      passedOver > 0
        ? ` (${passedOver} coins were passed over: spent, unconfirmed, not of the payment address, of a coinbase that is not mature, in use by another trade, or holding inscriptions, runes or rare sats)`
        : ''
    throw invalid(`spendableUtxos: ${error.message}${skipped}`, error)
  }
}

/** Whether each is there as claimed, mature where a coinbase made it, in a block that the index has read: of a later one nobody knows yet what the coin holds. */
async function areAsClaimed(
  { sql, node }: Pick<Context, 'sql' | 'node'>,
  coins: readonly Coin[],
): Promise<boolean[]> {
  if (coins.length === 0) return []
  const found: (TxOut | null)[] = []
  for (const coin of coins) found.push(await node.txOut(coin))
  // Asked after the coins: a block in between makes this only stricter.
  const { blocks } = await node.blockchainInfo()
  const tip = await findTip(sql)
  const lagBlocks = tip ? Math.max(0, blocks - tip.height) : Number.POSITIVE_INFINITY
  return coins.map(({ valueSats, script }, i) => {
    const coin = found[i]
    return (
      !!coin &&
      coin.confirmations > lagBlocks &&
      !isImmature(coin) &&
      coin.valueSats === valueSats &&
      equalBytes(coin.script, script)
    )
  })
}

/** Of these coins, those that the ord server knows to hold nothing; null where there is none. A coin that it does not know is not plain. */
async function findPlain(context: Context, coins: readonly Coin[]): Promise<Set<string> | null> {
  const carried = await carriedBy(context, coins)
  return carried && new Set([...carried].flatMap(([key, held]) => (held.length === 0 ? [key] : [])))
}

/** Throws conflict unless the coins are still unspent, confirmed and as claimed; what they hold, nothing changes. */
export async function assertConfirmedCoins(
  context: Pick<Context, 'sql' | 'node'>,
  coins: readonly Coin[],
): Promise<void> {
  const missing = (await areAsClaimed(context, coins)).indexOf(false)
  if (missing !== -1)
    throw conflict(
      `Payment coin ${formatOutpoint(coins[missing]!)} is no longer spendable: prepare this again`,
    )
}
