import { type AddressNetwork, addressOfScript } from '@ordbook/bitcoin/address.ts'
import { MAX_SATS } from '@ordbook/bitcoin/sats.ts'
import type { AnswerOf } from '@ordbook/contract/operation.ts'
import type { listTradeProposals as listOperation } from '@ordbook/contract/proposals.ts'
import { jsonListOf, jsonOf, RawJson } from '@ordbook/http/responses/raw-json.ts'
import type {
  CollectionSummaryRow,
  OfferedRow,
  ProposalRequestRow,
  ProposalRow,
  SpecificRow,
} from './queries.ts'

/**
 * Renders a proposal with placeholders for estimates, because floor prices change often. A placeholder is enclosed in a character that JSON
 * cannot contain. Its content is a collection id, or `+`, an initial amount and `id*quantity` for each floor to add.
 */
const MARK = '\u0001'
const holeOf = (floors: string) => new RawJson<number>(`${MARK}${floors}${MARK}`)

type Proposal = AnswerOf<typeof listOperation>['proposals'][number]

export interface Known {
  offered: readonly OfferedRow[]
  requests: readonly ProposalRequestRow[]
  specific: readonly SpecificRow[]
  summaries: ReadonlyMap<string, CollectionSummaryRow>
}

/** Renders a proposal. Also returns the collections of its placeholders. */
export function renderProposal(
  row: ProposalRow,
  { offered, requests, specific, summaries }: Known,
  addressNetwork: AddressNetwork,
): { text: string; collections: string[] } {
  const wanted = requests.map((request) => {
    const summary = summaries.get(request.collectionId)!
    return jsonOf<Proposal['wantedLegs'][number]>({
      id: request.requestId,
      collection: describeSummary(summary),
      quantity: request.quantity,
      target: request.target,
      specificItems: specificItemsOf(request, specific, summary),
      estimatedUnitValueSats: holeOf(request.collectionId),
    })
  })
  const offeredTerms = offered.flatMap((item) => (item.collectionId ? [`${item.collectionId}*1`] : []))
  const wantedTerms = requests.map((request) => `${request.collectionId}*${request.quantity}`)
  const sum = (base: number, terms: readonly string[]) => holeOf(`+${[base, ...terms].join(' ')}`)
  const { text } = jsonOf<Proposal>({
    id: row.proposalId,
    creatorAddress: addressOfScript(row.creatorScript, addressNetwork)!,
    visibility: 'public',
    status: 'active',
    offeredBtcSats: row.offeredBtcSats,
    requestedBtcSats: row.requestedBtcSats,
    marketplaceFeeSats: row.marketplaceFeeSats,
    createdAt: row.createdAt.toISOString(),
    expiresAt: row.expiresAt.toISOString(),
    offeredItems: offered.map((item) => describeOffered(item, summaries)),
    estimatedOfferedValueSats: sum(row.offeredBtcSats, offeredTerms),
    estimatedRequestedValueSats: sum(row.requestedBtcSats, wantedTerms),
    wantedLegs: jsonListOf(wanted),
  })
  const collections = [...offered, ...requests].flatMap(({ collectionId }) => collectionId ?? [])
  return { text, collections: [...new Set(collections)] }
}

/** Replaces placeholders with floors by collection id. */
export function fillHoles(rows: string, floors: Readonly<Record<string, number | null>>): string {
  const parts = rows.split(MARK)
  for (let at = 1; at < parts.length; at += 2) parts[at] = fill(parts[at]!, floors)
  return parts.join('')
}

function fill(hole: string, floors: Readonly<Record<string, number | null>>): string {
  if (!hole.startsWith('+')) return String(floors[hole] ?? null)
  const [base, ...terms] = hole.slice(1).split(' ')
  const items = terms.map((term) => {
    const [collectionId, quantity] = term.split('*')
    return { collectionId: collectionId!, quantity: Number(quantity) }
  })
  return String(worthOf(Number(base), items, floors))
}

/** Returns one side's value in sats from floor prices, capped at `MAX_SATS`. */
export function worthOf(
  sats: number,
  items: readonly { collectionId: string | null; quantity: number }[],
  floors: Readonly<Record<string, number | null>>,
): number {
  const values = items.map(({ collectionId, quantity }) => (floors[collectionId ?? ''] ?? 0) * quantity)
  return Math.min(
    values.reduce((sum, value) => sum + value, sats),
    MAX_SATS,
  )
}

function describeOffered(item: OfferedRow, summaries: Known['summaries']) {
  const summary = item.collectionId === null ? undefined : summaries.get(item.collectionId)
  return {
    inscriptionId: item.inscriptionId,
    inscriptionSequenceNumber: String(item.sequence),
    inscriptionUtxoValueSats: item.outputValueSats,
    ...(item.itemName ? { inscriptionTitle: item.itemName } : {}),
    ...(item.contentType ? { rawContentType: item.contentType } : {}),
    imageRenderingHint: summary?.imageRenderingHint ?? null,
    collection: summary ? describeSummary(summary) : null,
  }
}

export function describeSummary(row: CollectionSummaryRow) {
  return {
    id: row.id,
    slug: row.slug,
    name: row.name,
    cardBackgroundColor: row.cardBackgroundColor,
    ...(row.previewInscriptionId ? { previewInscriptionId: row.previewInscriptionId } : {}),
    ...(row.previewContentType ? { previewContentType: row.previewContentType } : {}),
    imageRenderingHint: row.imageRenderingHint,
  }
}

function specificItemsOf(
  leg: ProposalRequestRow,
  specific: readonly SpecificRow[],
  collection: CollectionSummaryRow,
) {
  const { target } = leg
  if (target.kind !== 'inscriptions') return []
  return target.inscriptionIds.flatMap((inscriptionId) => {
    const row = specific.find(
      (each) => each.inscriptionId === inscriptionId && each.collectionId === leg.collectionId,
    )
    if (!row) return []
    return {
      inscriptionId,
      inscriptionNumber: row.inscriptionNumber ?? 0,
      inscriptionTitle: row.itemName,
      ...(row.contentType ? { rawContentType: row.contentType } : {}),
      imageRenderingHint: collection.imageRenderingHint,
    }
  })
}
