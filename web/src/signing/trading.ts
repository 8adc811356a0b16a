import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { Answer } from '@ordbook/sdk/operations.ts'
import type { Trader } from '@ordbook/sdk/trader.ts'
import { client, queries } from '../client.ts'
import { btc } from '../format.ts'
import type { Market } from '../settings.tsx'
import type { Signed } from '../wallet/signed.ts'
import type { Intent, Known } from './review.tsx'
import { traderOf } from './trader.ts'

/** A signed-in wallet at the market of these pages: what every trade needs. */
export interface Trading {
  signed: Signed
  market: Market
}

export type Hours = 6 | 12 | 24 | 168 | 720 | 2160
export type Days = 1 | 7 | 30 | 90 | 180

/** An inscription as the pages know it. */
export interface Item {
  inscriptionId: string
  name: string
  txid: string
  vout: number
  /** Of the coin. */
  valueSats: number
  offset: number
  /** Form of the escrow, if the coin is in escrow; else null. */
  escrowForm: 'published' | 'wallet' | null
}

/** Most that the network may take of one trade; what it is in fact the review shows. */
export const MOST_NETWORK_SATS = 200_000

export const knownOf = ({
  inscriptionId,
  name,
  txid,
  vout,
  offset,
}: Omit<Item, 'valueSats' | 'escrowForm'>): Known => ({
  inscriptionId,
  name,
  outpoint: formatOutpoint({ txid, vout }),
  offset,
})
export const money = (sats: number) => `${btc(sats)} BTC`

export function trader({ signed, market }: Trading, intent: Intent): Promise<Trader> {
  return traderOf(signed, market, intent)
}

export async function coinsOf({ signed }: Trading): Promise<Answer<'listCoins'>['coins']> {
  return (await client.call('listCoins', { query: { walletBindingId: signed.walletBindingId } })).coins
}

/** The inscription where it is now, with the value of its coin. Throws when it is nowhere. */
export async function itemOf(inscriptionId: string): Promise<Item> {
  const { name, outpoint, satOffset, escrow } = await client.call('getInscription', {
    params: { id: inscriptionId },
  })
  if (!outpoint) throw new Error(`${name} is not in any coin now`)
  return { inscriptionId, name, ...outpoint, offset: satOffset ?? 0, escrowForm: escrow?.escrowForm ?? null }
}

export const coinOf = ({ txid, vout, valueSats, offset }: Item) => ({ txid, vout, valueSats, offset })

export const escrowOf = (item: Item) => ({ ...coinOf(item), escrowForm: item.escrowForm! })

/** Rereads everything after a change that this visitor made, without waiting for the events. */
export const refresh = () => queries.invalidateQueries()
