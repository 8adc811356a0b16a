import { type KeySpend, p2trScript } from '../address.ts'
import { equalBytes } from '../bytes.ts'
import { BitcoinError } from '../errors.ts'
import { txidOf } from '../transaction.ts'
import { sequenceOfGeneration } from './generation.ts'
import { type Coin, type Layout, type LayoutInput, transactionOf } from './layout.ts'
import { buildPassthrough, type EscrowForm, type Passthrough } from './passthrough.ts'

/** Terms of a transfer into escrow. */
export interface TransferTerms {
  inscriptionCoin: Coin
  seller: KeySpend
  /** M, x-only. */
  marketKey: Uint8Array
  escrowForm: EscrowForm
  /** The escrow coin after its last move, or null. */
  movedTo: Coin | null
  /** 330-sat coin for the transfer's fee. */
  anchor: Coin
  /** Key of the market's coins. */
  market: KeySpend
}

export interface ListingTerms extends TransferTerms {
  /** Number of the leg on this escrow coin. Each new price increments it. */
  generation: number
  /** 330-sat coin for the recovery's fee. */
  recoveryCoin: Coin
  /** Seller's proceeds plus postage. */
  payoutSats: number
  payoutScript: Uint8Array
}

/** Fee of a transfer in sats. An anchor pays 1.95 sat/vB. */
export const ANCHOR_SATS = 330

/** Size in vB of a signed transfer. */
export const TRANSFER_VSIZE = 169

/** Builds T, the transfer of an inscription into escrow. Keeps the postage and all offsets. */
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

/** Returns the escrow coin after the transfer or the last move. Throws `key-mismatch` or `amounts-differ`. */
export function escrowCoinOf(terms: TransferTerms): Coin {
  const { movedTo, inscriptionCoin } = terms
  if (movedTo) {
    if (!equalBytes(movedTo.script, passthroughOf(terms).script))
      throw new BitcoinError('key-mismatch', 'the moved coin is not an escrow of this seller and market')
    if (movedTo.valueSats !== inscriptionCoin.valueSats)
      throw new BitcoinError(
        'amounts-differ',
        'the moved coin has a different value than the inscription coin',
      )
    return movedTo
  }
  const transfer = transactionOf(buildTransfer(terms))
  return { txid: txidOf(transfer), vout: 0, ...transfer.outputs[0]! }
}

/** Builds a sale leg: the escrow coin and the seller's payout at the same index. */
export function buildSaleLeg(terms: Omit<ListingTerms, 'recoveryCoin'>): Layout {
  return {
    version: 2,
    inputs: [saleInputOf(terms)],
    outputs: [{ role: 'payout', valueSats: terms.payoutSats, script: terms.payoutScript }],
  }
}

/** Returns the escrow coin as a settlement input. */
export function saleInputOf(terms: TransferTerms & { generation: number }): LayoutInput {
  return { ...escrowInputOf(terms), sequence: sequenceOfGeneration(terms.generation) }
}

/** Builds a reclaim, which returns a seller's escrow coins. The market pays the fee and signs last. */
export function buildReclaim(escrows: readonly TransferTerms[], feeCoins: readonly Coin[]): Layout {
  return cosigned(escrows, feeCoins, ({ inscriptionCoin: { valueSats, script } }) => ({
    role: 'recovery',
    valueSats,
    script,
  }))
}

/** Builds a reclaim that the seller signs in advance, with reserved coins of the market. */
export function buildRecovery(batch: readonly (TransferTerms & { recoveryCoin: Coin })[]): Layout {
  return buildReclaim(
    batch,
    batch.map((terms) => terms.recoveryCoin),
  )
}

/**
 * Builds a move of escrow coins into new ones. Once it confirms, legs on the old coins are invalid. The market signs last. Output n is the
 * new coin of escrow n.
 */
export function buildMove(
  escrows: readonly TransferTerms[],
  form: EscrowForm,
  feeCoins: readonly Coin[],
): Layout {
  return cosigned(escrows, feeCoins, ({ inscriptionCoin, seller, marketKey }) => ({
    role: 'escrow',
    valueSats: inscriptionCoin.valueSats,
    script: buildPassthrough(seller, marketKey, form).script,
  }))
}

/** Returns the new coin of escrow `index`. */
export function movedCoinOf(move: Layout, index: number): Coin {
  const tx = transactionOf(move)
  return { txid: txidOf(tx), vout: index, ...tx.outputs[index]! }
}

/** Builds a transaction from each escrow coin to an output of the same value. The market pays the fee. */
function cosigned(
  escrows: readonly TransferTerms[],
  feeCoins: readonly Coin[],
  outputOf: (terms: TransferTerms) => Layout['outputs'][number],
): Layout {
  return {
    version: 2,
    inputs: [
      ...escrows.map(escrowInputOf),
      ...feeCoins.map(
        (coin): LayoutInput => ({
          role: 'anchor',
          coin,
          signer: 'market',
          spend: { by: 'key', ...escrows[0]!.market },
        }),
      ),
    ],
    outputs: escrows.map(outputOf),
  }
}

function passthroughOf({ inscriptionCoin, seller, marketKey, escrowForm }: TransferTerms): Passthrough {
  const passthrough = buildPassthrough(seller, marketKey, escrowForm)
  if (!equalBytes(p2trScript(seller.publicKey), inscriptionCoin.script))
    throw new BitcoinError('key-mismatch', "the inscription coin is not at the seller's address")
  return passthrough
}

function escrowInputOf(terms: TransferTerms): LayoutInput {
  return {
    role: 'escrow',
    coin: escrowCoinOf(terms),
    signer: 'seller',
    spend: { by: 'escrow', ...passthroughOf(terms) },
  }
}
