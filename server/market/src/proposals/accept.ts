import { randomUUID } from 'node:crypto'
import { type KeySpend, keySpendOf } from '@ordbook/bitcoin/address.ts'
import { bytesToHex, equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { BitcoinError } from '@ordbook/bitcoin/errors.ts'
import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { Coin } from '@ordbook/bitcoin/trade/layout.ts'
import { prevoutsOf } from '@ordbook/bitcoin/trade/layout.ts'
import {
  buildSwap,
  checkSwap,
  type Swap,
  type SwapSide,
  type SwapTerms,
  swapInputsOf,
} from '@ordbook/bitcoin/trade/swap.ts'
import type * as operations from '@ordbook/contract/acceptances.ts'
import type { BodyOf } from '@ordbook/contract/operation.ts'
import { inTransaction } from '@ordbook/db/driver/connect.ts'
import { pack, unpack } from '@ordbook/db/driver/pack.ts'
import { conflict, invalid, missing } from '@ordbook/db/process/errors.ts'
import type { Session } from '@ordbook/http/operations/operations.ts'
import { otherContentsOf } from '@ordbook/indexer/coins/other-contents.ts'
import { listSpentInMempool, lockMempoolView } from '@ordbook/indexer/mempool/mempool-queries.ts'
import { settlementFeeRate } from '@ordbook/indexer/node/fee-rates.ts'
import { getOwnBinding } from '../auth/me.ts'
import { type BindingRow, findBinding, listBindingsOfProfile } from '../auth/queries.ts'
import { listMembers } from '../collections/queries.ts'
import type { Context } from '../context.ts'
import { loadOwnedCoin, sellerOf } from '../listings/owner.ts'
import { assertUnique, rejectSharedCoins } from '../preflight/duplicates.ts'
import { canonicalCoin } from '../preflight/echoes.ts'
import { describeOtherContents } from '../preflight/other-contents.ts'
import { openPreflight, savePreflight } from '../preflight/preflights.ts'
import { setPreflightAnswer } from '../preflight/queries.ts'
import { toFault } from '../preflight/refuse.ts'
import { describeSteps, parentsOf, type Step, signaturesOf } from '../preflight/steps.ts'
import { insertBacking } from '../settlements/backing-queries.ts'
import {
  assertConfirmedCoins,
  assertPaymentCoins,
  type PayingCoins,
  payerOf,
  usableCoins,
} from '../settlements/payment-coins.ts'
import { rejectRevoked } from '../settlements/revocations.ts'
import type { UseCase } from '../use-case.ts'
import { countActiveAcceptances, type Fill, insertAcceptance, type SwapItem } from './acceptance-queries.ts'
import { describeSwap, getAcceptanceOf, heldIn, type Prepared } from './acceptances.ts'
import type { Payment } from './own.ts'
import { listRowsOf, lockProposal, type OwnRow } from './own-queries.ts'
import { listOffered, listProposalRequests, type ProposalRequestRow } from './queries.ts'

/**
 * Acceptances of proposals. The acceptor chooses inscriptions for the legs and signs the swap. The proposer signs last (settle.ts), when
 * all inputs and outputs are fixed.
 */
type Request = BodyOf<typeof operations.preflightAcceptance>

/** Maximum active acceptances of a proposal by one wallet. */
const MAX_ACTIVE = 5

export const preflightAcceptance: UseCase<typeof operations.preflightAcceptance> = async (context, call) => {
  const { sql } = context
  const { session, params, body: input } = call
  const { proposalId } = params
  const binding = await getOwnBinding(context, session, input.walletBindingId)
  const keys = {
    ordinals: () => sellerOf(binding, input.ordinalsPublicKey),
    payer: input.paymentPublicKey ? payerOf(binding, input.paymentPublicKey) : null,
  }
  const acceptance = { session, proposalId, fills: input.fills, binding, keys }
  const { prepared, swap } = await planAcceptance(context, acceptance, async () => {
    if (!input.paymentPublicKey)
      throw invalid(
        'payment-key-required',
        'paymentPublicKey is required, because coins of the payment address pay for this swap.',
      )
    assertPaymentCoins(binding, input.spendableUtxos)
    return usableCoins(context, binding, input.spendableUtxos)
  })
  const { payments } = prepared.terms.acceptor
  const selectedPaymentUtxos = payments.map(canonicalCoin)
  const described = describeSwap(prepared, swap)
  const otherContents = await describeOtherContents(context, prepared.items.map(heldIn))
  await savePreflight(context, sql, {
    handle: described.expectedSettlementTxid,
    kind: 'swap',
    walletBindingId: binding.walletBindingId,
    request: { ...canonical(input), selectedPaymentUtxos, proposalId },
    prepared,
  })
  const parents = await parentsOf(context, [swap.settlement])
  const step = stepOf('acceptor', prepared.terms, swap, input)
  return {
    ...described,
    selectedPaymentUtxos,
    steps: describeSteps(context, [step], parents),
    ...otherContents,
  }
}

/**
 * Builds the swap of an acceptance at the current fee rate, for preflights and quotes. Calls `coins` only if the proposer's sats do not
 * suffice.
 */
export async function planAcceptance(
  context: Context,
  acceptance: {
    session: Session
    proposalId: string
    fills: readonly Fill[]
    binding: BindingRow
    keys: { ordinals: () => KeySpend; payer: KeySpend | null }
  },
  coins: () => Promise<PayingCoins>,
): Promise<{ prepared: Prepared; swap: Swap; proposal: OwnRow }> {
  const { session, proposalId, fills, binding, keys } = acceptance
  const proposal = await getOpen(context, proposalId)
  await refuseOwn(context, session, proposal)
  await checkFills(context, proposal, fills)
  const proposed = await proposerSide(context, proposal)
  const acceptorItems = await coinsOf(context, binding, fills)
  const acceptor: SwapSide = {
    inscriptionCoins: acceptorItems.map(({ coin }) => coin),
    ordinals: keys.ordinals(),
    ordinalsScript: binding.ordinalsScript,
    payments: [],
    payer: keys.payer,
    paymentScript: binding.paymentScript,
  }
  const terms: SwapTerms = {
    proposer: proposed.side,
    acceptor,
    offeredSats: proposal.offeredBtcSats,
    requestedSats: proposal.requestedBtcSats,
    marketplaceFeeSats: proposal.marketplaceFeeSats,
    marketScript: context.market.coinScript,
    feeRateSatVb: await settlementFeeRate(context),
  }
  rejectSharedCoins([...proposed.side.inscriptionCoins, ...acceptor.inscriptionCoins])
  await refuseRunes(context, [...proposed.side.inscriptionCoins, ...acceptor.inscriptionCoins])
  const payments = await choosePayments(terms, coins)
  const prepared: Prepared = {
    terms: { ...terms, acceptor: { ...acceptor, payments } },
    items: [
      ...itemsOf('proposer', proposed.ids, proposed.side.inscriptionCoins),
      ...itemsOf(
        'acceptor',
        acceptorItems.map(({ inscriptionId }) => inscriptionId),
        acceptor.inscriptionCoins,
      ),
    ],
  }
  return { prepared, swap: buildSwap(prepared.terms), proposal }
}

export const submitAcceptance: UseCase<typeof operations.submitAcceptance> = async (context, call) => {
  const { sql, clock } = context
  const { session, params, body: input } = call
  const { proposalId } = params
  const binding = await getOwnBinding(context, session, input.walletBindingId)
  const preflightKey = {
    handle: input.expectedSettlementTxid,
    kind: 'swap',
    walletBindingId: binding.walletBindingId,
    echoes: {
      ...canonical(input),
      selectedPaymentUtxos: input.selectedPaymentUtxos.map(canonicalCoin),
      proposalId,
    },
  } as const
  type StoredAnswer = { acceptanceId: string }
  const preflight = await inTransaction(sql, (tx) =>
    openPreflight<Prepared, StoredAnswer>(context, tx, preflightKey),
  )
  if (preflight.answer) return getAcceptanceOf(context, session, preflight.answer.acceptanceId)

  const { terms, items } = preflight.prepared
  const swap = buildSwap(terms)
  const step = stepOf('acceptor', terms, swap, input)
  const [signatures] = await signaturesOf(input.signedSteps, [step])
  toFault(() => checkSwap(terms, swap), 'signedSteps')
  const proposal = await getOpen(context, proposalId)
  await rejectRevoked(context, [proposalId])
  const coins = swap.settlement.inputs.map(({ coin }) => coin)
  await assertConfirmedCoins(context, coins)
  const acceptanceId = await inTransaction(sql, async (tx) => {
    const reopened = await openPreflight<Prepared, StoredAnswer>(context, tx, preflightKey)
    if (reopened.answer) return reopened.answer.acceptanceId
    await lockMempoolView(tx)
    const [spent] = await listSpentInMempool(tx, coins)
    if (spent)
      throw conflict(
        'coin-spent',
        `Another transaction is spending coin ${formatOutpoint(spent)}. Request a new preflight.`,
      )
    // Until the commit, the proposal cannot end and no other acceptance of it is counted or stored.
    const state = await lockProposal(tx, proposalId)
    if (state !== 'active') throw conflict('offer-not-active', `This proposal is ${state}.`)
    const acceptorScript = binding.ordinalsScript
    if ((await countActiveAcceptances(tx, proposalId, acceptorScript)) >= MAX_ACTIVE)
      throw conflict(
        'too-many-orders',
        `You have ${MAX_ACTIVE} active acceptances of this proposal, the most. Cancel one first.`,
      )
    const answer: StoredAnswer = { acceptanceId: randomUUID() }
    await insertAcceptance(tx, {
      ...answer,
      proposalId,
      acceptorBindingId: binding.walletBindingId,
      acceptorScript,
      fills: input.fills,
      terms: pack(terms),
      items,
      signatures: pack(signatures!),
      settlementTxid: input.expectedSettlementTxid,
      createdAt: clock(),
      expiresAt: proposal.expiresAt,
    }).catch((error: { code?: string }) => {
      // An active acceptance has the same settlement.
      if (error.code === '23505')
        throw conflict('order-duplicate', 'An identical acceptance is already active.')
      throw error
    })
    await insertBacking(tx, answer.acceptanceId, coins)
    await setPreflightAnswer(tx, input.expectedSettlementTxid, answer)
    return answer.acceptanceId
  })
  return getAcceptanceOf(context, session, acceptanceId)
}

export function stepOf(
  side: 'proposer' | 'acceptor',
  terms: SwapTerms,
  { settlement }: Swap,
  keys: { ordinalsPublicKey: string; paymentPublicKey?: string },
): Step {
  const { ordinalsScript, paymentScript, payer } = terms[side]
  const indexes = swapInputsOf(settlement, side)
  const paying = indexes.filter((index) => equalBytes(prevoutsOf(settlement)[index]!.script, paymentScript))
  const paymentPublicKey =
    keys.paymentPublicKey ?? (payer && payer.kind !== 'p2tr' ? bytesToHex(payer.publicKey) : undefined)
  return {
    layout: settlement,
    indexes,
    signerScript: ordinalsScript,
    publicKey: keys.ordinalsPublicKey,
    ...(equalBytes(ordinalsScript, paymentScript) || paying.length === 0
      ? {}
      : {
          others: {
            indexes: paying,
            signerScript: paymentScript,
            ...(paymentPublicKey ? { publicKey: paymentPublicKey } : {}),
          },
        }),
  }
}

/** Throws `conflict` unless the proposal can be accepted now. */
async function getOpen({ sql, clock }: Context, proposalId: string): Promise<OwnRow> {
  const [proposal] = await listRowsOf(sql, [proposalId])
  if (!proposal) throw missing('proposal-unknown', 'Proposal not found.')
  if (proposal.state !== 'active' || proposal.expiresAt <= clock())
    throw conflict(
      'offer-not-active',
      `This proposal is ${proposal.state === 'active' ? 'expired' : proposal.state}.`,
    )
  if (!proposal.available)
    throw conflict(
      'proposal-unavailable',
      'This proposal is not available, because one of its inscriptions or coins is being moved.',
    )
  return proposal
}

async function refuseOwn({ sql }: Context, { profileId }: Session, { creatorScript }: OwnRow): Promise<void> {
  const bindings = await listBindingsOfProfile(sql, profileId)
  if (bindings.some(({ ordinalsScript }) => equalBytes(ordinalsScript, creatorScript)))
    throw invalid('own-order', 'You cannot accept your own proposal.')
}

/** Throws `invalid` unless each leg is filled with distinct, matching inscriptions. */
async function checkFills({ sql }: Context, { proposalId }: OwnRow, fills: readonly Fill[]): Promise<void> {
  const requests = await listProposalRequests(sql, [proposalId])
  const ids = fills.map((fill) => fill.inscriptionId)
  assertUnique(ids, 'inscriptionId', 'fills')
  const [unknown] = fills.filter(({ legId }) => !requests.some((request) => request.requestId === legId))
  if (unknown) throw invalid('fills-mismatched', `fills: ${unknown.legId} is not a leg of this proposal`)
  for (const request of requests) {
    const legIds = fills.filter((fill) => fill.legId === request.requestId).map((fill) => fill.inscriptionId)
    if (legIds.length !== request.quantity)
      throw invalid(
        'fills-mismatched',
        `fills: leg ${request.requestId} requires ${request.quantity} inscriptions, got ${legIds.length}`,
      )
    const mismatch = await findMismatch(sql, request, legIds)
    if (mismatch)
      throw invalid('fills-mismatched', `fills: ${mismatch} does not match leg ${request.requestId}`)
  }
}

async function findMismatch(
  sql: Context['sql'],
  { collectionId, target }: ProposalRequestRow,
  ids: readonly string[],
): Promise<string | undefined> {
  const matching =
    target.kind === 'inscriptions'
      ? new Set(target.inscriptionIds)
      : await listMembers(sql, collectionId, ids, target.kind === 'all' ? null : target)
  return ids.find((id) => !matching.has(id))
}

/** Returns the proposer's side with current coins. */
async function proposerSide(context: Context, proposal: OwnRow): Promise<{ side: SwapSide; ids: string[] }> {
  const binding = proposal.creatorBindingId && (await findBinding(context.sql, proposal.creatorBindingId))
  if (!binding)
    throw conflict(
      'proposal-unavailable',
      'This proposal has no wallet on this market. Ask its creator to propose the trade again.',
    )
  const offered = await listOffered(context.sql, [proposal.proposalId])
  const ids = offered.map(({ inscriptionId }) => inscriptionId)
  const proposerItems = await coinsOf(
    context,
    binding,
    ids.map((inscriptionId) => ({ inscriptionId })),
  )
  const payment = proposal.payment ? unpack<Payment>(proposal.payment) : null
  return {
    ids,
    side: {
      inscriptionCoins: proposerItems.map(({ coin }) => coin),
      // settle.ts replaces this with the internal key.
      ordinals: keySpendOf(binding.ordinalsScript, binding.ordinalsScript.slice(2)),
      ordinalsScript: binding.ordinalsScript,
      payments: payment?.coins ?? [],
      payer: payment?.payer ?? null,
      paymentScript: binding.paymentScript,
    },
  }
}

async function coinsOf(
  context: Context,
  binding: BindingRow,
  fills: readonly { inscriptionId: string }[],
): Promise<{ inscriptionId: string; coin: Coin }[]> {
  const coins = []
  for (const { inscriptionId } of fills) {
    const { coin } = await loadOwnedCoin(context, binding, inscriptionId)
    coins.push({ inscriptionId, coin })
  }
  return coins
}

/** Throws `conflict` if a coin contains runes. The runes of both sides would move to the first output. */
async function refuseRunes(context: Context, coins: readonly Coin[]): Promise<void> {
  for (const [coin, carried] of (await otherContentsOf(context, coins)) ?? [])
    for (const { kind, name } of carried)
      if (kind === 'rune')
        throw conflict(
          'inscription-coin-shared',
          `Coin ${coin} contains the rune ${name} and an inscription. A swap cannot transfer both. Move the rune first.`,
        )
}

/** Chooses the acceptor's payment coins. Returns none if the proposer pays everything. */
async function choosePayments(terms: SwapTerms, coins: () => Promise<PayingCoins>): Promise<readonly Coin[]> {
  const build = (payments: Coin[]) => buildSwap({ ...terms, acceptor: { ...terms.acceptor, payments } })
  try {
    build([])
    return []
  } catch (error) {
    if (!(error instanceof BitcoinError) || error.code !== 'coins-insufficient') throw error
  }
  const candidates = await coins()
  candidates.without([
    ...terms.proposer.inscriptionCoins,
    ...terms.acceptor.inscriptionCoins,
    ...terms.proposer.payments,
  ])
  return (await candidates.pay(build)).chosen
}

const itemsOf = (from: SwapItem['from'], ids: readonly string[], coins: readonly Coin[]): SwapItem[] =>
  ids.map((inscriptionId, n) => ({ inscriptionId, from, ...canonicalCoin(coins[n]!) }))

/** Returns the fields that a submit must repeat. */
const canonical = (input: Request) => ({
  ordinalsPublicKey: input.ordinalsPublicKey,
  paymentPublicKey: input.paymentPublicKey ?? null,
  fills: input.fills,
  spendableUtxos: input.spendableUtxos?.map(canonicalCoin) ?? null,
})
