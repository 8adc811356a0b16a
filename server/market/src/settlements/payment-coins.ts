import { type KeySpend, keySpendOf } from '@ordbook/bitcoin/address.ts'
import { equalBytes, hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { payWith } from '@ordbook/bitcoin/coins.ts'
import { BitcoinError } from '@ordbook/bitcoin/errors.ts'
import { formatOutpoint, type Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { type Coin, type Layout, positionsOf } from '@ordbook/bitcoin/trade/layout.ts'
import { conflict, invalid } from '@ordbook/db/process/errors.ts'
import { unspentOf } from '@ordbook/indexer/coins/coins.ts'
import { needsRunes, otherContentsOf } from '@ordbook/indexer/coins/other-contents.ts'
import { listProven } from '@ordbook/indexer/coins/rune-proofs.ts'
import { findTip, listInscribedCoins, listRareSatsIn } from '@ordbook/indexer/inscriptions/queries.ts'
import { isImmature } from '@ordbook/indexer/node/maturity.ts'
import type { TxOut } from '@ordbook/indexer/node/source.ts'
import type { BindingRow } from '../auth/queries.ts'
import type { Context } from '../context.ts'
import { assertUnique } from '../preflight/duplicates.ts'
import { toFault } from '../preflight/refuse.ts'
import type { Step } from '../preflight/steps.ts'
import { fitsMempool } from './chain-limits.ts'
import { listChangeAmong, listPendingChange } from './change-queries.ts'
import { PassedOver, type PassedOverReason } from './passed-over.ts'
import { listClaimed } from './queries.ts'

/** Throws `invalid` if the key does not belong to the payment address. */
export function payerOf(binding: BindingRow, paymentPublicKey: string): KeySpend {
  return toFault(() => keySpendOf(binding.paymentScript, hexToBytes(paymentPublicKey)), 'paymentPublicKey')
}

export const paymentStep = (layout: Layout, binding: BindingRow, paymentPublicKey: string): Step => ({
  layout,
  indexes: positionsOf(layout.inputs, 'payment'),
  signerScript: binding.paymentScript,
  publicKey: paymentPublicKey,
})

/** Throws `invalid` if a request contains no coins. For Xverse wallets, the server looks them up. */
export function assertPaymentCoins(binding: BindingRow, offered: readonly Outpoint[] | undefined): void {
  if (!offered && binding.provider !== 'xverse')
    throw invalid(
      'coins-required',
      'spendableUtxos is required. Send the confirmed coins of the payment address that may be spent.',
    )
}

export function payerWithCoins(
  binding: BindingRow,
  { paymentPublicKey, spendableUtxos }: { paymentPublicKey: string; spendableUtxos?: readonly Outpoint[] },
): KeySpend {
  const payer = payerOf(binding, paymentPublicKey)
  assertPaymentCoins(binding, spendableUtxos)
  return payer
}

interface Candidate extends Outpoint {
  valueSats: number
}

export interface Chaining {
  /** Transactions that the trade adds to the mempool. */
  added: number
}

export interface Buyer {
  payer: KeySpend
  paymentScript: Uint8Array
  ordinalsScript: Uint8Array
}

export interface PayingCoins {
  without(coins: readonly Outpoint[]): void
  including(coins: readonly Coin[]): void
  /** Chooses coins, largest first, and calls `build`. Throws `invalid` if they do not suffice. */
  pay<T>(build: (coins: Coin[]) => T): Promise<{ chosen: Coin[]; built: T }>
}

/**
 * Returns the buyer's coins that can pay, from `offered` or the payment address. Excludes coins with inscriptions, runes or rare sats and
 * coins in use. Chosen coins are checked with the node. `chaining` allows change of unconfirmed settlements.
 */
export async function usableCoins(
  context: Context,
  binding: Pick<BindingRow, 'paymentScript'>,
  offered: readonly Candidate[] | undefined,
  chaining: Chaining | null = null,
): Promise<PayingCoins & { list(): { coins: Coin[]; passedOver: number } }> {
  if (offered) assertUnique(offered.map(formatOutpoint), 'coin', 'spendableUtxos')
  const all: readonly Candidate[] = offered ?? [
    ...(await lookUp(context, binding.paymentScript)),
    ...(chaining ? await listPendingChange(context.sql, binding.paymentScript) : []),
  ]
  const excluded = new Map<string, PassedOverReason>()
  for (const [reason, coins] of [
    ['claimed', await listClaimed(context.sql, all)],
    ['rare', await listRareSatsIn(context.sql, all)],
    ['inscribed', await listInscribedCoins(context.sql, all)],
  ] as const)
    for (const coin of coins) excluded.set(formatOutpoint(coin), reason)
  const candidates = new Map(
    all
      .filter((coin) => !excluded.has(formatOutpoint(coin)))
      .map(({ txid, vout, valueSats }) => [
        formatOutpoint({ txid, vout }),
        { txid, vout, valueSats, script: binding.paymentScript },
      ]),
  )
  const checked = new Set<string>()
  const chained = new Set<string>()
  const passedOver = new PassedOver()
  for (const reason of excluded.values()) passedOver.add(reason)
  let isChainFull = false
  return {
    /** Returns the remaining coins and the number of excluded ones. */
    list: () => ({ coins: [...candidates.values()], passedOver: passedOver.count }),
    without(coins) {
      for (const coin of coins) candidates.delete(formatOutpoint(coin))
    },
    including(coins) {
      for (const coin of coins) candidates.set(formatOutpoint(coin), coin)
    },
    async pay(build) {
      for (;;) {
        const paid = tryPay([...candidates.values()], build, { passedOver, isChainFull })
        const unchecked = paid.chosen.filter((coin) => !checked.has(formatOutpoint(coin)))
        const statuses = await coinStatusesOf(context, unchecked, chaining)
        const confirmed = unchecked.filter((_, i) => statuses[i] === 'confirmed')
        const unfit = await findUnfit(context, confirmed)
        for (const [i, coin] of unchecked.entries()) {
          const key = formatOutpoint(coin)
          const status = statuses[i]!
          if (status === 'chained') chained.add(key)
          // The change of plain coins is plain.
          if (status === 'chained' || (status === 'confirmed' && !unfit.has(key))) checked.add(key)
          else {
            candidates.delete(key)
            passedOver.add(status === 'confirmed' ? unfit.get(key)! : status)
          }
        }
        if (!paid.chosen.every((coin) => checked.has(formatOutpoint(coin)))) continue
        const pending = paid.chosen.filter((coin) => chained.has(formatOutpoint(coin)))
        if (pending.length === 0 || (await fitsMempool(context.node, pending, chaining!.added))) return paid
        isChainFull = true
        for (const coin of pending) candidates.delete(formatOutpoint(coin))
      }
    },
  }
}

/** Returns the coins of a payment address. Throws `invalid` if it has too many to list. */
async function lookUp(context: Context, paymentScript: Uint8Array): Promise<readonly Candidate[]> {
  const { coins, isComplete } = await unspentOf(context, paymentScript)
  if (!isComplete && coins.length === 0)
    throw invalid('coins-required', 'The payment address has too many coins to list. Send spendableUtxos.')
  return coins
}

function tryPay<T>(
  coins: readonly Coin[],
  build: (coins: Coin[]) => T,
  { passedOver, isChainFull }: { passedOver: PassedOver; isChainFull: boolean },
) {
  try {
    return payWith(coins, build)
  } catch (error) {
    if (
      !(error instanceof BitcoinError) ||
      (error.code !== 'coins-insufficient' && error.code !== 'coins-fragmented')
    )
      throw error
    if (isChainFull)
      throw conflict(
        'coins-chain-too-long',
        'These coins have too many unconfirmed ancestors. Wait for the next block or pay with confirmed coins.',
        error,
      )
    const reason =
      coins.length === 0 && passedOver.count > 0 ? 'none of these coins can be used' : error.message
    throw invalid(error.code, `spendableUtxos: ${reason}${passedOver.text()}`, error)
  }
}

type CoinStatus = 'confirmed' | 'chained' | PassedOverReason

/**
 * Returns each coin's status: `confirmed`, `chained` for unconfirmed change, or the reason why it cannot pay. A block that is not indexed
 * yet may contain unknown inscriptions.
 */
async function coinStatusesOf(
  { sql, node }: Pick<Context, 'sql' | 'node'>,
  coins: readonly Coin[],
  chaining: Chaining | null,
): Promise<CoinStatus[]> {
  if (coins.length === 0) return []
  const outputs: (TxOut | null)[] = []
  for (const coin of coins) outputs.push(await node.txOut(coin))
  // A block in between can only make the check stricter.
  const { blocks } = await node.blockchainInfo()
  const tip = await findTip(sql)
  const lagBlocks = tip ? Math.max(0, blocks - tip.height) : Number.POSITIVE_INFINITY
  const change = new Set((chaining ? await listChangeAmong(sql, coins) : []).map(formatOutpoint))
  return coins.map((coin, i) => {
    const output = outputs[i]
    if (!output) return 'spent'
    if (!equalBytes(output.script, coin.script)) return 'foreign'
    if (output.valueSats !== coin.valueSats) return 'misstated'
    if (isImmature(output)) return 'immature'
    if (output.confirmations > lagBlocks) return 'confirmed'
    if (change.has(formatOutpoint(coin))) return 'chained'
    return output.confirmations > 0 ? 'unread' : chaining ? 'unconfirmed' : 'unblocked'
  })
}

/** Returns why confirmed coins cannot pay, by outpoint. */
async function findUnfit(
  context: Context,
  coins: readonly Coin[],
): Promise<Map<string, 'carrying' | 'unproven'>> {
  const contentsByCoin = await otherContentsOf(context, coins)
  const keys = coins.map(formatOutpoint)
  if (contentsByCoin)
    return new Map(
      keys.filter((key) => contentsByCoin.get(key)?.length !== 0).map((key) => [key, 'carrying']),
    )
  if (!needsRunes(context.config)) return new Map()
  const proven = await listProven(context, coins)
  return new Map(keys.filter((key) => !proven.has(key)).map((key) => [key, 'unproven']))
}

/** Throws `conflict` unless the coins are confirmed and unspent. `chaining` allows change within the mempool's limits. */
export async function assertConfirmedCoins(
  context: Pick<Context, 'sql' | 'node'>,
  coins: readonly Coin[],
  chaining: Chaining | null = null,
): Promise<void> {
  const statuses = await coinStatusesOf(context, coins, chaining)
  const unusable = statuses.findIndex((status) => status !== 'confirmed' && status !== 'chained')
  if (unusable !== -1)
    throw conflict(
      'coin-spent',
      `Coin ${formatOutpoint(coins[unusable]!)} is no longer spendable. Request a new preflight.`,
    )
  const pending = coins.filter((_, i) => statuses[i] === 'chained')
  if (pending.length > 0 && !(await fitsMempool(context.node, pending, chaining!.added)))
    throw conflict(
      'coins-chain-too-long',
      'The coins of this trade have too many unconfirmed ancestors. Wait for the next block.',
    )
}
