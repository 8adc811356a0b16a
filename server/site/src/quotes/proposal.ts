import type { Coin } from '@ordbook/bitcoin/trade/layout.ts'
import { buildSwap, type SwapSide } from '@ordbook/bitcoin/trade/swap.ts'
import type { quoteProposal as operation } from '@ordbook/contract/storefront/quotes.ts'
import { settlementFeeRate } from '@ordbook/indexer/node/fee-rates.ts'
import { getOwnBinding } from '@ordbook/market/auth/me.ts'
import { toFault } from '@ordbook/market/preflight/refuse.ts'
import { checkTerms, chooseOffered, type ProposedTerms } from '@ordbook/market/proposals/own.ts'
import { findFloors } from '@ordbook/market/proposals/queries.ts'
import { worthOf } from '@ordbook/market/proposals/rendered-proposal.ts'
import { sizedSpendOf } from '@ordbook/market/settlements/placeholder-coins.ts'
import type { UseCase } from '@ordbook/market/use-case.ts'
import { type GivenRow, listGiven } from './proposal-queries.ts'
import { quotedWallet, quoteFrom, VISITOR_SCRIPTS } from './wallet.ts'

/** Maximum inscriptions from an acceptor. */
const MAX_FILLS = 50
/** Assumed excess funds of an acceptor, in sats, so that its side has change. */
const SPARE_SATS = 10_000_000
const POSTAGE_SATS = 10_000

/** Returns the bill of a proposal for its maker. Throws `missing`, `forbidden`, `invalid` or `conflict`. */
export const quoteProposal: UseCase<typeof operation> = async (context, { session, body }) => {
  const { config, reads, clock, market } = context
  const binding = await getOwnBinding(context, session, body.walletBindingId)
  const legs = await checkTerms(context, binding, body)
  const wallet = await quotedWallet(context, session, body)
  const { plan: payments, funds } = await quoteFrom(context, wallet, {
    plan: (coins) => chooseOffered(coins, body.offeredBtcSats),
    chosenOf: (chosen) => chosen,
  })
  const offered = await listGiven(reads, body.offeredInscriptionIds)
  const feeRateSatVb = await settlementFeeRate(context)
  const proposer: SwapSide = {
    ...sideOf(wallet.buyer),
    inscriptionCoins: offered.map(placeholderCoin),
    payments,
  }
  const { feeSats } = toFault(
    () =>
      buildSwap({
        proposer,
        acceptor: placeholderAcceptor(body, config.proposalFeeSats),
        offeredSats: body.offeredBtcSats,
        requestedSats: body.requestedBtcSats,
        marketplaceFeeSats: config.proposalFeeSats,
        marketScript: market.coinScript,
        feeRateSatVb,
      }),
    'requestedBtcSats',
  )
  const collectionIds = [...offered, ...legs].flatMap(({ collectionId }) => collectionId ?? [])
  const { floors } = await findFloors(reads, [...new Set(collectionIds)], clock())
  const rows = [
    { kind: 'bitcoinReceived', sats: body.requestedBtcSats },
    { kind: 'bitcoinPaid', sats: -body.offeredBtcSats },
  ] as const
  return {
    estimatedOfferedValueSats: worthOf(
      body.offeredBtcSats,
      offered.map(({ collectionId }) => ({ collectionId, quantity: 1 })),
      floors ?? {},
    ),
    estimatedRequestedValueSats: worthOf(body.requestedBtcSats, legs, floors ?? {}),
    marketplaceFeeSats: config.proposalFeeSats,
    estimatedNetworkFeeSats: feeSats,
    bill: rows.filter(({ sats }) => sats !== 0).map((row) => ({ ...row, rateBps: null })),
    totalSats: body.requestedBtcSats - body.offeredBtcSats,
    ...funds,
    targetFeeRateSatVb: feeRateSatVb,
  }
}

const sideOf = ({
  ordinalsScript,
  paymentScript,
}: Pick<SwapSide, 'ordinalsScript' | 'paymentScript'>): Omit<SwapSide, 'inscriptionCoins' | 'payments'> => ({
  ordinals: sizedSpendOf(ordinalsScript),
  ordinalsScript,
  payer: sizedSpendOf(paymentScript),
  paymentScript,
})

/** Returns a placeholder coin at an ordinals address. Only its size matters. */
const placeholderCoin = ({ valueSats }: Pick<GivenRow, 'valueSats'>, vout: number): Coin => ({
  txid: '11'.repeat(32),
  vout,
  valueSats,
  script: VISITOR_SCRIPTS.ordinalsScript,
})

/** Returns a placeholder acceptor with the requested inscriptions and one coin that pays for everything. */
function placeholderAcceptor({ wantedLegs, requestedBtcSats }: ProposedTerms, feeSats: number): SwapSide {
  const count = wantedLegs.reduce((sum, leg) => sum + leg.quantity, 0)
  const { paymentScript } = VISITOR_SCRIPTS
  return {
    ...sideOf(VISITOR_SCRIPTS),
    inscriptionCoins: Array.from({ length: Math.min(count, MAX_FILLS) }, (_, n) =>
      placeholderCoin({ valueSats: POSTAGE_SATS }, MAX_FILLS + n),
    ),
    payments: [
      {
        txid: '22'.repeat(32),
        vout: 0,
        valueSats: requestedBtcSats + feeSats + SPARE_SATS,
        script: paymentScript,
      },
    ],
  }
}
