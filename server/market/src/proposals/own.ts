import { randomUUID } from 'node:crypto'
import type { KeySpend } from '@ordbook/bitcoin/address.ts'
import { bytesToHex } from '@ordbook/bitcoin/bytes.ts'
import { sumSats } from '@ordbook/bitcoin/sats.ts'
import type { Coin } from '@ordbook/bitcoin/trade/layout.ts'
import { insufficient, MINIMUM_CHANGE_SATS } from '@ordbook/bitcoin/trade/payment.ts'
import { DEFAULT_VALIDITY_HOURS } from '@ordbook/contract/durations.ts'
import type { AnswerOf, BodyOf } from '@ordbook/contract/operation.ts'
import { MAX_NAMED, MAX_WANTED } from '@ordbook/contract/proposals.ts'
import type * as operations from '@ordbook/contract/web.ts'
import { inTransaction } from '@ordbook/db/driver/connect.ts'
import { pack } from '@ordbook/db/driver/pack.ts'
import { conflict, forbidden, invalid, missing } from '@ordbook/db/process/errors.ts'
import { paginationOf } from '@ordbook/http/operations/cursor.ts'
import type { Session } from '@ordbook/http/operations/operations.ts'
import { getOwnBinding } from '../auth/me.ts'
import { type BindingRow, listBindingsOfProfile, lockProfileOf } from '../auth/queries.ts'
import { getTradedCollection } from '../collections/inscriptions.ts'
import { countEligible, listMembers } from '../collections/queries.ts'
import { assertTraitSize } from '../collections/traits.ts'
import type { Context } from '../context.ts'
import { insertBacking } from '../settlements/backing-queries.ts'
import { assertPaymentCoins, type PayingCoins, payerOf, usableCoins } from '../settlements/payment-coins.ts'
import { revokeOrders } from '../settlements/revocations.ts'
import type { PagedUseCase, UseCase } from '../use-case.ts'
import { collectionsOf, renderProposals } from './feed.ts'
import { endProposal } from './lifecycle.ts'
import {
  countActive,
  insertProposal,
  listHoldings,
  listOwnRows,
  listRowsOf,
  type NewProposal,
  type OwnRow,
} from './own-queries.ts'
import { findFloors, PROPOSAL_ORDER, type WantedTarget } from './queries.ts'
import { fillHoles } from './rendered-proposal.ts'

/**
 * Creates and cancels proposals, on the storefront only. A proposal locks nothing. It is available while its creator owns the inscriptions
 * and the payment coins are unspent.
 */
const MAX_ACTIVE = 200

type Request = BodyOf<typeof operations.createProposal>
type Own = AnswerOf<typeof operations.createProposal>

export const createProposal: UseCase<typeof operations.createProposal> = async (
  context,
  { session, body: input },
) => {
  const { sql, config, clock } = context
  const binding = await getOwnBinding(context, session, input.walletBindingId)
  const requests = await checkTerms(context, binding, input)
  const payment = await paymentOf(context, binding, input)
  const createdAt = clock()
  const hours = input.validityHours ?? DEFAULT_VALIDITY_HOURS
  const proposalId = randomUUID()
  await inTransaction(sql, async (tx) => {
    await lockProfileOf(tx, binding)
    if ((await countActive(tx, binding.ordinalsScript, createdAt)) >= MAX_ACTIVE)
      throw conflict(
        'too-many-orders',
        `You have reached the limit of ${MAX_ACTIVE} active proposals. Cancel one first.`,
      )
    await insertProposal(tx, {
      proposalId,
      creatorScript: binding.ordinalsScript,
      creatorBindingId: binding.walletBindingId,
      payment: payment && pack(payment),
      visibility: input.visibility,
      offeredBtcSats: input.offeredBtcSats,
      requestedBtcSats: input.requestedBtcSats,
      marketplaceFeeSats: config.proposalFeeSats,
      createdAt,
      expiresAt: new Date(createdAt.getTime() + hours * 3_600_000),
      offeredInscriptionIds: input.offeredInscriptionIds,
      requests,
    })
    if (payment) await insertBacking(tx, proposalId, payment.coins)
  })
  return getOwn(context, session, proposalId)
}

export type ProposedTerms = Pick<
  Request,
  'offeredInscriptionIds' | 'offeredBtcSats' | 'wantedLegs' | 'requestedBtcSats'
>

