import { p2trScript } from '@ordbook/bitcoin/address.ts'
import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { PreparedPsbt } from '@ordbook/bitcoin/prepared-psbt.ts'
import { generationOf } from '@ordbook/bitcoin/trade/generation.ts'
import type { Coin } from '@ordbook/bitcoin/trade/layout.ts'
import { ANCHOR_SATS, type TransferTerms } from '@ordbook/bitcoin/trade/listing.ts'
import type { EscrowForm } from '@ordbook/bitcoin/trade/passthrough.ts'
import { asCheckFailed, assert } from './assert.ts'
import { coinOf, type Market, spendOf } from './facts.ts'
import { type InscriptionCoin, type Owner, ordinalsSpendOf } from './owner.ts'

/** Bytes of `<key> CHECKSIG <M> CHECKSIGADD 2 NUMEQUAL`. */
const SALE_LEAF_BYTES = 70

/**
 * Returns the terms of another seller's escrow, with the seller's keys from the leaf. The agreed coin is in escrow already, or spent by the
 * transfer in the PSBT. The rebuilt layout only matches an escrow of this coin at this market. Throws CheckFailed.
 */
export function escrowTermsOf(
  opened: PreparedPsbt,
  index: number,
  { inscriptionId, coin }: { inscriptionId: string; coin: InscriptionCoin },
  market: Market,
  what: 'purchase' | 'settlement',
): TransferTerms & { generation: number } {
  const input = opened.tx.inputs[index]
  const { leaf, previous } = opened.inputs[index] ?? {}
  const notSpent = `the ${what} does not spend the coin of ${inscriptionId}`
  assert(input !== undefined && leaf !== undefined && leaf !== null, notSpent)
  assert(
    leaf.script.length === SALE_LEAF_BYTES && leaf.controlBlock.length >= 33,
    `the escrow of ${inscriptionId} has an unknown form`,
  )
  const sellerKey = leaf.script.slice(1, 33)
  const outputKey = leaf.controlBlock.slice(1, 33)
  const escrowForm = equalBytes(sellerKey, outputKey) ? 'published' : 'wallet'
  const { txid, vout, valueSats } = coin
  const isInEscrow = formatOutpoint(input) === formatOutpoint(coin)
  const anchor = previous?.inputs[1]
  const isTransferred =
    previous?.inputs[0] !== undefined && formatOutpoint(previous.inputs[0]) === formatOutpoint(coin)
  assert(isInEscrow || isTransferred, notSpent)
  assert(isInEscrow || anchor !== undefined, `the transfer of ${inscriptionId} does not match the agreement`)
  return {
    inscriptionCoin: { txid, vout, valueSats, script: p2trScript(outputKey) },
    seller: {
      kind: 'p2tr',
      publicKey: outputKey,
      internalKey: escrowForm === 'wallet' ? sellerKey : null,
      redeemScript: null,
    },
    marketKey: market.cosignKey,
    escrowForm,
    movedTo: isInEscrow ? { txid, vout, valueSats, script: coinOf(opened, index).script } : null,
    anchor: {
      txid: anchor?.txid ?? txid,
      vout: anchor?.vout ?? vout,
      valueSats: ANCHOR_SATS,
      script: market.script,
    },
    market: { kind: 'p2tr', publicKey: market.script.slice(2), internalKey: null, redeemScript: null },
    generation: asCheckFailed(() => generationOf(input.sequence)),
  }
}

export function ownTransferTerms(
  owner: Owner,
  market: Market,
  of: { coin: InscriptionCoin; anchor: Coin; escrowForm: EscrowForm; transfer: PreparedPsbt },
): TransferTerms {
  const { txid, vout, valueSats } = of.coin
  return {
    inscriptionCoin: { txid, vout, valueSats, script: owner.ordinalsScript },
    seller: ordinalsSpendOf(owner),
    marketKey: market.cosignKey,
    escrowForm: of.escrowForm,
    movedTo: null,
    anchor: of.anchor,
    market: spendOf(of.transfer, 1),
  }
}
