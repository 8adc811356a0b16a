import type { TransferTerms } from '@ordbook/bitcoin/trade/listing.ts'
import type { listMyEscrows as listOperation } from '@ordbook/contract/escrows.ts'
import type { AnswerOf } from '@ordbook/contract/operation.ts'
import { unpack } from '@ordbook/db/driver/pack.ts'
import { paginationOf } from '@ordbook/http/operations/cursor.ts'
import { listBindingsOfProfile } from '../auth/queries.ts'
import { type HeldRow, listHeld } from '../escrows/queries.ts'
import type { PagedUseCase } from '../use-case.ts'

type Answer = AnswerOf<typeof listOperation>
const KEYS = [{ type: 'timestamptz' }, { type: 'text' }, { type: 'int' }] as const

export const browseEscrows: PagedUseCase<typeof listOperation> = async (
  { sql },
  cursors,
  { session: { profileId }, query },
) => {
  const { limit = 50 } = query
  const scope = ['escrows', profileId]
  const keys = cursors.decode(scope, query.cursor, KEYS)
  const bindings = await listBindingsOfProfile(sql, profileId)
  const rows = await listHeld(sql, {
    sellerScripts: bindings.map((each) => each.ordinalsScript),
    after: keys && { createdAt: keys[0], txid: keys[1], vout: keys[2] },
    rows: limit + 1,
  })
  const page = rows.slice(0, limit)
  return {
    escrows: page.map(renderEscrow),
    pagination: paginationOf(rows.length, limit, () => {
      const last = page.at(-1)!
      return cursors.encode(scope, [last.createdAtText, last.txid, last.vout])
    }),
  }
}

function renderEscrow(row: HeldRow): Answer['escrows'][number] {
  const { escrowForm, inscriptionCoin } = unpack<TransferTerms>(row.terms)
  const pending = pendingOf(row)
  const listing = row.listingId
    ? {
        listingId: row.listingId,
        priceSats: row.priceSats!,
        generation: row.generation!,
        state: row.listingState as 'buyable' | 'hidden_locked' | 'pending_public',
      }
    : null
  return {
    txid: row.txid,
    vout: row.vout,
    escrowForm,
    valueSats: inscriptionCoin.valueSats,
    inscriptionIds: [row.inscriptionId, ...row.inscriptionIds.filter((id) => id !== row.inscriptionId)],
    state: row.madeHeight === null ? 'unconfirmed' : pending ? 'leaving' : 'resting',
    since: row.createdAt.toISOString(),
    listing,
    pending,
    // The owner can exit at any time, even during a trade.
    actions: pending || row.madeHeight === null ? ['exit'] : ['relist', 'move', 'reclaim', 'exit'],
  }
}

/** Returns the unconfirmed transaction that spends an escrow coin. */
function pendingOf({
  leavingPurpose,
  leavingBy,
  settlementTxid,
  spender,
}: HeldRow): Answer['escrows'][number]['pending'] {
  // The market did not create this spend, so the owner did.
  if (spender && spender !== leavingBy && spender !== settlementTxid) return { kind: 'exit', txid: spender }
  if (leavingPurpose && leavingBy) return { kind: leavingPurpose, txid: leavingBy }
  return settlementTxid ? { kind: 'settlement', txid: settlementTxid } : null
}
