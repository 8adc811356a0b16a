import type { KeySpend } from '../address.ts'
import { txidOf } from '../transaction.ts'
import { type Coin, type Layout, transactionOf } from './layout.ts'
import { buildPassthrough, type Passthrough } from './passthrough.ts'

/** The facts of a transfer into escrow. */
export interface TransferTerms {
  inscriptionCoin: Coin
  seller: KeySpend
  /** M, x-only: co-signs escrow spends and nothing else. */
  marketKey: Uint8Array
  /** Pays the transfer's fee; 330 sats. Without its signature the transfer cannot be broadcast. */
  anchor: Coin
  /** Key that holds the market's coins. */
  market: KeySpend
}

/** The facts of one listed inscription. */
export interface ListingTerms extends TransferTerms {
  /** Pays the recovery's fee; 330 sats. */
  recoveryCoin: Coin
  /** What the seller is paid at the sale: net of fees, with the postage back. */
  payoutSats: number
  payoutScript: Uint8Array
}

/** Fee of a transfer in sats: the whole anchor, the P2TR dust limit. 1.95 sat/vB over its 169 vB. */
export const ANCHOR_SATS = 330

/** Size in vB of a signed transfer. */
export const TRANSFER_VSIZE = 169

/** T: inscription coin and anchor into the escrow output. The postage and every offset stay as they are. */
export function buildTransfer(terms: TransferTerms): Layout {
  const escrow = passthroughOf(terms)
  return {
    version: 2,
    inputs: [
      {
        role: 'inscription',
        coin: terms.inscriptionCoin,
        signer: 'seller',
        spend: { by: 'key', ...terms.seller },
      },
      { role: 'anchor', coin: terms.anchor, signer: 'market', spend: { by: 'key', ...terms.market } },
    ],
    outputs: [{ role: 'escrow', valueSats: terms.inscriptionCoin.valueSats, script: escrow.script }],
  }
}

/** The escrow coin that the transfer makes. */
export function escrowCoinOf(terms: TransferTerms): Coin {
  const transfer = transactionOf(buildTransfer(terms))
  return { txid: txidOf(transfer), vout: 0, ...transfer.outputs[0]! }
}

/** The settlement leg: the escrow coin against the seller's payout, at one index of whatever settlement carries it. */
export function buildSaleLeg(terms: ListingTerms): Layout {
  return {
    version: 2,
    inputs: [escrowInputOf(terms)],
    outputs: [{ role: 'payout', valueSats: terms.payoutSats, script: terms.payoutScript }],
  }
}

/** One for a batch: every escrow coin back to its seller, the market's coins pay the fee. Signed ALL. */
export function buildRecovery(batch: readonly ListingTerms[]): Layout {
  return {
    version: 2,
    inputs: [
      ...batch.map(escrowInputOf),
      ...batch.map(
        (terms) =>
          ({
            role: 'anchor',
            coin: terms.recoveryCoin,
            signer: 'market',
            spend: { by: 'key', ...terms.market },
          }) as const,
      ),
    ],
    outputs: batch.map(({ inscriptionCoin: { valueSats, script } }) => ({
      role: 'recovery',
      valueSats,
      script,
    })),
  }
}

function passthroughOf(terms: TransferTerms): Passthrough {
  return buildPassthrough(terms.inscriptionCoin.script, terms.marketKey)
}

/** The escrow coin as an input, for the leg, the recovery and every settlement. */
export function escrowInputOf(terms: TransferTerms): Layout['inputs'][number] {
  return {
    role: 'escrow',
    coin: escrowCoinOf(terms),
    signer: 'seller',
    spend: { by: 'escrow', ...passthroughOf(terms) },
  }
}
