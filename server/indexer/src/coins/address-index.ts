import { MAX_SATS } from '@ordbook/bitcoin/sats.ts'
import { Type } from 'typebox'
import type { Unspent } from '../node/source.ts'

/** Fields of a coin. In lower case, because its inscriptions and claims are found by its txid. */
export const Txid = Type.String({ pattern: '^[0-9a-f]{64}$' })
export const Vout = Type.Integer({ minimum: 0, maximum: 0xffffffff })
export const Sats = Type.Integer({ minimum: 0, maximum: MAX_SATS })

/** Confirmed unspent outputs of a script. */
interface FoundCoins {
  coins: Unspent[]
  /** False if the server does not list addresses with so many coins. */
  isComplete: boolean
  /** Height of the server's last block. */
  tipHeight: number
}

/** A server that finds the coins of a script. It can be wrong, so ask the node before a coin is spent. Throws if it fails. */
export type AddressIndex = (script: Uint8Array, signal: AbortSignal) => Promise<FoundCoins>
