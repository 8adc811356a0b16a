import { addressOfScript } from '@ordbook/bitcoin/address.ts'
import type {
  listInscriptionOfferHistory as historyOperation,
  listInscriptionOffers as listOperation,
  OfferRowAnswer,
} from '@ordbook/contract/offers.ts'
import type { AnswerOf } from '@ordbook/contract/operation.ts'
import { listBindingsOfProfile } from '../auth/queries.ts'
import { findInscription, type InscriptionRow } from '../chain/queries.ts'
import type { Context } from '../context.ts'
import { unpack } from '../db/pack.ts'
import { missing } from '../errors.ts'
import type { Session } from '../http/operations.ts'
import type { TradeEconomics } from '../settlements/economics.ts'
import { listHistoryOf, listLiveOn } from './browse-queries.ts'
import { describeOfferEconomics } from './economics.ts'
import type { OfferView } from './queries.ts'

const HISTORY_PAGE = 25
const SOON_MILLISECONDS = 24 * 3_600_000

/** The active offers on an inscription that the caller may see. */
export async function listOffers(
  context: Context,
  session: Session,
  inscriptionId: string,
): Promise<AnswerOf<typeof listOperation>> {
  const { reads, config, clock } = context
  const { ownerScript } = await getInscription(context, inscriptionId)
  const ownerAddress = ownerScript && addressOfScript(ownerScript, config.addressNetwork)
  if (!ownerAddress) throw missing('inscription-unknown', `${inscriptionId} is not held by an address`)
  const now = clock()
  const scripts = await scriptsOf(context, session)
  const rows = await listLiveOn(reads, inscriptionId, scripts, now)
  const offers = rows.filter((row) => row.kind === 'buyer_offer')
  return {
    inscriptionId,
    ownerAddress,
    topOfferSats: offers[0]?.priceSats ?? null,
    liveOfferCount: rows.length,
    expiringSoonCount: rows.filter((row) => row.expiresAt.getTime() - now.getTime() <= SOON_MILLISECONDS)
      .length,
    offers: rows.map((row) => describeOffer(context, row)),
  }
}

/** A page of all offers that an inscription ever had, newest first. */
export async function listOfferHistory(
  context: Context,
  session: Session,
  inscriptionId: string,
  page: number,
): Promise<AnswerOf<typeof historyOperation>> {
  await getInscription(context, inscriptionId)
  const rows = await listHistoryOf(context.reads, inscriptionId, await scriptsOf(context, session), {
    offset: page * HISTORY_PAGE,
    rows: HISTORY_PAGE + 1,
  })
  return {
    inscriptionId,
    offers: rows.slice(0, HISTORY_PAGE).map((row) => describeOffer(context, row)),
    hasMore: rows.length > HISTORY_PAGE,
    page,
  }
}

/** The ordinals scripts of the caller's wallets. */
export async function scriptsOf({ reads }: Context, { profileId }: Session): Promise<Uint8Array[]> {
  return (await listBindingsOfProfile(reads, profileId)).map((binding) => binding.ordinalsScript)
}

async function getInscription({ reads }: Context, inscriptionId: string): Promise<InscriptionRow> {
  const found = await findInscription(reads, inscriptionId)
  if (!found) throw missing('inscription-unknown', `Inscription ${inscriptionId} is not known here`)
  return found
}

/** The public state: an offer past its time is expired before the jobs move it. */
export function statusOf({ clock }: Pick<Context, 'clock'>, row: OfferView) {
  if (row.state === 'accepting') return 'active'
  return row.state === 'active' && row.expiresAt <= clock() ? 'expired' : row.state
}

/** The breakdown of an offer's row. */
export function economicsOfRow(row: OfferView) {
  return describeOfferEconomics(unpack<TradeEconomics>(row.economics), row.postageSats)
}

/** Both sides of an offer, as addresses. */
export function sidesOf({ config }: Pick<Context, 'config'>, row: OfferView) {
  return {
    buyerAddress: addressOfScript(row.buyerScript, config.addressNetwork)!,
    sellerAddress: addressOfScript(row.sellerScript, config.addressNetwork)!,
  }
}

function describeOffer(context: Context, row: OfferView): OfferRowAnswer {
  const endedAs = (state: OfferView['state']) =>
    row.state === state ? (row.endedAt?.toISOString() ?? null) : null
  return {
    ...economicsOfRow(row),
    id: row.offerId,
    parentOfferId: row.parentOfferId,
    kind: row.kind,
    status: statusOf(context, row),
    executable: row.executable,
    inscriptionId: row.inscriptionId,
    ...sidesOf(context, row),
    createdAt: row.createdAt.toISOString(),
    expiresAt: row.expiresAt.toISOString(),
    acceptedAt: endedAs('accepted'),
    rejectedAt: endedAs('rejected'),
    cancelledAt: endedAs('cancelled'),
    floorSats: row.floorSats,
    topOfferSats: row.topOfferSats,
    settlementTxid: row.state === 'accepted' ? row.settlementTxid : null,
  }
}
