import { randomUUID } from 'node:crypto'
import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { escrowCoinOf, type ListingTerms } from '@ordbook/bitcoin/trade/listing.ts'
import type { Transaction } from '@ordbook/db/driver/connect.ts'
import { pack } from '@ordbook/db/driver/pack.ts'
import { conflict } from '@ordbook/db/process/errors.ts'
import type { BindingRow } from '../auth/queries.ts'
import type { Context } from '../context.ts'
import { insertEscrow, lockEscrows, raiseFloors, transferTermsOf } from '../escrows/queries.ts'
import { type Charge, takeAnchor, takeNamed } from '../market-coins/grants.ts'
import type { TradeEconomics } from '../settlements/economics.ts'
import { moveListing } from './lifecycle.ts'
import { insertOrderEvents } from './log-queries.ts'
import { insertListing, type ListingRow, listReplaced } from './queries.ts'

export interface Prepared {
  inscriptionId: string
  priceSats: number
  terms: ListingTerms
  economics: TradeEconomics
  /** Handle under which the recovery coin is reserved. */
  recoveryHandle: string
}

export interface Listed {
  inscriptionId: string
  listingId: string
}

/**
 * Stores one listing of a submit: replaces the active listing, reserves the anchors and logs the event. Throws `conflict` if the inscription
 * is being bought or was delisted.
 */
export async function writeListing(
  context: Context,
  tx: Transaction,
  common: {
    binding: BindingRow
    charge: Charge
    collectionId: string
    durationDays: number | undefined
    recoveryBatch: string
  },
  item: { handle: string; prepared: Prepared } & Pick<
    ListingRow,
    'transferSignature' | 'legSignature' | 'recoverySignature' | 'recoveryIndex' | 'satOffset' | 'state'
  >,
): Promise<Listed> {
  const now = context.clock()
  const { binding, charge, collectionId, durationDays, recoveryBatch } = common
  const { handle, prepared, ...signed } = item
  const { inscriptionId, priceSats, terms, economics, recoveryHandle } = prepared
  const { anchor, recoveryCoin, generation, inscriptionCoin } = terms
  const { walletBindingId, ordinalsScript: sellerScript } = binding
  const escrow = escrowCoinOf(terms)
  // An earlier listing had an identical transfer. Reassign its anchor.
  const [existing] = await lockEscrows(tx, [escrow])
  if (existing && generation < existing.floor)
    throw conflict(
      'preflight-outdated',
      `${inscriptionId} was delisted since the preflight. Request a new preflight.`,
    )
  const leg = existing ? { ...escrow, generation } : null
  await replaceLive(tx, { inscriptionId, coin: inscriptionCoin }, now, leg)
  await takeAnchor(context, tx, charge, anchor, { handle, isKnown: existing !== undefined })
  await takeNamed(context, tx, charge, [recoveryCoin], recoveryHandle)
  const listingId = randomUUID()
  const row = { walletBindingId, collectionId, inscriptionId, sellerScript, generation }
  await insertOnly(tx, {
    ...row,
    ...signed,
    listingId,
    anchorUtxoId: handle,
    recoveryHandle,
    priceSats,
    terms: pack(terms),
    economics: pack(economics),
    transferTxid: escrow.txid,
    escrowVout: escrow.vout,
    transferHeight: null,
    recoveryBatch,
    coinTxid: inscriptionCoin.txid,
    coinVout: inscriptionCoin.vout,
    listedAt: now,
    expiresAt: durationDays ? new Date(now.getTime() + durationDays * 86_400_000) : null,
  })
  const reason = `listed for ${priceSats} sats${signed.state === 'buyable' ? '' : ', its coin is unconfirmed'}`
  const event = { fromState: null, toState: signed.state, reason, guarantee: null, height: null }
  await insertOrderEvents(tx, [{ ...event, listingId, occurredAt: now }])
  const { transferSignature } = signed
  await insertEscrow(tx, {
    ...escrow,
    ...row,
    terms: pack(transferTermsOf(terms)),
    transferSignature,
    createdAt: now,
  })
  await raiseFloors(tx, [escrow], generation)
  return { inscriptionId, listingId }
}

/** Throws `conflict` if a concurrent submit listed the coin. */
async function insertOnly(tx: Transaction, row: Parameters<typeof insertListing>[1]): Promise<void> {
  await insertListing(tx, row).catch((error: { code?: string }) => {
    if (error.code !== '23505') throw error
    throw conflict(
      'preflight-outdated',
      `Another listing of the coin of ${row.inscriptionId} was published at the same time. Request a new preflight.`,
    )
  })
}

/** Ends the active listings that a new listing replaces. `leg` is null for a new escrow coin. */
async function replaceLive(
  tx: Transaction,
  item: { inscriptionId: string; coin: Outpoint },
  now: Date,
  leg: (Outpoint & { generation: number }) | null,
): Promise<void> {
  const { inscriptionId } = item
  for (const live of await listReplaced(tx, [item], { lock: true })) {
    const isSameEscrow = leg?.txid === live.transferTxid && leg.vout === live.escrowVout
    const reason =
      live.inscriptionId === inscriptionId ? 'listed again' : `its coin was listed as ${inscriptionId}`
    const why = { reason, now, ...(isSameEscrow ? { floor: leg.generation } : {}) }
    if (!(await moveListing(tx, live.listingId, 'replaced', why)))
      throw conflict('inscription-in-trade', `A purchase of ${inscriptionId} is in progress.`)
  }
}
