import { type KeySpend, kindOfScript } from '@ordbook/bitcoin/address.ts'
import type { Coin } from '@ordbook/bitcoin/trade/layout.ts'
import { MAX_SATS } from '@ordbook/contract/amounts.ts'
import { toFault } from '../preflight/refuse.ts'
import type { PayingCoins } from './payment-coins.ts'

/** Returns a key spend with a placeholder key, to compute sizes and fees. */
export function sizedSpendOf(script: Uint8Array): KeySpend {
  if (kindOfScript(script) === 'p2tr')
    return { kind: 'p2tr', publicKey: script.slice(2), internalKey: null, redeemScript: null }
  const key = { publicKey: new Uint8Array(33), internalKey: null }
  if (kindOfScript(script) === 'p2wpkh') return { kind: 'p2wpkh', ...key, redeemScript: null }
  return { kind: 'p2sh-p2wpkh', ...key, redeemScript: new Uint8Array(22) }
}

/** Returns a placeholder coin that covers any amount. */
export function imaginedCoins(script: Uint8Array): PayingCoins {
  const coin: Coin = { txid: '00'.repeat(32), vout: 0, valueSats: MAX_SATS, script }
  return {
    without() {},
    including() {},
    pay: async (build) => ({ chosen: [coin], built: toFault(() => build([coin]), 'priceSats') }),
  }
}
