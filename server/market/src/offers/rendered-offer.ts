import { type AddressNetwork, addressOfScript } from '@ordbook/bitcoin/address.ts'
import type { ProfileOfferRowAnswer } from '@ordbook/contract/my-offers.ts'
import type { OfferRowAnswer } from '@ordbook/contract/offers.ts'
import { RawJson } from '@ordbook/http/responses/raw-json.ts'
import { onPrimary } from '@ordbook/http/responses/reads.ts'
import type { Context } from '../context.ts'
import type { TradeEconomics } from '../settlements/economics.ts'
import { describeOfferEconomics } from './economics.ts'
import { listUnrendered, type OfferLine, saveRenderedOffers, type UnrenderedRow } from './rendered-queries.ts'

/**
 * A rendered offer has two lines of JSON: constant members of the offer, and members of its item. Views add the others, such as the state.
 */
const SEPARATOR = '\n'

export type RenderedOffer = Pick<
  OfferRowAnswer & ProfileOfferRowAnswer,
  | keyof ReturnType<typeof describeOfferEconomics>
  | 'id'
  | 'kind'
  | 'buyerAddress'
  | 'sellerAddress'
  | 'floorSats'
  | 'topOfferSats'
  | 'createdAt'
  | 'expiresAt'
>
export type RenderedItem = Pick<
  ProfileOfferRowAnswer,
  | 'inscriptionId'
  | 'inscriptionNumber'
  | 'contentType'
  | 'inscriptionTitle'
  | 'collectionName'
  | 'collectionSlug'
  | 'collectionVerified'
>

export function renderOffer(row: UnrenderedRow, addressNetwork: AddressNetwork): string {
  const offer: RenderedOffer = {
    // Not unpacked, because the binary creator's script is not used here.
    ...describeOfferEconomics(row.economics as TradeEconomics, row.postageSats),
    id: row.offerId,
    kind: row.kind,
    buyerAddress: addressOfScript(row.buyerScript, addressNetwork)!,
    sellerAddress: addressOfScript(row.sellerScript, addressNetwork)!,
    floorSats: row.floorSats,
    topOfferSats: row.topOfferSats,
    createdAt: row.createdAt.toISOString(),
    expiresAt: row.expiresAt.toISOString(),
  }
  const item: RenderedItem = {
    inscriptionId: row.inscriptionId,
    inscriptionNumber: String(row.inscriptionNumber ?? 0),
    contentType: row.contentType,
    inscriptionTitle: row.itemName,
    collectionName: row.collectionName,
    collectionSlug: row.collectionSlug,
    collectionVerified: row.collectionVerified,
  }
  return `${JSON.stringify(offer)}${SEPARATOR}${JSON.stringify(item)}`
}

export type Rendered<Line> = Line & { offer: RawJson<RenderedOffer>; item: RawJson<RenderedItem> }

/** Adds rendered offers. Renders and stores missing ones. */
export async function withRendered<Line extends OfferLine>(
  context: Context,
  lines: readonly Line[],
): Promise<Rendered<Line>[]> {
  const ids = lines.flatMap((line) => (line.renderedRow === null ? [line.offerId] : []))
  const rendered = ids.length > 0 ? await renderAll(context, ids) : null
  return lines.map((line) => {
    const [offer, item] = (line.renderedRow ?? rendered!.get(line.offerId)!).split(SEPARATOR)
    return { ...line, offer: new RawJson(offer!), item: new RawJson(item!) }
  })
}

async function renderAll(context: Context, offerIds: readonly string[]): Promise<Map<string, string>> {
  const { sql, config } = context
  return onPrimary(context, async (from, isPrimary) => {
    const rows = await listUnrendered(from, [...new Set(offerIds)])
    const rendered = rows.map((row) => ({
      id: row.offerId,
      version: row.renderedVersion,
      text: renderOffer(row, config.addressNetwork),
      expiresAt: null,
    }))
    if (isPrimary) await saveRenderedOffers(sql, rendered)
    return new Map(rendered.map(({ id, text }) => [id, text]))
  })
}
