import { addressOfScript } from '@ordbook/bitcoin/address.ts'
import type {
  listInscriptionOfferHistory as historyOperation,
  listInscriptionOffers as listOperation,
  OfferRowAnswer,
} from '@ordbook/contract/offers.ts'
import type { AnswerOf } from '@ordbook/contract/operation.ts'
import { missing } from '@ordbook/db/process/errors.ts'
import type { Session } from '@ordbook/http/operations/operations.ts'
import { earliest } from '@ordbook/http/responses/cached-responses.ts'
import { jsonListOf, jsonOf, type RawJson, withMembers } from '@ordbook/http/responses/raw-json.ts'
import type { Context } from '../context.ts'
import { findHistoryOf, findLiveOn, type InscriptionLine } from './browse-queries.ts'
import { type Rendered, type RenderedOffer, withRendered } from './rendered-offer.ts'
import type { OfferLine } from './rendered-queries.ts'

const HISTORY_PAGE = 25
const SOON_MILLISECONDS = 24 * 3_600_000

/** Returns the active offers on an inscription that the caller may see, as JSON. */
export async function listOffers(context: Context, session: Session, inscriptionId: string): Promise<Buffer> {
  const { reads, config } = context
  return readOn(context, session, ['offers-on', inscriptionId], async (now) => {
    const found = await findLiveOn(reads, inscriptionId, session.profileId, now)
    if (!found) throw unknownInscription(inscriptionId)
    const ownerAddress = found.ownerScript && addressOfScript(found.ownerScript, config.addressNetwork)
    if (!ownerAddress)
      throw missing('inscription-unknown', `Inscription ${inscriptionId} is not at an address.`)
    const lines = await withRendered(context, found.lines)
    const isSoon = (line: OfferLine) => line.expiresAt.getTime() - now.getTime() <= SOON_MILLISECONDS
    const answer = jsonOf<AnswerOf<typeof listOperation>>({
      inscriptionId,
      ownerAddress,
      topOfferSats: lines.find((line) => line.kind === 'buyer_offer')?.priceSats ?? null,
      liveOfferCount: lines.length,
      expiringSoonCount: lines.filter(isSoon).length,
      offers: jsonListOf(rowsOf(lines, inscriptionId, now)),
    })
    const soonAt = lines.map((line) => new Date(line.expiresAt.getTime() - SOON_MILLISECONDS))
    return { answer, changesAt: [...lines.map((line) => line.expiresAt), ...soonAt] }
  })
}

/** Returns a page of an inscription's offers in any state, newest first. */
export async function listOfferHistory(
  context: Context,
  session: Session,
  inscriptionId: string,
  page: number,
): Promise<Buffer> {
  return readOn(context, session, ['offer-history', inscriptionId, page], async (now) => {
    const found = await findHistoryOf(context.reads, inscriptionId, session.profileId, {
      offset: page * HISTORY_PAGE,
      rows: HISTORY_PAGE + 1,
    })
    if (!found) throw unknownInscription(inscriptionId)
    const lines = await withRendered(context, found.lines.slice(0, HISTORY_PAGE))
    const answer = jsonOf<AnswerOf<typeof historyOperation>>({
      inscriptionId,
      hasMore: found.lines.length > HISTORY_PAGE,
      page,
      offers: jsonListOf(rowsOf(lines, inscriptionId, now)),
    })
    return { answer, changesAt: lines.map((line) => line.expiresAt) }
  })
}

/** Reads offers on an inscription through the response cache. The response depends on the caller's wallets. */
const readOn = (
  { responses, clock }: Context,
  { profileId }: Session,
  key: readonly (string | number)[],
  build: (now: Date) => Promise<{ answer: RawJson<object>; changesAt: Date[] }>,
): Promise<Buffer> =>
  responses.read([...key, profileId], clock, async () => {
    const now = clock()
    const { answer, changesAt } = await build(now)
    return {
      body: answer.toBuffer(),
      tags: ['offers', 'holdings', `p:${profileId}`],
      validUntil: earliest(...changesAt.filter((at) => at > now)),
    }
  })

const unknownInscription = (inscriptionId: string) =>
  missing('inscription-unknown', `Inscription ${inscriptionId} not found.`)

/** Returns the public state. Expired offers are shown as such before the jobs end them. */
export function statusOf({ state, expiresAt }: Pick<OfferLine, 'state' | 'expiresAt'>, now: Date) {
  if (state === 'accepting') return 'active'
  return state === 'active' && expiresAt <= now ? 'expired' : state
}

function rowsOf(lines: readonly Rendered<InscriptionLine>[], inscriptionId: string, now: Date) {
  return lines.map((line): RawJson<OfferRowAnswer> => {
    const endedAs = (state: OfferLine['state']) =>
      line.state === state ? (line.endedAt?.toISOString() ?? null) : null
    const stateMembers: Omit<OfferRowAnswer, keyof RenderedOffer> = {
      executable: line.executable,
      parentOfferId: line.parentOfferId,
      status: statusOf(line, now),
      inscriptionId,
      acceptedAt: endedAs('accepted'),
      rejectedAt: endedAs('rejected'),
      cancelledAt: endedAs('cancelled'),
      settlementTxid: line.state === 'accepted' ? line.settlementTxid : null,
    }
    return withMembers(line.offer, stateMembers)
  })
}
