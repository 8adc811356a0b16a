import { keysOf } from './keys.ts'
import type { Answer, Body } from './operations.ts'
import { plain, signPlan, withSigned } from './signing.ts'
import type { Trader } from './trader.ts'
import type { OwnCoin } from './verify/owner.ts'
import { type SwapAgreement, verifySwapAcceptance, verifySwapSettlement } from './verify/swap.ts'

/** Proposes a trade. On a client of `/web/v1`. */
export function propose(
  { client, wallet, walletBindingId }: Trader,
  proposal: Omit<Body<'createProposal'>, 'walletBindingId' | 'paymentPublicKey' | 'spendableUtxos'>,
  coins: readonly OwnCoin[] = [],
): Promise<Answer<'createProposal'>> {
  const pays = proposal.offeredBtcSats > 0
  return client.call('createProposal', {
    body: {
      ...proposal,
      walletBindingId,
      ...(pays ? { paymentPublicKey: wallet.paymentPublicKey, spendableUtxos: coins.map(plain) } : {}),
    },
  })
}

/** Accepts a proposal with what fills its legs, verified before it is signed. On a client of `/web/v1`. */
export async function acceptProposal(
  trader: Trader,
  proposalId: string,
  fills: Body<'preflightAcceptance'>['fills'],
  agreement: SwapAgreement,
): Promise<Answer<'submitAcceptance'>> {
  return trader.client.call('submitAcceptance', {
    params: { proposalId },
    body: await prepareAcceptanceOf(trader, proposalId, fills, agreement),
  })
}

/** Everything of `acceptProposal` but the submit. */
export async function prepareAcceptanceOf(
  trader: Trader,
  proposalId: string,
  fills: Body<'preflightAcceptance'>['fills'],
  agreement: SwapAgreement,
): Promise<Body<'submitAcceptance'>> {
  const { client, wallet, walletBindingId } = trader
  const keys = await keysOf(trader)
  const request = {
    walletBindingId,
    ordinalsPublicKey: wallet.ordinalsPublicKey,
    paymentPublicKey: wallet.paymentPublicKey,
    fills,
    spendableUtxos: agreement.coins.map(plain),
  }
  const answer = await client.call('preflightAcceptance', { params: { proposalId }, body: request })
  const plan = verifySwapAcceptance(wallet, keys, agreement, answer)
  return {
    ...request,
    expectedSettlementTxid: answer.expectedSettlementTxid,
    selectedPaymentUtxos: answer.selectedPaymentUtxos,
    signedSteps: withSigned(answer.steps, await signPlan(wallet, plan)),
  }
}

/** Settles an acceptance of one's proposal, verified before it is signed. On a client of `/web/v1`. */
export async function settle(
  trader: Trader,
  acceptanceId: string,
  agreement: SwapAgreement,
): Promise<Answer<'submitSettlement'>> {
  return trader.client.call('submitSettlement', {
    params: { acceptanceId },
    body: await prepareSettlement(trader, acceptanceId, agreement),
  })
}

/** Everything of `settle` but the submit. */
export async function prepareSettlement(
  trader: Trader,
  acceptanceId: string,
  agreement: SwapAgreement,
): Promise<Body<'submitSettlement'>> {
  const { client, wallet, walletBindingId } = trader
  const keys = await keysOf(trader)
  const request = { walletBindingId, ordinalsPublicKey: wallet.ordinalsPublicKey }
  const answer = await client.call('preflightSettlement', { params: { acceptanceId }, body: request })
  const plan = verifySwapSettlement(wallet, keys, agreement, answer)
  const { expectedSettlementTxid } = answer
  const signedSteps = withSigned(answer.steps, await signPlan(wallet, plan))
  return { ...request, expectedSettlementTxid, signedSteps }
}
