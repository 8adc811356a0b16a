import {
  type AddressNetwork,
  addressOfScript,
  type KeySpend,
  kindOfScript,
  scriptOfAddress,
} from '@ordbook/bitcoin/address.ts'
import { equalBytes, hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import { type PreparedPsbt, readPreparedPsbt } from '@ordbook/bitcoin/prepared-psbt.ts'
import type { Coin } from '@ordbook/bitcoin/trade/layout.ts'
import type { TxOutput } from '@ordbook/bitcoin/transaction.ts'
import { asCheckFailed, assert } from './assert.ts'
import type { MarketKeys, OwnCoin, Owner } from './owner.ts'
import type { AnsweredStep } from './plan.ts'

/** Facts that come only from the response: the market's coins, and the other party's coins and scripts. */

export const openStep = (step: AnsweredStep): PreparedPsbt =>
  asCheckFailed(() => readPreparedPsbt(step.psbtBase64))

export function coinOf({ tx, inputs }: PreparedPsbt, index: number): Coin {
  const input = inputs[index]
  assert(input !== undefined, 'the transaction has too few inputs')
  const { txid, vout } = tx.inputs[index]!
  return { txid, vout, ...input.spent }
}

/** Returns how another party spends its input. Throws CheckFailed for unsupported script types. */
export function spendOf({ inputs }: PreparedPsbt, index: number): KeySpend {
  const { spent, redeemScript, internalKey } = inputs[index]!
  switch (kindOfScript(spent.script)) {
    case 'p2tr':
      return { kind: 'p2tr', publicKey: spent.script.slice(2), internalKey, redeemScript: null }
    case 'p2wpkh':
      return { kind: 'p2wpkh', publicKey: UNKNOWN_KEY, internalKey: null, redeemScript: null }
    default:
      assert(
        redeemScript !== null && kindOfScript(redeemScript) === 'p2wpkh',
        `input ${index} has a script type that trades do not spend`,
      )
      return { kind: 'p2sh-p2wpkh', publicKey: UNKNOWN_KEY, internalKey: null, redeemScript }
  }
}
const UNKNOWN_KEY = new Uint8Array(33)

export const networkOf = (address: string): AddressNetwork =>
  /^bc1/i.test(address) ? 'mainnet' : /^bcrt1/i.test(address) ? 'regtest' : 'testnet'

/**
 * Parses the market's address and keys. Throws CheckFailed for an address of another network, and for keys of a wrong length, which would
 * add opcodes to the leaf.
 */
export function marketOf(owner: Owner, { cosignKey, guardianKey, marketAddress }: MarketKeys) {
  assert(X_ONLY.test(cosignKey) && X_ONLY.test(guardianKey), "the market's keys are not x-only keys")
  const script = asCheckFailed(() => scriptOfAddress(marketAddress, networkOf(owner.ordinalsAddress)))
  assert(kindOfScript(script) === 'p2tr', "the market's address is not taproot")
  return { script, cosignKey: hexToBytes(cosignKey), guardianKey: hexToBytes(guardianKey) }
}
export type Market = ReturnType<typeof marketOf>
const X_ONLY = /^[0-9a-fA-F]{64}$/

/** Returns the coin of an input. Throws CheckFailed if it is not the market's. */
export function marketCoinOf(opened: PreparedPsbt, index: number, market: Market): Coin {
  const coin = coinOf(opened, index)
  assert(equalBytes(coin.script, market.script), `input ${index} is not a coin of the market`)
  return coin
}

export const marketSpendOf = (opened: PreparedPsbt, index: number): KeySpend => spendOf(opened, index)

/** Returns the coins selected by a response, with their scripts. Throws CheckFailed for duplicates and for coins that were not offered. */
export function chosenOf(owner: Owner, offered: readonly OwnCoin[], selected: readonly OwnCoin[]): Coin[] {
  const unused = new Map(offered.map((coin) => [formatOutpoint(coin), coin]))
  return selected.map((selectedCoin) => {
    const name = formatOutpoint(selectedCoin)
    const coin = unused.get(name)
    assert(coin !== undefined, `the market chose ${name}, a coin that you did not offer`)
    assert(coin.valueSats === selectedCoin.valueSats, `the market misstates your coin ${name}`)
    unused.delete(name)
    return { txid: coin.txid, vout: coin.vout, valueSats: coin.valueSats, script: owner.paymentScript }
  })
}

export const nameOf = (owner: Owner, script: Uint8Array) =>
  addressOfScript(script, networkOf(owner.ordinalsAddress)) ?? 'a script without an address'

/** Returns the scripts after an inscription's output: the seller's, and the creator's if a royalty is paid. Throws CheckFailed. */
export function sideScriptsOf(
  outputs: readonly TxOutput[],
  owed: { marketplaceRevenueSats: number; creatorRevenueSats: number },
): { payoutScript: Uint8Array; royalty: TxOutput | null } {
  const payout = outputs[1]
  assert(payout !== undefined, 'the transaction does not pay the seller')
  const { creatorRevenueSats, marketplaceRevenueSats } = owed
  if (creatorRevenueSats === 0) return { payoutScript: payout.script, royalty: null }
  const creator = outputs[marketplaceRevenueSats > 0 ? 3 : 2]
  assert(creator !== undefined, 'the transaction does not pay the creator')
  return { payoutScript: payout.script, royalty: { valueSats: creatorRevenueSats, script: creator.script } }
}
