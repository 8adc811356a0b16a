import { createHmac, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { type KeySpend, keySpendOf, scriptOfPublicKey } from '@ordbook/bitcoin/address.ts'
import { hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { signKeyInput } from '@ordbook/bitcoin/inscribe.ts'
import { publicKeyOf, signSchnorr, xOnlyKeyOf } from '@ordbook/bitcoin/keys.ts'
import { SIGHASH } from '@ordbook/bitcoin/sighash.ts'
import { type Layout, sighashOf } from '@ordbook/bitcoin/trade/layout.ts'

/**
 * The market's two keys, which sign and are never shown: the co-sign key M, used for escrow leaves alone and only with
 * DEFAULT, and the coin key that holds anchors and tail coins. Callers hand in the layout, never a hash.
 */
export interface MarketKey {
  /** M, x-only. */
  cosignKey: Uint8Array
  /** How the market's own coins are spent. */
  coins: KeySpend
  /** Script of the market's own coins. */
  coinScript: Uint8Array
  /** M's signature on an escrow input: DEFAULT, binding the whole settlement. */
  cosign(layout: Layout, index: number): Uint8Array
  /** The coin key's signature on one of the market's own inputs: DEFAULT. */
  signCoin(layout: Layout, index: number): Uint8Array
}

/** Derives both keys from a 32-byte seed. */
export function marketKeyOf(seed: Uint8Array): MarketKey {
  const derive = (purpose: string) =>
    new Uint8Array(createHmac('sha256', seed).update(`ordbook/${purpose}`).digest())
  const cosignSecret = derive('cosign')
  const coinSecret = derive('coins')
  const coinScript = scriptOfPublicKey(publicKeyOf(coinSecret), 'p2tr')
  return {
    cosignKey: xOnlyKeyOf(cosignSecret),
    coins: keySpendOf(coinScript, publicKeyOf(coinSecret)),
    coinScript,
    cosign(layout, index) {
      if (layout.inputs[index]?.spend.by !== 'escrow') throw new TypeError('M signs escrow inputs only')
      return signSchnorr(sighashOf(layout, index, SIGHASH.DEFAULT), cosignSecret)
    },
    signCoin(layout, index) {
      if (layout.inputs[index]?.signer !== 'market')
        throw new TypeError('the coin key signs market inputs only')
      return signKeyInput(layout, index, coinSecret)
    },
  }
}

/** Reads the seed from a file, making one for the owner's eyes alone where there is none. */
export function readMarketKey(file: string): { key: MarketKey; made: boolean } {
  const made = !existsSync(file)
  if (made) {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flag: 'wx' })
  }
  const text = readFileSync(file, 'utf8').trim()
  if (!/^[0-9a-f]{64}$/.test(text))
    throw new Error(`${file} must hold the market's seed: 64 lower-case hex digits`)
  return { key: marketKeyOf(hexToBytes(text)), made }
}
