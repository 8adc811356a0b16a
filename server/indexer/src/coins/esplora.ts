import { createHash } from 'node:crypto'
import { TooLarge, textOf } from '@ordbook/process/http.ts'
import { parse } from '@ordbook/process/parse.ts'
import { Type } from 'typebox'
import { type AddressIndex, Sats, Txid, Vout } from './address-index.ts'

const MAX_BYTES = 4 * 2 ** 20

const COINS = Type.Array(
  Type.Object({
    txid: Txid,
    vout: Vout,
    value: Sats,
    status: Type.Object({ confirmed: Type.Boolean() }),
  }),
)

/** Client of the HTTP API of Esplora (Blockstream's and mempool's electrs). Servers refuse addresses with too many coins. */
export function esploraIndex(url: URL): AddressIndex {
  const base = url.href.replace(/^esplora\+/, '').replace(/\/*$/, '/')
  const get = async (path: string, signal: AbortSignal) => {
    const response = await fetch(new URL(path, base), { signal, redirect: 'error' })
    return { status: response.status, text: await textOf(response, MAX_BYTES) }
  }
  return async (script, signal) => {
    const hash = createHash('sha256').update(script).digest('hex')
    const tip = await get('blocks/tip/height', signal)
    if (tip.status !== 200 || !/^\d{1,9}$/.test(tip.text))
      throw new Error(`status ${tip.status} for its height`)
    const tipHeight = Number(tip.text)
    const listed = await get(`scripthash/${hash}/utxo`, signal).catch((error: unknown) => {
      if (error instanceof TooLarge) return null
      throw error
    })
    if (!listed) return { coins: [], isComplete: false, tipHeight }
    const { status, text } = listed
    if (status === 400 && /too many/i.test(text)) return { coins: [], isComplete: false, tipHeight }
    if (status !== 200) throw new Error(`status ${status}`)
    const confirmed = parse(COINS, JSON.parse(text), 'coins').filter((coin) => coin.status.confirmed)
    const coins = confirmed.map(({ txid, vout, value }) => ({ txid, vout, valueSats: value }))
    return { coins, isComplete: true, tipHeight }
  }
}
