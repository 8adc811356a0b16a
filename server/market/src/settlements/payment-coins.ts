import { type KeySpend, keySpendOf } from '@ordbook/bitcoin/address.ts'
import { equalBytes, hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { payWith } from '@ordbook/bitcoin/coins.ts'
import { BitcoinError } from '@ordbook/bitcoin/errors.ts'
import { formatOutpoint, type Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { type Coin, type Layout, positionsOf } from '@ordbook/bitcoin/trade/layout.ts'
import { conflict, invalid } from '@ordbook/db/process/errors.ts'
import { unspentOf } from '@ordbook/indexer/coins/coins.ts'
import { carriedBy } from '@ordbook/indexer/coins/other-contents.ts'
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

/** The key spend of a binding's payment address. Throws invalid if the key does not belong to the address. */
export function payerOf(binding: BindingRow, paymentPublicKey: string): KeySpend {
  return toFault(() => keySpendOf(binding.paymentScript, hexToBytes(paymentPublicKey)), 'paymentPublicKey')
}

/** The signing step of a binding's payment coins in a transaction. */
export const paymentStep = (layout: Layout, binding: BindingRow, paymentPublicKey: string): Step => ({
  layout,
  indexes: positionsOf(layout.inputs, 'payment'),
  signerScript: binding.paymentScript,
  publicKey: paymentPublicKey,
})

/** Throws invalid if a request lists no coins and the server cannot look them up for this wallet's provider. */
export function demandCoins(binding: BindingRow, offered: readonly Outpoint[] | undefined): void {
  if (!offered && binding.provider !== 'xverse')
    throw invalid(
      'coins-required',
      'spendableUtxos is required: the confirmed coins of the payment address that may be spent',
    )
}

/** `payerOf` for a request whose coins are needed (`demandCoins`). Throws invalid. */
export function payerWithCoins(
  binding: BindingRow,
  { paymentPublicKey, spendableUtxos }: { paymentPublicKey: string; spendableUtxos?: readonly Outpoint[] },
): KeySpend {
  const payer = payerOf(binding, paymentPublicKey)
  demandCoins(binding, spendableUtxos)
  return payer
}

interface Candidate extends Outpoint {
  valueSats: number
}

/** Lets unconfirmed change pay for a trade. */
export interface Chaining {
  /** Transactions that the package of the trade adds to the mempool. */
  added: number
}

/** The scripts of a buyer, and how its payment coins are spent. */
export interface Buyer {
  payer: KeySpend
  paymentScript: Uint8Array
  ordinalsScript: Uint8Array
}

/** Coins that pay for trades. */
export interface PayingCoins {
  /** Excludes coins from here on. */
  without(coins: readonly Outpoint[]): void
  /** Includes excluded coins again. */
  including(coins: readonly Coin[]): void
  /** Chooses largest first and builds. Throws invalid when the coins do not suffice. */
  pay<T>(build: (coins: Coin[]) => T): Promise<{ chosen: Coin[]; built: T }>
}

/**
 * The buyer's coins that may pay: among the offered coins, those without inscriptions and rare sats that no live settlement of this market
 * spends. Each chosen coin is looked up on the chain: it must be unspent, confirmed, at the payment address, and have the claimed value.
 * With `chaining`, change of our unconfirmed settlements counts too. Without offered coins, uses all coins of the address. Throws invalid
 * for a duplicate.
 */
export async function usableCoins(
  context: Context,
  binding: Pick<BindingRow, 'paymentScript'>,
  offered: readonly Candidate[] | undefined,
  chaining: Chaining | null = null,
): Promise<PayingCoins & { list(): { coins: Coin[]; passedOver: number } }> {
  if (offered) assertUnique(offered.map(formatOutpoint), 'coin', 'spendableUtxos')
  const all: readonly Candidate[] = offered ?? [
    ...(await unspentOf(context, binding.paymentScript)),
    ...(chaining ? await listPendingChange(context.sql, binding.paymentScript) : []),
  ]
  const taken = new Map<string, PassedOverReason>()
  for (const [reason, coins] of [
    ['claimed', await listClaimed(context.sql, all)],
    ['rare', await listRareSatsIn(context.sql, all)],
    ['inscribed', await listInscribedCoins(context.sql, all)],
  ] as const)
    for (const coin of coins) taken.set(formatOutpoint(coin), reason)
  const candidates = new Map(
    all
      .filter((coin) => !taken.has(formatOutpoint(coin)))
      .map(({ txid, vout, valueSats }) => [
        formatOutpoint({ txid, vout }),
        { txid, vout, valueSats, script: binding.paymentScript },
      ]),
  )
  const checked = new Set<string>()
  const chained = new Set<string>()
  const passedOver = new PassedOver()
  for (const reason of taken.values()) passedOver.add(reason)
  let isChainFull = false
  return {
    /** The remaining coins, and how many were excluded. */
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
        const standings = await coinStatusesOf(context, unchecked, chaining)
        const confirmed = unchecked.filter((_, i) => standings[i] === 'confirmed')
        const plain = await findPlain(context, confirmed)
        for (const [i, coin] of unchecked.entries()) {
          const key = formatOutpoint(coin)
          const standing = standings[i]!
          if (standing === 'chained') chained.add(key)
          // Change of plain coins is plain.
          if (standing === 'chained' || (standing === 'confirmed' && (plain?.has(key) ?? true)))
            checked.add(key)
          else {
            candidates.delete(key)
            passedOver.add(standing === 'confirmed' ? 'carrying' : standing)
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
        'These coins are part of too long a chain of unconfirmed transactions. Wait for the next block, or pay with confirmed coins',
        error,
      )
    const reason = coins.length === 0 && passedOver.count > 0 ? 'none of these coins can pay' : error.message
    throw invalid(error.code, `spendableUtxos: ${reason}${passedOver.text()}`, error)
  }
}

type Standing = 'confirmed' | 'chained' | PassedOverReason

/**
 * The state of each coin: `confirmed`, in a block that the index has read (a later coin may hold unknown inscriptions); with `chaining`
 * also `chained`, the change of a sent settlement of ours; otherwise the reason why it cannot pay.
 */
async function coinStatusesOf(
  { sql, node }: Pick<Context, 'sql' | 'node'>,
  coins: readonly Coin[],
  chaining: Chaining | null,
): Promise<Standing[]> {
  if (coins.length === 0) return []
  const found: (TxOut | null)[] = []
  for (const coin of coins) found.push(await node.txOut(coin))
  // Read after the coins: a block in between makes the check only stricter.
  const { blocks } = await node.blockchainInfo()
  const tip = await findTip(sql)
  const lagBlocks = tip ? Math.max(0, blocks - tip.height) : Number.POSITIVE_INFINITY
  const change = new Set((chaining ? await listChangeAmong(sql, coins) : []).map(formatOutpoint))
  return coins.map((claimed, i) => {
    const coin = found[i]
    if (!coin) return 'spent'
    if (!equalBytes(coin.script, claimed.script)) return 'foreign'
    if (coin.valueSats !== claimed.valueSats) return 'misstated'
    if (isImmature(coin)) return 'immature'
    if (coin.confirmations > lagBlocks) return 'confirmed'
    if (change.has(formatOutpoint(claimed))) return 'chained'
    return coin.confirmations > 0 ? 'unread' : chaining ? 'unconfirmed' : 'unblocked'
  })
}

/** Filters coins to those that the ord server knows as empty; null without an ord server. A coin unknown to it is not plain. */
async function findPlain(context: Context, coins: readonly Coin[]): Promise<Set<string> | null> {
  const carried = await carriedBy(context, coins)
  return carried && new Set([...carried].flatMap(([key, held]) => (held.length === 0 ? [key] : [])))
}

/**
 * Throws conflict unless the coins are still unspent and as claimed, and confirmed or, with `chaining`, change of ours that still
 * fits the mempool.
 */
export async function assertConfirmedCoins(
  context: Pick<Context, 'sql' | 'node'>,
  coins: readonly Coin[],
  chaining: Chaining | null = null,
): Promise<void> {
  const standings = await coinStatusesOf(context, coins, chaining)
  const missing = standings.findIndex((each) => each !== 'confirmed' && each !== 'chained')
  if (missing !== -1)
    throw conflict(
      'coin-spent',
      `Payment coin ${formatOutpoint(coins[missing]!)} is no longer spendable: prepare this again`,
    )
  const pending = coins.filter((_, i) => standings[i] === 'chained')
  if (pending.length > 0 && !(await fitsMempool(context.node, pending, chaining!.added)))
    throw conflict(
      'coins-chain-too-long',
      'The coins of this trade are part of too long a chain of unconfirmed transactions. Wait for the next block',
    )
}
