import type { KeySpend } from '@ordbook/bitcoin/address.ts'
import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { PreparedPsbt } from '@ordbook/bitcoin/prepared-psbt.ts'
import type { Layout } from '@ordbook/bitcoin/trade/layout.ts'
import { assert } from './assert.ts'
import { coinOf, spendOf } from './facts.ts'
import { type InscriptionCoin, isOwn, type Owner, ordinalsSpendOf, paymentSpendOf } from './owner.ts'

/**
 * Returns the layout that a seller agrees to: the seller's only coin is the first input and goes to the first output in full, and the
 * second output is the payout. Copies other inputs and outputs from the PSBT. Throws CheckFailed.
 */
export function sellersView(
  owner: Owner,
  coin: InscriptionCoin,
  opened: PreparedPsbt,
  version: 2 | 3,
): Layout {
  const { inputs, outputs } = opened.tx
  const [first] = inputs
  const [inscription, payout, ...others] = outputs
  assert(
    first !== undefined &&
      formatOutpoint(first) === formatOutpoint(coin) &&
      inputs.every((_, i) => i === 0 || !isOwn(owner, coinOf(opened, i).script)),
    "the transaction spends a coin of yours other than the inscription's",
  )
  assert(
    inscription !== undefined && payout !== undefined && isOwn(owner, payout.script),
    'the settlement does not pay you',
  )
  const { txid, vout, valueSats } = coin
  return {
    version,
    inputs: inputs.map((_, i) =>
      i === 0
        ? {
            role: 'inscription',
            coin: { txid, vout, valueSats, script: owner.ordinalsScript },
            signer: 'seller',
            spend: { by: 'key', ...ordinalsSpendOf(owner) },
          }
        : {
            role: 'payment',
            coin: coinOf(opened, i),
            signer: 'buyer',
            spend: { by: 'key', ...spendOf(opened, i) },
          },
    ),
    outputs: [
      { role: 'inscription', valueSats, script: inscription.script },
      { role: 'payout', ...payout },
      ...others.map((output) => ({ role: 'change', ...output }) as const),
    ],
  }
}

/** Returns how the wallet spends an output with one of its scripts. */
export const ownSpendOf = (owner: Owner, script: Uint8Array): KeySpend =>
  equalBytes(script, owner.paymentScript) ? paymentSpendOf(owner) : ordinalsSpendOf(owner)
