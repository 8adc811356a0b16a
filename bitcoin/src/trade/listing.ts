import { type KeySpend, p2trScript } from '../address.ts'
import { equalBytes } from '../bytes.ts'
import { BitcoinError } from '../errors.ts'
import { txidOf } from '../transaction.ts'
import { sequenceOfGeneration } from './generation.ts'
import { type Coin, type Layout, type LayoutInput, transactionOf } from './layout.ts'
import { buildPassthrough, type EscrowForm, type Passthrough } from './passthrough.ts'

/** The facts of a transfer into escrow. */
export interface TransferTerms {
  inscriptionCoin: Coin
  seller: KeySpend
  /** M, x-only: only co-signs escrow spends. */
  marketKey: Uint8Array
  escrowForm: EscrowForm
  /** The escrow coin created by a move, in this form; null if it is the output of the transfer. */
  movedTo: Coin | null
  /** Pays the transfer's fee; 330 sats. Without its signature the transfer cannot be broadcast. */
  anchor: Coin
  /** Key that holds the market's coins. */
  market: KeySpend
}

/** The facts of one listed inscription. */
export interface ListingTerms extends TransferTerms {
  /** Number of the leg on this escrow coin, from 0. Each price has a new one (`sequenceOfGeneration`). */
  generation: number
  /** Pays the recovery's fee; 330 sats. */
  recoveryCoin: Coin
  /** Payment to the seller at the sale: net of fees, with the postage back. */
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

/**
 * The escrow coin created by the transfer or by the last move. Throws `key-mismatch` or `amounts-differ` if the moved coin is not an escrow
 * with these terms.
 */
export function escrowCoinOf(terms: TransferTerms): Coin {
  const { movedTo, inscriptionCoin } = terms
  if (movedTo) {
    if (!equalBytes(movedTo.script, passthroughOf(terms).script))
      throw new BitcoinError('key-mismatch', 'the moved coin is not an escrow of this seller and market')
    if (movedTo.valueSats !== inscriptionCoin.valueSats)
      throw new BitcoinError(
        'amounts-differ',
        'the moved coin does not hold the sats of the inscription coin',
      )
    return movedTo
  }
  const transfer = transactionOf(buildTransfer(terms))
  return { txid: txidOf(transfer), vout: 0, ...transfer.outputs[0]! }
}

/** The settlement leg: the escrow coin against the seller's payout, at one index of any settlement that carries it. */
export function buildSaleLeg(terms: Omit<ListingTerms, 'recoveryCoin'>): Layout {
  return {
    version: 2,
    inputs: [saleInputOf(terms)],
    outputs: [{ role: 'payout', valueSats: terms.payoutSats, script: terms.payoutScript }],
  }
}

/** The escrow coin as an input of a settlement, under the sequence of its leg's generation. */
export function saleInputOf(terms: TransferTerms & { generation: number }): LayoutInput {
  return { ...escrowInputOf(terms), sequence: sequenceOfGeneration(terms.generation) }
}

/**
 * Escrow coins of one seller back to the seller's address; the market's coins pay the fee. Signed ALL, by the market last. Any
 * escrow coins go together, of either form and of any batch of listings.
 */
export function buildReclaim(escrows: readonly TransferTerms[], feeCoins: readonly Coin[]): Layout {
  return cosigned(escrows, feeCoins, ({ inscriptionCoin: { valueSats, script } }) => ({
    role: 'recovery',
    valueSats,
    script,
  }))
}

/** The reclaim that a seller signs when listing, over coins that are kept for it. */
export function buildRecovery(batch: readonly (TransferTerms & { recoveryCoin: Coin })[]): Layout {
  return buildReclaim(
    batch,
    batch.map((terms) => terms.recoveryCoin),
  )
}

/**
 * Escrow coins of one seller into new ones of `form`: once it confirms, no leg that was signed on the old coins is valid any
 * more. Signed ALL, by the market last. The new coin of escrow n is output n (`movedCoinOf`).
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

/** The coin that a move creates for escrow `index`: `movedTo` of its later terms, with the new form. */
export function movedCoinOf(move: Layout, index: number): Coin {
  const tx = transactionOf(move)
  return { txid: txidOf(tx), vout: index, ...tx.outputs[index]! }
}

/** Each escrow coin into one output of its value at the same position, and the market's coins for the fee. */
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
    throw new BitcoinError('key-mismatch', "the inscription coin is not of the seller's address")
  return passthrough
}

/** The escrow coin as an input. */
function escrowInputOf(terms: TransferTerms): LayoutInput {
  return {
    role: 'escrow',
    coin: escrowCoinOf(terms),
    signer: 'seller',
    spend: { by: 'escrow', ...passthroughOf(terms) },
  }
}
