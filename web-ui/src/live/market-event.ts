export const KINDS = [
  'listing',
  'sale',
  'offer',
  'collection_offer',
  'proposal',
  'floor',
  'block',
  'inbox',
] as const
export type Kind = (typeof KINDS)[number]

export interface MarketEvent {
  kind: Kind
  /** Null if the event concerns no collection. */
  collections: readonly string[] | null
  inscriptionId: string | null
  listingId: string | null
  orderId: string | null
  state: string | null
  priceSats: number | null
  floorSats: number | null
  listedCount: number | null
  at: string | null
}

/** Parses the data of an event. Malformed fields are null. */
export function marketEvent(kind: Kind, text: string): MarketEvent {
  const data = membersOf(text)
  const texts = (value: unknown) => (typeof value === 'string' ? value : null)
  const numbers = (value: unknown) => (Number.isSafeInteger(value) ? (value as number) : null)
  return {
    kind,
    collections: Array.isArray(data.collections)
      ? data.collections.filter((collection) => typeof collection === 'string')
      : null,
    inscriptionId: texts(data.inscriptionId),
    listingId: texts(data.listingId),
    orderId: texts(data.offerId) ?? texts(data.proposalId),
    state: texts(data.state),
    priceSats: numbers(data.priceSats),
    floorSats: numbers(data.floorSats),
    listedCount: numbers(data.listedCount),
    at: texts(data.at),
  }
}

function membersOf(text: string): Record<string, unknown> {
  try {
    const data: unknown = JSON.parse(text)
    return typeof data === 'object' && data !== null ? (data as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
