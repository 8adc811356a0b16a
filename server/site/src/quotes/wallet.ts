import type { KeySpend } from '@ordbook/bitcoin/address.ts'
import { bytesToHex, hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { largestFirst } from '@ordbook/bitcoin/coins.ts'
import { BitcoinError } from '@ordbook/bitcoin/errors.ts'
import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { assertSats, sumSats } from '@ordbook/bitcoin/sats.ts'
import type { Coin } from '@ordbook/bitcoin/trade/layout.ts'
import { Fault } from '@ordbook/db/process/errors.ts'
import type { Session } from '@ordbook/http/operations/operations.ts'
import { getOwnBinding } from '@ordbook/market/auth/me.ts'
import type { BindingRow } from '@ordbook/market/auth/queries.ts'
import type { Context } from '@ordbook/market/context.ts'
import { sellerOf } from '@ordbook/market/listings/owner.ts'
import { canonicalCoin } from '@ordbook/market/preflight/echoes.ts'
import { toFault } from '@ordbook/market/preflight/refuse.ts'
import {
  type Buyer,
  type Chaining,
  type PayingCoins,
  usableCoins,
} from '@ordbook/market/settlements/payment-coins.ts'
import { imaginedCoins, sizedSpendOf } from '@ordbook/market/settlements/placeholder-coins.ts'
import { type BackedRow, listBacked } from './backed-queries.ts'

/** Number of largest coins that a quote considers. Each may need a call to the node. */
const MAX_COINS = 100

/** Placeholder scripts without a wallet: P2WPKH of a zero hash, and P2TR of the generator point. */
export const VISITOR_SCRIPTS = {
  paymentScript: Uint8Array.from([0, 20, ...new Uint8Array(20)]),
  ordinalsScript: hexToBytes('512079be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'),
}

interface Asked {
  walletBindingId?: string
  spendableUtxos?: (Outpoint & { valueSats: number })[]
  keepOffers?: boolean
}

/** `bindingId` is null for a visitor. */
export interface QuotedWallet {
  bindingId: string | null
  buyer: Buyer
  asked: Asked
}

/** Returns the wallet of a quote. Throws `forbidden` if it does not belong to the session. */
export async function quotedWallet(context: Context, session: Session, asked: Asked): Promise<QuotedWallet> {
  const binding =
    asked.walletBindingId === undefined ? null : await getOwnBinding(context, session, asked.walletBindingId)
  const { paymentScript, ordinalsScript } = binding ?? VISITOR_SCRIPTS
  return {
    bindingId: binding?.walletBindingId ?? null,
    buyer: { paymentScript, ordinalsScript, payer: sizedSpendOf(paymentScript) },
    asked,
  }
}

/** Returns a binding's signing method as a seller, derived from its ordinals address. Throws `invalid` unless the address is P2TR. */
export const sellerOfAddress = (binding: BindingRow): KeySpend =>
  sellerOf(binding, bytesToHex(binding.ordinalsScript.slice(2)))

interface Funds {
  exact: boolean
  availableSats: number | null
  missingSats: number | null
  selectedPaymentUtxos: ReturnType<typeof canonicalCoin>[]
  sharesCoinWith: (Omit<BackedRow, 'criteriaHash' | 'txid' | 'vout'> & { replaced: boolean })[]
}

/**
 * Computes a trade with the wallet's coins. For a visitor, or if the coins are insufficient, estimates it with placeholder coins and
 * returns `missingSats`. `criteriaHash` identifies a collection offer, which replaces offers with the same criteria and coins.
 */
export async function quoteFrom<T>(
  context: Context,
  { bindingId, buyer, asked }: QuotedWallet,
  trade: {
    plan: (coins: PayingCoins) => Promise<T>
    chosenOf: (plan: T) => readonly Coin[]
    chaining?: Chaining
    criteriaHash?: string
  },
): Promise<{ plan: T; funds: Funds }> {
  const estimate = async (availableSats: number | null, missingSats: number | null) => ({
    plan: await trade.plan(imaginedCoins(buyer.paymentScript)),
    funds: { exact: false, availableSats, missingSats, selectedPaymentUtxos: [], sharesCoinWith: [] },
  })
  if (bindingId === null) return estimate(null, null)
  const coins = await usableCoins(context, buyer, asked.spendableUtxos, trade.chaining ?? null)
  const backedBy = (of: readonly Outpoint[]) =>
    listBacked(context.sql, { bindingId, coins: of, now: context.clock() })
  if (asked.keepOffers) coins.without(await backedBy(coins.list().coins))
  const free = coins.list().coins
  coins.without(free.toSorted(largestFirst).slice(MAX_COINS))
  const availableSats = toFault(
    () => assertSats(sumSats(free.map((coin) => coin.valueSats))),
    'spendableUtxos',
  )
  try {
    const plan = await trade.plan(coins)
    const chosen = trade.chosenOf(plan)
    const shared = new Map((await backedBy(chosen)).map((row) => [row.offerId, row]))
    return {
      plan,
      funds: {
        exact: true,
        availableSats,
        missingSats: null,
        selectedPaymentUtxos: chosen.map(canonicalCoin),
        sharesCoinWith: [...shared.values()].map(({ criteriaHash, txid: _, vout: __, ...row }) => ({
          ...row,
          replaced: criteriaHash !== null && criteriaHash === trade.criteriaHash,
        })),
      },
    }
  } catch (error) {
    const missing = shortageOf(error)
    if (missing === null)
      return toFault(() => {
        throw error
      }, 'spendableUtxos')
    return estimate(availableSats, missing)
  }
}

/** Returns the missing sats of an insufficient-coins error, or null. */
function shortageOf(error: unknown): number | null {
  if (!(error instanceof Fault) || error.code !== 'coins-insufficient') return null
  return error.cause instanceof BitcoinError ? Number(error.cause.facts.missingSats ?? 0) : 0
}