/** Validates both sides of a proposal. */
export async function checkTerms(
  context: Context,
  binding: BindingRow,
  terms: ProposedTerms,
): Promise<NewProposal['requests']> {
  checkShape(terms)
  await checkOffered(context, binding.ordinalsScript, terms.offeredInscriptionIds)
  const requests: NewProposal['requests'][number][] = []
  for (const [position, leg] of terms.wantedLegs.entries())
    requests.push(await checkLeg(context, leg, `wantedLegs[${position}]`))
  return requests
}

export const cancelProposal: UseCase<typeof operations.cancelProposal> = async (
  context,
  { session, params },
) => {
  const { proposalId } = params
  const { sql, clock } = context
  const proposal = await getOwn(context, session, proposalId)
  const cancel = () => inTransaction(sql, (tx) => endProposal(tx, proposalId, 'cancelled', clock()))
  const isCancelled = async () => (await getOwn(context, session, proposalId)).state === 'cancelled'
  // A duplicate request may have won the race.
  if (proposal.state !== 'cancelled' && !(await cancel()) && !(await isCancelled()))
    throw conflict(
      'offer-not-active',
      `This proposal is ${proposal.state === 'active' ? 'no longer active' : proposal.state}.`,
    )
  // A database restored from a backup could otherwise make the proposal active again.
  await revokeOrders(context, [{ id: proposalId, expiresAt: new Date(proposal.expiresAt) }])
  return getOwn(context, session, proposalId)
}

/** Returns a public or private proposal. */
export async function getProposal(context: Context, proposalId: string): Promise<Own> {
  const [proposal] = await describeOwn(context, await listRowsOf(context.sql, [proposalId]))
  if (!proposal) throw missing('proposal-unknown', 'Proposal not found.')
  return proposal
}

export const listOwnProposals: PagedUseCase<typeof operations.listOwnProposals> = async (
  context,
  cursors,
  { session, query },
) => {
  const { limit = 50 } = query
  const scope = ['own-proposals', session.profileId]
  const rows = await listOwnRows(context.reads, {
    creatorScripts: await scriptsOf(context, session),
    order: PROPOSAL_ORDER,
    after: cursors.decode(scope, query.cursor, PROPOSAL_ORDER),
    proposalId: null,
    rows: limit + 1,
  })
  const page = rows.slice(0, limit)
  return {
    proposals: await describeOwn(context, page),
    pagination: paginationOf(rows.length, limit, () => cursors.encode(scope, page.at(-1)!.keys)),
  }
}

export async function scriptsOf({ reads }: Context, { profileId }: Session): Promise<Uint8Array[]> {
  return (await listBindingsOfProfile(reads, profileId)).map((binding) => binding.ordinalsScript)
}

/** Returns a proposal of the caller. Throws `missing` for other callers, because it may be private. */
async function getOwn(context: Context, session: Session, proposalId: string): Promise<Own> {
  const creatorScripts = await scriptsOf(context, session)
  const order = PROPOSAL_ORDER
  const rows = await listOwnRows(context.sql, { creatorScripts, order, after: null, proposalId, rows: 1 })
  const [proposal] = await describeOwn(context, rows)
  if (!proposal) throw missing('proposal-unknown', 'Proposal not found among your proposals.')
  return proposal
}

export async function describeOwn(
  { reads, config, clock }: Context,
  rows: readonly OwnRow[],
): Promise<Own[]> {
  const rendered = await renderProposals(reads, rows, config.addressNetwork)
  const { floors } = await findFloors(reads, collectionsOf(rendered), clock())
  return rows.map((row, n) => {
    const { visibility: _, status: __, ...members } = JSON.parse(fillHoles(rendered[n]!.text, floors ?? {}))
    const { visibility, state, available } = row
    const isExpired = state === 'active' && row.expiresAt <= clock()
    return { ...members, visibility, state: isExpired ? 'expired' : state, available }
  })
}

