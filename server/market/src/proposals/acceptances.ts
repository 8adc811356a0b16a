import { addressOfScript } from '@ordbook/bitcoin/address.ts'
import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { transactionOf } from '@ordbook/bitcoin/trade/layout.ts'
import { buildSwap, type Swap, type SwapTerms } from '@ordbook/bitcoin/trade/swap.ts'
import { txidOf } from '@ordbook/bitcoin/transaction.ts'
import type { listAcceptances as listOperation, submitAcceptance } from '@ordbook/contract/acceptances.ts'
import type { AnswerOf } from '@ordbook/contract/operation.ts'
import { unpack } from '@ordbook/db/driver/pack.ts'
import { forbidden, missing } from '@ordbook/db/process/errors.ts'
import { paginationOf } from '@ordbook/http/operations/cursor.ts'
import type { Session } from '@ordbook/http/operations/operations.ts'
import { listBindingsOfProfile } from '../auth/queries.ts'
import type { Context } from '../context.ts'
import { revokeOrders } from '../settlements/revocations.ts'
import type { PagedUseCase } from '../use-case.ts'
import {
  type AcceptanceRow,
  findAcceptance,
  listAcceptanceRows,
  type SwapItem,
} from './acceptance-queries.ts'
import { endAcceptance } from './lifecycle.ts'
import { describeOwn, scriptsOf } from './own.ts'
import { listRowsOf, type OwnRow } from './own-queries.ts'

type Answer = AnswerOf<typeof submitAcceptance>

export interface Prepared {
  terms: SwapTerms
  items: SwapItem[]
}

/** Cancels an acceptance for the acceptor, or declines it for the proposer. Idempotent. */
export async function endAcceptanceOf(
  context: Context,
  session: Session,
  acceptanceId: string,
  to: 'cancelled' | 'rejected',
): Promise<Answer> {
  const { row, side } = await getVisible(context, session, acceptanceId)
  if (side !== (to === 'cancelled' ? 'acceptor' : 'proposer'))
    throw forbidden(
      'order-not-yours',
      to === 'cancelled'
        ? 'Only the creator of an acceptance can cancel it.'
        : 'Only the creator of a proposal can decline its acceptances.',
    )
  const reason = to === 'cancelled' ? 'cancelled by the acceptor' : 'declined by the proposer'
  const { state, expiresAt } = row
  if (state !== to) await endAcceptance(context, acceptanceId, to, reason)
  // A database restored from a backup could otherwise make the acceptance active again.
  if (to === 'cancelled') await revokeOrders(context, [{ id: acceptanceId, expiresAt }])
  return getAcceptanceOf(context, session, acceptanceId)
}

export const listAcceptances: PagedUseCase<typeof listOperation> = async (
  context,
  cursors,
  { session, query },
) => {
  const { limit = 50, view = 'received', proposalId = null } = query
  const scope = ['acceptances', view, proposalId ?? '', session.profileId]
  const keys = cursors.decode(scope, query.cursor, [{ type: 'timestamptz' }, { type: 'uuid' }])
  const rows = await listAcceptanceRows(context.reads, {
    view,
    proposalId,
    scripts: await scriptsOf(context, session),
    after: keys && { createdAt: keys[0], acceptanceId: keys[1] },
    rows: limit + 1,
  })
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  return {
    acceptances: await describeAcceptances(context, page),
    pagination: paginationOf(rows.length, limit, () =>
      cursors.encode(scope, [last!.createdAtText, last!.acceptanceId]),
    ),
  }
}

/** Returns an acceptance and the caller's side. Throws `missing` for other callers. */
export async function getVisible(
  context: Context,
  session: Session,
  acceptanceId: string,
): Promise<{ row: AcceptanceRow; side: 'proposer' | 'acceptor'; proposal: OwnRow }> {
  const row = await findAcceptance(context.sql, acceptanceId)
  const [proposal] = row ? await listRowsOf(context.sql, [row.proposalId]) : []
  const bindings = await listBindingsOfProfile(context.sql, session.profileId)
  const side =
    row && bindings.some(({ walletBindingId }) => walletBindingId === row.acceptorBindingId)
      ? 'acceptor'
      : proposal && bindings.some(({ ordinalsScript }) => equalBytes(ordinalsScript, proposal.creatorScript))
        ? 'proposer'
        : null
  if (!row || !proposal || !side) throw missing('acceptance-unknown', 'Acceptance not found.')
  return { row, side, proposal }
}

export async function getAcceptanceOf(
  context: Context,
  session: Session,
  acceptanceId: string,
): Promise<Answer> {
  const { row } = await getVisible(context, session, acceptanceId)
  return (await describeAcceptances(context, [row]))[0]!
}

async function describeAcceptances(context: Context, rows: readonly AcceptanceRow[]): Promise<Answer[]> {
  const { reads, config, clock } = context
  const proposals = await listRowsOf(reads, [...new Set(rows.map((row) => row.proposalId))])
  const described = new Map(
    (await describeOwn(context, proposals)).map((proposal) => [proposal.id, proposal]),
  )
  return rows.map((row) => {
    const terms = unpack<SwapTerms>(row.terms)
    return {
      acceptanceId: row.acceptanceId,
      state: stateOf(row, clock()),
      reason: row.reason,
      acceptorAddress: addressOfScript(row.acceptorScript, config.addressNetwork)!,
      fills: [...row.fills],
      ...describeSwap({ terms, items: [...row.items] }, buildSwap(terms)),
      createdAt: row.createdAt.toISOString(),
      expiresAt: row.expiresAt.toISOString(),
      proposal: described.get(row.proposalId)!,
    }
  })
}

function stateOf({ state, isSettled, expiresAt }: AcceptanceRow, now: Date): Answer['state'] {
  if (isSettled) return 'settled'
  if (state === 'accepting') return 'accepted'
  return state === 'active' && expiresAt <= now ? 'expired' : state
}

export const heldIn = ({ inscriptionId, txid, vout }: SwapItem) => ({ inscriptionId, coin: { txid, vout } })

export function describeSwap({ terms, items }: Prepared, swap: Swap) {
  return {
    expectedSettlementTxid: txidOf(transactionOf(swap.settlement)),
    items,
    marketplaceFeeSats: terms.marketplaceFeeSats,
    networkFeeSats: swap.feeSats,
    targetFeeRateSatVb: terms.feeRateSatVb,
    acceptorNetSats: swap.acceptorNetSats,
    proposerNetSats: swap.proposerNetSats,
  }
}
