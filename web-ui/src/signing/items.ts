import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import { client } from '../api/client.ts'
import type { Carried } from '../ui/carried.tsx'
import type { Known } from './review.tsx'

export interface Item {
  inscriptionId: string
  name: string
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

/** Returns the inscriptions of a trade for the review. `carries` is null if its request fails: the trade must stay possible. */
export async function knownOf(items: readonly Item[], goes: Known['goes']): Promise<Known[]> {
  const batches = Array.from({ length: Math.ceil(items.length / MAX_IDS) }, (_, n) =>
    items.slice(n * MAX_IDS, (n + 1) * MAX_IDS),
  )
  const found = await Promise.all(batches.map(carriedIn)).catch(() => [undefined])
  const carried = found.some((each) => !each) ? null : found.flatMap((each) => each!)
  return items.map(({ inscriptionId, name, txid, vout, offset }) => ({
    inscriptionId,
    name,
    outpoint: formatOutpoint({ txid, vout }),
    offset,
    carries: carried?.filter((each) => each.inscriptionId === inscriptionId) ?? null,
    goes,
  }))
}

/** Returns the names of other inscriptions in the coin. */
export const alsoGoesOf = (known: readonly Known[], inscriptionId: string): string[] =>
  known
    .filter((each) => each.inscriptionId === inscriptionId)
    .flatMap(({ carries }) => carries ?? [])
    .flatMap(({ kind, name }) => (kind === 'inscription' ? [name] : []))

async function carriedIn(items: readonly Item[]): Promise<Carried[] | undefined> {
  const inscriptionIds = items.map((item) => item.inscriptionId).join(',')
  return (await client.call('listCarries', { query: { inscriptionIds } })).carries
}

/** Reads the coin of an inscription. Throws if it is not in a coin. */
export async function itemOf(inscriptionId: string): Promise<Item> {
  const { name, outpoint, satOffset, escrow, listing } = await client.call('getInscription', {
    params: { id: inscriptionId },
  })
  if (!outpoint) throw new Error(`${name} is not in any coin.`)
  return {
    inscriptionId,
    name,
    ...outpoint,
    offset: satOffset ?? 0,
    escrowForm: escrow?.escrowForm ?? null,
    listedForSats: listing?.priceSats ?? null,
  }
}

export const coinOf = ({ txid, vout, valueSats, offset }: Item) => ({ txid, vout, valueSats, offset })
