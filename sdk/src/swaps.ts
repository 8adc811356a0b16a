import { keysOf } from './keys.ts'
import type { Body } from './operations.ts'
import type { AcceptanceResult, OwnProposal, SwapResult } from './results.ts'
import { plain, signPlan, withSigned } from './signing.ts'
import { type Prepared, submit } from './submitting.ts'
import type { Trader } from './trader.ts'
import type { OwnCoin } from './verify/owner.ts'
import {
  type AcceptanceAgreement,
  type SwapAgreement,
  verifySwapAcceptance,
  verifySwapSettlement,
} from './verify/swap.ts'

/** Proposes a trade. Needs a client of `/web/v1`. */
export function propose(
  { client, wallet, walletBindingId }: Trader,
  proposal: Omit<Body<'createProposal'>, 'walletBindingId' | 'paymentPublicKey' | 'spendableUtxos'>,
  coins: readonly OwnCoin[] = [],
): Promise<OwnProposal> {
  const isPaying = proposal.offeredBtcSats > 0
  return client.call('createProposal', {
    body: {
      ...proposal,
      walletBindingId,
      ...(isPaying ? { paymentPublicKey: wallet.paymentPublicKey, spendableUtxos: coins.map(plain) } : {}),
    },
  })
}

/** Prepares, verifies and signs an `acceptProposal` without submitting it. */
export async function prepareAcceptanceOf(
  trader: Trader,
  proposalId: string,
  fills: Body<'preflightAcceptance'>['fills'],
  agreement: AcceptanceAgreement,
): Promise<Prepared<'submitAcceptance', 'preflightAcceptance'>> {
  const { client, wallet, walletBindingId } = trader
  const keys = await keysOf(trader)
  const request = {
    walletBindingId,
    ordinalsPublicKey: wallet.ordinalsPublicKey,
    paymentPublicKey: wallet.paymentPublicKey,
    fills,
    spendableUtxos: agreement.coins.map(plain),
  }
  const params = { proposalId }
  const answer = await client.call('preflightAcceptance', { params, body: request })
  const plan = verifySwapAcceptance(wallet, keys, agreement, answer)
  const { expectedSettlementTxid, selectedPaymentUtxos } = answer
  const signedSteps = withSigned(answer.steps, await signPlan(wallet, plan))
  return {
    params,
    body: { ...request, expectedSettlementTxid, selectedPaymentUtxos, signedSteps },
    answer,
  }
}

/**
 * Accepts a proposal with the items in `fills`. Verifies before signing. Needs a client of `/web/v1`.
 * Throws CheckFailed, SubmitUncertain and ApiError.
 *
 * ```ts
 * const limits = { maxMarketSats: 2000, maxNetworkSats: 5000 }
 * await acceptProposal(trader, proposalId, fills, { gives, gets, netSats: 0, coins, ...limits })
 * ```
 */
export function acceptProposal(
  trader: Trader,
  proposalId: string,
  fills: Body<'preflightAcceptance'>['fills'],
  agreement: AcceptanceAgreement,
): Promise<AcceptanceResult> {
  return submit(trader, 'submitAcceptance', prepareAcceptanceOf(trader, proposalId, fills, agreement))
}

/** Prepares, verifies and signs a `settle` without submitting it. */
export async function prepareSettlement(
  trader: Trader,
  acceptanceId: string,
  agreement: SwapAgreement,
): Promise<Prepared<'submitSettlement', 'preflightSettlement'>> {
  const { client, wallet, walletBindingId } = trader
  const keys = await keysOf(trader)
  const request = { walletBindingId, ordinalsPublicKey: wallet.ordinalsPublicKey }
  const params = { acceptanceId }
  const answer = await client.call('preflightSettlement', { params, body: request })
  const plan = verifySwapSettlement(wallet, keys, agreement, answer)
  const { expectedSettlementTxid } = answer
  const signedSteps = withSigned(answer.steps, await signPlan(wallet, plan))
  return { params, body: { ...request, expectedSettlementTxid, signedSteps }, answer }
}

/**
 * Settles an accepted proposal of the wallet. Verifies before signing. Needs a client of `/web/v1`.
 * Throws CheckFailed, SubmitUncertain and ApiError.
 *
 * ```ts
 * await settle(trader, acceptanceId, { gives, gets, netSats: 0, coins })
 * ```
 */
export function settle(trader: Trader, acceptanceId: string, agreement: SwapAgreement): Promise<SwapResult> {
  return submit(trader, 'submitSettlement', prepareSettlement(trader, acceptanceId, agreement))
}
