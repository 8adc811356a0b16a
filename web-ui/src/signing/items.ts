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
  /** Address of the coin; null if its script has none. */
  address: string | null
  /** Null if the coin is not in escrow. */
  escrowForm: 'published' | 'wallet' | null
  /** Price of the coin's active listing, or null. */
  listedForSats: number | null
}

const MAX_IDS = 20

const inBatches = <T>(all: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(all.length / MAX_IDS) }, (_, n) => all.slice(n * MAX_IDS, (n + 1) * MAX_IDS))

/** Returns the inscriptions of a trade for the review, with the other contents of their coins. */
export async function tradedOf(items: readonly Item[], goes: TradedItem['goes']): Promise<TradedItem[]> {
  const carriesOf = await contentsOf(items.map(({ inscriptionId }) => ({ inscriptionId, goes })))
  return items.map(({ txid, vout, escrowForm: _, address: __, ...item }) => ({
    ...item,
    outpoint: formatOutpoint({ txid, vout }),
    carries: carriesOf(item.inscriptionId),
    goes,
  }))
}

/** Reads the other contents of the coins. If the request fails, the trade must stay possible. */
export async function contentsOf(
  items: readonly Pick<TradedItem, 'inscriptionId' | 'goes'>[],
): Promise<(inscriptionId: string) => TradedItem['carries']> {
  const found = await Promise.all(inBatches(items).map(carriedIn)).catch(() => 'failed' as const)
  if (found === 'failed') return () => found
  if (found.some((each) => !each)) return () => 'unchecked'
  const leaving = new Set(
    items.flatMap(({ goes, inscriptionId }) => (goes === 'leaves' ? [inscriptionId] : [])),
  )
  const carried = await described(
    found.flatMap((each) => each ?? []),
    leaving,
  )
  return (inscriptionId) => carried.filter((each) => each.of === inscriptionId)
}

/** Returns the ids of other inscriptions in the coin. */
export const alsoGoesOf = (traded: readonly TradedItem[], inscriptionId: string): string[] =>
  traded
    .filter((each) => each.inscriptionId === inscriptionId)
    .flatMap(({ carries }) => (typeof carries === 'string' ? [] : carries))
    .flatMap(({ kind, name }) => (kind === 'inscription' ? [name] : []))

type Carried = NonNullable<Answer<'listCarries'>['carries']>[number]

async function carriedIn(items: readonly { inscriptionId: string }[]): Promise<Carried[] | undefined> {
  const inscriptionIds = items.map((item) => item.inscriptionId).join(',')
  return (await client.call('listCarries', { query: { inscriptionIds } })).carries
}

const idsIn = (carried: readonly Carried[]) => [
  ...new Set(carried.flatMap(({ kind, name }) => (kind === 'inscription' ? [name] : []))),
]

/** Adds names and pictures of inscriptions, and the offsets of those that would leave. Without them, the review shows their ids. */
async function described(carried: readonly Carried[], leaving: ReadonlySet<string>): Promise<Contents[]> {
  const leavingIds = idsIn(carried.filter(({ inscriptionId }) => leaving.has(inscriptionId)))
  const [answers, coins] = await Promise.all([
    Promise.all(
      inBatches(idsIn(carried)).map((ids) =>
        client.call('listItems', { query: { inscriptionIds: ids.join(',') } }),
      ),
    ).catch(() => []),
    Promise.all(leavingIds.slice(0, MAX_IDS).map((id) => itemOf(id).catch(() => null))),
  ])
  const byId = new Map(answers.flatMap(({ items }) => items).map((item) => [item.inscriptionId, item]))
  const offsets = new Map(coins.flatMap((coin) => (coin ? [[coin.inscriptionId, coin.offset] as const] : [])))
  return carried.map(({ inscriptionId, ...each }) => ({
    ...each,
    of: inscriptionId,
    offset: each.kind === 'inscription' ? (offsets.get(each.name) ?? null) : null,
    item: (each.kind === 'inscription' && byId.get(each.name)) || null,
  }))
}

/** Reads the coin of an inscription. Throws if it is not in a coin. */
export async function itemOf(inscriptionId: string): Promise<Item> {
  const { name, contentType, outpoint, satOffset, owner, escrow, listing, collections } = await client.call(
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
    address: owner,
    escrowForm: escrow?.escrowForm ?? null,
    listedForSats: listing?.priceSats ?? null,
  }
}

export const coinOf = ({ txid, vout, valueSats, offset }: Item) => ({ txid, vout, valueSats, offset })
