import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { Answer } from '@ordbook/sdk/operations.ts'
import { client } from '../api/client.ts'
import type { Contents, TradedItem } from '../review/agreement.ts'

export interface Item {
  inscriptionId: string
  name: string
  contentType: string | null
  collection: TradedItem['collection']
  txid: string
  vout: number
  valueSats: number
  offset: number
  /** Null if the coin is not in escrow. */
  escrowForm: 'published' | 'wallet' | null
  /** Price of the coin's active listing, or null. */
  listedForSats: number | null
}

const MAX_IDS = 20

const inBatches = <T>(all: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(all.length / MAX_IDS) }, (_, n) => all.slice(n * MAX_IDS, (n + 1) * MAX_IDS))

/**
 * Returns the inscriptions of a trade for the review, with the other contents of their coins. If that request fails, the trade must stay
 * possible.
 */
export async function tradedOf(items: readonly Item[], goes: TradedItem['goes']): Promise<TradedItem[]> {
  const found = await Promise.all(inBatches(items).map(carriedIn)).catch(() => 'failed' as const)
  const carried = found === 'failed' ? [] : await named(found.flatMap((each) => each ?? []))
  const unknown = found === 'failed' ? found : found.some((each) => !each) ? 'unchecked' : null
  return items.map(({ txid, vout, escrowForm: _, ...item }) => ({
    ...item,
    outpoint: formatOutpoint({ txid, vout }),
    carries: unknown ?? carried.filter((each) => each.of === item.inscriptionId),
    goes,
  }))
}

/** Returns the ids of other inscriptions in the coin. */
export const alsoGoesOf = (traded: readonly TradedItem[], inscriptionId: string): string[] =>
  traded
    .filter((each) => each.inscriptionId === inscriptionId)
    .flatMap(({ carries }) => (typeof carries === 'string' ? [] : carries))
    .flatMap(({ kind, name }) => (kind === 'inscription' ? [name] : []))

type Carried = NonNullable<Answer<'listCarries'>['carries']>[number]

async function carriedIn(items: readonly Item[]): Promise<Carried[] | undefined> {
  const inscriptionIds = items.map((item) => item.inscriptionId).join(',')
  return (await client.call('listCarries', { query: { inscriptionIds } })).carries
}

/** Adds the names and pictures of inscriptions. Without them, the review shows their ids. */
async function named(carried: readonly Carried[]): Promise<Contents[]> {
  const ids = [...new Set(carried.flatMap(({ kind, name }) => (kind === 'inscription' ? [name] : [])))]
  const answers = await Promise.all(
    inBatches(ids).map((each) => client.call('listItems', { query: { inscriptionIds: each.join(',') } })),
  ).catch(() => [])
  const byId = new Map(answers.flatMap(({ items }) => items).map((item) => [item.inscriptionId, item]))
  return carried.map(({ inscriptionId, ...each }) => ({
    ...each,
    of: inscriptionId,
    item: (each.kind === 'inscription' && byId.get(each.name)) || null,
  }))
}

/** Reads the coin of an inscription. Throws if it is not in a coin. */
export async function itemOf(inscriptionId: string): Promise<Item> {
  const { name, contentType, outpoint, satOffset, escrow, listing, collections } = await client.call(
    'getInscription',
    { params: { id: inscriptionId } },
  )
  if (!outpoint) throw new Error(`${name} is not in any coin.`)
  const [collection] = collections
  return {
    inscriptionId,
    name,
    contentType,
    collection: collection
      ? { collectionName: collection.name, verificationStatus: collection.verificationStatus }
      : null,
    ...outpoint,
    offset: satOffset ?? 0,
    escrowForm: escrow?.escrowForm ?? null,
    listedForSats: listing?.priceSats ?? null,
  }
}

export const coinOf = ({ txid, vout, valueSats, offset }: Item) => ({ txid, vout, valueSats, offset })
