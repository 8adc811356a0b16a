import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { formatOutpoint, type Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { sumSats } from '@ordbook/bitcoin/sats.ts'
import {
  demand,
  demandAsked,
  demandClosed,
  isOwn,
  type KnownCoin,
  landsWith,
  open,
  paidTo,
  type Step,
} from './opened.ts'
import type { Answer, Body } from './operations.ts'
import { allSigned, plain } from './signing.ts'
import type { Trader } from './trade.ts'
import type { Wallet } from './wallet.ts'

/** What one side of a swap agreed to. */
export interface SwapAgreement {
  /** The inscriptions that one gives, each with its coin as one knows it. */
  gives: readonly { inscriptionId: string; coin: KnownCoin }[]
  /** Those that one gets, each with its coin from a source that one trusts. */
  gets: readonly { inscriptionId: string; coin: Outpoint }[]
  /** Sats that one is paid; less than zero: that one pays. */
  netSats: number
  /** The payment coins that may be spent. */
  coins: readonly KnownCoin[]
  /** Most that the market and the network may take of it: the acceptor's, nothing of the proposer's. */
  maxFeesSats: number
}

/**
 * Checks a swap before it is signed, by the transaction alone: it spends the coins named and no other of one's own, every
 * inscription that one gets lands whole, and one's sats add up. Gives what one's addresses have more afterwards than before,
 * without the sats that inscriptions are in. Throws CheckFailed.
 */
export function checkSwap(wallet: Wallet, agreement: SwapAgreement, step: Step): number {
  const opened = open(step.psbtBase64)
  const { tx, spent } = opened
  const given = new Map(agreement.gives.map(({ coin }) => [formatOutpoint(coin), coin]))
  const paying = new Map(agreement.coins.map((coin) => [formatOutpoint(coin), coin]))
  const own: number[] = []
  for (const [i, input] of tx.inputs.entries()) {
    const name = formatOutpoint(input)
    const coin = given.get(name) ?? paying.get(name)
    if (!coin && !isOwn(wallet, spent[i]!.script)) continue
    demand(coin !== undefined, `input ${i} spends a coin of yours that is no part of this swap`)
    const script = given.has(name) ? wallet.ordinalsScript : wallet.paymentScript
    demand(
      coin.valueSats === spent[i]!.valueSats && equalBytes(script, spent[i]!.script),
      `input ${i} misstates your coin`,
    )
    own.push(i)
    given.delete(name)
  }
  demand(given.size === 0, 'the swap leaves out an inscription that you give')
  demandAsked(step, own)
  demandClosed(step)
  let gotSats = 0
  for (const { inscriptionId, coin } of agreement.gets) {
    const index = tx.inputs.findIndex((input) => formatOutpoint(input) === formatOutpoint(coin))
    demand(index !== -1 && !own.includes(index), `nothing in the swap brings ${inscriptionId}`)
    gotSats += landsWith(wallet, opened, index, inscriptionId).valueSats
  }
  const gaveSats = sumSats(agreement.gives.map(({ coin }) => coin.valueSats))
  const beforeSats = sumSats(own.map((i) => spent[i]!.valueSats))
  const netSats = paidTo(wallet, tx.outputs) - gotSats - (beforeSats - gaveSats)
  const leastSats = agreement.netSats - agreement.maxFeesSats
  demand(netSats >= leastSats, `the swap leaves you ${netSats} sats, agreed were at least ${leastSats}`)
  return netSats
}

/** Proposes a trade. On a client of `/web/v1`. */
export function propose(
  { client, wallet, walletBindingId }: Trader,
  proposal: Omit<Body<'createProposal'>, 'walletBindingId' | 'paymentPublicKey' | 'spendableUtxos'>,
  coins: readonly KnownCoin[] = [],
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

/** Accepts a proposal with what fills its legs, checked before it is signed. On a client of `/web/v1`. */
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
  { client, wallet, walletBindingId }: Trader,
  proposalId: string,
  fills: Body<'preflightAcceptance'>['fills'],
  agreement: SwapAgreement,
): Promise<Body<'submitAcceptance'>> {
  const request = {
    walletBindingId,
    ordinalsPublicKey: wallet.ordinalsPublicKey,
    paymentPublicKey: wallet.paymentPublicKey,
    fills,
    spendableUtxos: agreement.coins.map(plain),
  }
  const answer = await client.call('preflightAcceptance', { params: { proposalId }, body: request })
  checkSwap(wallet, agreement, answer.steps[0]!)
  return {
    ...request,
    expectedSettlementTxid: answer.expectedSettlementTxid,
    selectedPaymentUtxos: answer.selectedPaymentUtxos,
    signedSteps: await allSigned(wallet, answer.steps),
  }
}

/** Settles an acceptance of one's proposal, checked before it is signed. On a client of `/web/v1`. */
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
  { client, wallet, walletBindingId }: Trader,
  acceptanceId: string,
  agreement: SwapAgreement,
): Promise<Body<'submitSettlement'>> {
  const request = { walletBindingId, ordinalsPublicKey: wallet.ordinalsPublicKey }
  const answer = await client.call('preflightSettlement', { params: { acceptanceId }, body: request })
  checkSwap(wallet, agreement, answer.steps[0]!)
  const { expectedSettlementTxid } = answer
  return { ...request, expectedSettlementTxid, signedSteps: await allSigned(wallet, answer.steps) }
}
