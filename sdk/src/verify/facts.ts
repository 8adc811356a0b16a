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
import { demand, refusing } from './demand.ts'
import type { MarketKeys, OwnCoin, Owner } from './owner.ts'
import type { AnsweredStep } from './plan.ts'

/**
 * Facts that a response adds to an agreement: the market's coins, and the other side's coins and scripts. They only enter the rebuilt
 * transaction at their place.
 */

/** Reads the PSBT of a step. Throws CheckFailed. */
export const openStep = (step: AnsweredStep): PreparedPsbt =>
  refusing(() => readPreparedPsbt(step.psbtBase64))

/** A coin of another party, as a PSBT states it. */
export function coinOf({ tx, inputs }: PreparedPsbt, index: number): Coin {
  const input = inputs[index]
  demand(input !== undefined, 'the transaction has too few inputs')
  const { txid, vout } = tx.inputs[index]!
  return { txid, vout, ...input.spent }
}

/** How another party spends its coin, as far as the transaction shows it. Throws CheckFailed for other script types. */
export function spendOf({ inputs }: PreparedPsbt, index: number): KeySpend {
  const { spent, redeemScript, internalKey } = inputs[index]!
  switch (kindOfScript(spent.script)) {
    case 'p2tr':
      return { kind: 'p2tr', publicKey: spent.script.slice(2), internalKey, redeemScript: null }
    case 'p2wpkh':
      return { kind: 'p2wpkh', publicKey: UNKNOWN_KEY, internalKey: null, redeemScript: null }
    default:
      demand(
        redeemScript !== null && kindOfScript(redeemScript) === 'p2wpkh',
        `input ${index} is of a kind that no trade spends`,
      )
      return { kind: 'p2sh-p2wpkh', publicKey: UNKNOWN_KEY, internalKey: null, redeemScript }
  }
}
const UNKNOWN_KEY = new Uint8Array(33)

/** The network that an address is written for. */
export const networkOf = (address: string): AddressNetwork =>
  /^bc1/i.test(address) ? 'mainnet' : /^bcrt1/i.test(address) ? 'regtest' : 'testnet'

/**
 * The market as owner of inputs and outputs. Throws CheckFailed for an address of another network, and for keys that are not 32 bytes: a
 * longer key would add opcodes to the leaf.
 */
export function marketOf(owner: Owner, { cosignKey, guardianKey, marketAddress }: MarketKeys) {
  demand(X_ONLY.test(cosignKey) && X_ONLY.test(guardianKey), "the market's keys are not x-only keys")
  const script = refusing(() => scriptOfAddress(marketAddress, networkOf(owner.ordinalsAddress)))
  demand(kindOfScript(script) === 'p2tr', 'the market holds its coins at an address of another kind')
  return { script, cosignKey: hexToBytes(cosignKey), guardianKey: hexToBytes(guardianKey) }
}
export type Market = ReturnType<typeof marketOf>
const X_ONLY = /^[0-9a-fA-F]{64}$/

/** A coin that is the market's according to a PSBT. */
export function marketCoinOf(opened: PreparedPsbt, index: number, market: Market): Coin {
  const coin = coinOf(opened, index)
  demand(equalBytes(coin.script, market.script), `input ${index} is not a coin of the market`)
  return coin
}

/** The way in which the market spends its coins, as that input shows. */
export const marketSpendOf = (opened: PreparedPsbt, index: number): KeySpend => spendOf(opened, index)

/** The wallet's coins that a response chose; all must be offered, without duplicates. Throws CheckFailed. */
export function chosenOf(owner: Owner, offered: readonly OwnCoin[], selected: readonly OwnCoin[]): Coin[] {
  const mine = new Map(offered.map((coin) => [formatOutpoint(coin), coin]))
  return selected.map((each) => {
    const name = formatOutpoint(each)
    const coin = mine.get(name)
    demand(coin !== undefined, `the market chose ${name}, a coin that you did not offer`)
    demand(coin.valueSats === each.valueSats, `the market misstates your coin ${name}`)
    mine.delete(name)
    return { txid: coin.txid, vout: coin.vout, valueSats: coin.valueSats, script: owner.paymentScript }
  })
}

/** A script as people read it. */
export const nameOf = (owner: Owner, script: Uint8Array) =>
  addressOfScript(script, networkOf(owner.ordinalsAddress)) ?? 'a script without an address'

/** Scripts of the outputs that follow an inscription output: the seller's, and the creator's if a royalty is paid. Throws CheckFailed. */
export function sideScriptsOf(
  outputs: readonly TxOutput[],
  owed: { marketplaceRevenueSats: number; creatorRevenueSats: number },
): { payoutScript: Uint8Array; royalty: TxOutput | null } {
  const payout = outputs[1]
  demand(payout !== undefined, 'the transaction pays no seller')
  const { creatorRevenueSats, marketplaceRevenueSats } = owed
  if (creatorRevenueSats === 0) return { payoutScript: payout.script, royalty: null }
  const creator = outputs[marketplaceRevenueSats > 0 ? 3 : 2]
  demand(creator !== undefined, 'the transaction pays no creator')
  return { payoutScript: payout.script, royalty: { valueSats: creatorRevenueSats, script: creator.script } }
}
