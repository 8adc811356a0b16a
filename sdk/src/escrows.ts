import type { DurationDays } from '@ordbook/contract/durations.ts'
import { keysOf } from './keys.ts'
import type { MoveResult, ReclaimResult, RelistResult } from './results.ts'
import { plain, signPlan, withSigned } from './signing.ts'
import { submitSigned } from './submitting.ts'
import type { Trader } from './trader.ts'
import {
  type MoveAgreement,
  type OwnEscrow,
  type RelistAgreement,
  verifyMove,
  verifyReclaim,
  verifyRelist,
} from './verify/escrow.ts'
import { escrowFormOf } from './verify/listing.ts'

/**
 * Lists inscriptions that are in escrow, or changes their prices. Verifies before signing.
 * Throws CheckFailed, SubmitUncertain and ApiError.
 *
 * ```ts
 * await relist(trader, [{ inscriptionId, priceSats: 45_000, escrow, maxFeeBps: 500 }])
 * ```
 */
export async function relist(
  trader: Trader,
  agreements: readonly RelistAgreement[],
  durationDays?: DurationDays,
): Promise<RelistResult> {
  const { client, wallet, walletBindingId } = trader
  const body = {
    walletBindingId,
    ordinalsPublicKey: wallet.ordinalsPublicKey,
    items: agreements.map(({ escrow: { txid, vout }, priceSats }) => ({ txid, vout, priceSats })),
  }
  const keys = await keysOf(trader)
  const answer = await client.call('preflightRelist', { body })
  const signed = await signPlan(wallet, verifyRelist(wallet, keys, agreements, answer))
  const request = {
    ...body,
    relistId: answer.relistId,
    ...(durationDays ? { durationDays } : {}),
    signedSteps: withSigned(answer.steps, signed),
  }
  return submitSigned(client, 'submitRelist', { body: request }, answer)
}

/**
 * Withdraws inscriptions from escrow; the market co-signs and pays the fee. Verifies before signing.
 * Throws CheckFailed, SubmitUncertain and ApiError.
 *
 * ```ts
 * const { txid } = await reclaim(trader, [escrow])
 * ```
 */
export async function reclaim(trader: Trader, escrows: readonly OwnEscrow[]): Promise<ReclaimResult> {
  const { client, wallet, walletBindingId } = trader
  const body = {
    walletBindingId,
    ordinalsPublicKey: wallet.ordinalsPublicKey,
    escrows: escrows.map(({ txid, vout }) => ({ txid, vout })),
  }
  const keys = await keysOf(trader)
  const answer = await client.call('preflightReclaim', { body })
  const signed = await signPlan(wallet, verifyReclaim(wallet, keys, escrows, answer))
  const request = { ...body, reclaimId: answer.reclaimId, signedSteps: withSigned(answer.steps, signed) }
  return submitSigned(client, 'submitReclaim', { body: request }, answer)
}

/**
 * Moves escrow coins to new escrows, which voids all earlier prices. Verifies before signing. Also returns the cost. Throws CheckFailed,
 * SubmitUncertain and ApiError.
 *
 * ```ts
 * const { costSats } = await moveEscrows(trader, { escrows: [escrow], coins, maxNetworkSats: 5000 })
 * ```
 */
export async function moveEscrows(trader: Trader, agreement: MoveAgreement): Promise<MoveResult> {
  const { client, wallet, walletBindingId } = trader
  const request = {
    walletBindingId,
    ordinalsPublicKey: wallet.ordinalsPublicKey,
    paymentPublicKey: wallet.paymentPublicKey,
    escrows: agreement.escrows.map(({ txid, vout }) => ({ txid, vout })),
    escrowForm: agreement.escrowForm ?? escrowFormOf(wallet),
    spendableUtxos: agreement.coins.map(plain),
  }
  const keys = await keysOf(trader)
  const answer = await client.call('preflightMove', { body: request })
  const plan = verifyMove(wallet, keys, agreement, answer)
  const signedSteps = withSigned(answer.steps, await signPlan(wallet, plan))
  const { moveId, selectedPaymentUtxos } = answer
  const body = { ...request, moveId, selectedPaymentUtxos, signedSteps }
  return { ...(await submitSigned(client, 'submitMove', { body }, answer)), costSats: plan.costSats }
}