function checkShape({
  offeredInscriptionIds,
  offeredBtcSats,
  wantedLegs,
  requestedBtcSats,
}: ProposedTerms): void {
  if (offeredInscriptionIds.length === 0 && offeredBtcSats === 0)
    throw invalid(
      'proposal-incomplete',
      'The proposal offers nothing. Set offeredInscriptionIds or offeredBtcSats.',
    )
  if (wantedLegs.length === 0 && requestedBtcSats === 0)
    throw invalid('proposal-incomplete', 'The proposal requests nothing. Set wantedLegs or requestedBtcSats.')
  if (offeredInscriptionIds.length === 0 && wantedLegs.length === 0)
    throw invalid(
      'proposal-incomplete',
      'A trade needs an inscription on at least one side. Set offeredInscriptionIds or wantedLegs.',
    )
  if (offeredBtcSats > 0 && requestedBtcSats > 0)
    throw invalid('proposal-incomplete', 'Set offeredBtcSats or requestedBtcSats, not both.')
  const wanted = wantedLegs.reduce((sum, { quantity }) => sum + quantity, 0)
  if (wanted > MAX_WANTED)
    throw invalid(
      'proposal-too-large',
      `wantedLegs: an acceptance can contain at most ${MAX_WANTED} inscriptions, but this one needs ${wanted}`,
    )
  const named = wantedLegs.flatMap(({ target }) =>
    target.kind === 'inscriptions' ? target.inscriptionIds : [],
  )
  if (named.length > MAX_NAMED)
    throw invalid(
      'proposal-too-large',
      `wantedLegs: a proposal can list at most ${MAX_NAMED} inscription ids, got ${named.length}`,
    )
  assertTraitSize(
    wantedLegs.flatMap(({ target }) => (target.kind === 'traits' ? target.traits : [])),
    'wantedLegs',
  )
  if (requestedBtcSats > 0 && requestedBtcSats < MINIMUM_CHANGE_SATS)
    throw invalid('price-out-of-range', `requestedBtcSats: the minimum is ${MINIMUM_CHANGE_SATS} sats`)
}

export interface Payment {
  payer: KeySpend
  coins: Coin[]
}

/** Chooses a proposal's payment coins. Returns null if it offers no sats. */
async function paymentOf(context: Context, binding: BindingRow, input: Request): Promise<Payment | null> {
  if (input.offeredBtcSats === 0) return null
  if (!input.paymentPublicKey)
    throw invalid(
      'payment-key-required',
      'paymentPublicKey is required if the proposal offers sats. Send the key of the payment address.',
    )
  const payer = payerOf(binding, input.paymentPublicKey)
  assertPaymentCoins(binding, input.spendableUtxos)
  const coins = await usableCoins(context, binding, input.spendableUtxos)
  return { payer, coins: await chooseOffered(coins, input.offeredBtcSats) }
}

/** Chooses coins for the offered sats. The change must be zero or large enough for an output. */
export async function chooseOffered(coins: PayingCoins, offeredBtcSats: number): Promise<Coin[]> {
  if (offeredBtcSats === 0) return []
  const { chosen } = await coins.pay((chosen) => {
    const changeSats = sumSats(chosen.map((coin) => coin.valueSats)) - offeredBtcSats
    if (changeSats < 0) throw insufficient(-changeSats)
    if (changeSats > 0 && changeSats < MINIMUM_CHANGE_SATS)
      throw insufficient(MINIMUM_CHANGE_SATS - changeSats)
  })
  return chosen
}

async function checkOffered(
  { sql }: Context,
  creatorScript: Uint8Array,
  inscriptionIds: readonly string[],
): Promise<void> {
  const holdings = new Map((await listHoldings(sql, inscriptionIds)).map((row) => [row.inscriptionId, row]))
  for (const id of inscriptionIds) {
    const row = holdings.get(id)
    if (!row) throw missing('inscription-unknown', `Inscription ${id} not found.`)
    if (!row.ownerScript || bytesToHex(row.ownerScript) !== bytesToHex(creatorScript))
      throw forbidden(
        'inscription-not-yours',
        `Inscription ${id} is not at the ordinals address of this binding.`,
      )
    if (row.isLocked)
      throw conflict('inscription-in-trade', `A purchase of inscription ${id} is in progress.`)
  }
}

async function checkLeg(context: Context, leg: Request['wantedLegs'][number], field: string) {
  const { collectionId, slug } = await getTradedCollection(context, leg.collectionSlug)
  const eligible = await countWanted(context, collectionId, leg.target, field)
  if (eligible < leg.quantity)
    throw invalid(
      'criteria-unmet',
      `${field}: ${slug} has ${eligible} matching inscriptions, fewer than ${leg.quantity}`,
    )
  return { requestId: randomUUID(), collectionId, quantity: leg.quantity, target: leg.target }
}

async function countWanted(
  { sql }: Context,
  collectionId: string,
  target: WantedTarget,
  field: string,
): Promise<number> {
  if (target.kind !== 'inscriptions') return (await countEligible(sql, collectionId, target)).count
  const members = await listMembers(sql, collectionId, target.inscriptionIds)
  for (const id of target.inscriptionIds)
    if (!members.has(id))
      throw invalid('not-in-collection', `${field}: inscription ${id} is not in this collection`)
  return members.size
}
