import type { quoteAcceptance as operation } from '@ordbook/contract/storefront/quotes.ts'
import { getOwnBinding } from '@ordbook/market/auth/me.ts'
import { planAcceptance } from '@ordbook/market/proposals/accept.ts'
import type { UseCase } from '@ordbook/market/use-case.ts'
import { quotedWallet, quoteFrom, sellerOfAddress } from './wallet.ts'

/** Returns what the acceptor of a proposal pays. Throws `missing`, `forbidden`, `invalid` or `conflict`. */
export const quoteSwap: UseCase<typeof operation> = async (context, { session, params, body }) => {
  const { proposalId } = params
  const binding = await getOwnBinding(context, session, body.walletBindingId)
  const wallet = await quotedWallet(context, session, body)
  const keys = { ordinals: () => sellerOfAddress(binding), payer: wallet.buyer.payer }
  const acceptance = { session, proposalId, fills: body.fills, binding, keys }
  const { plan, funds } = await quoteFrom(context, wallet, {
    plan: (coins) => planAcceptance(context, acceptance, async () => coins),
    chosenOf: ({ prepared }) => prepared.terms.acceptor.payments,
  })
  const { prepared, swap, proposal } = plan
  const { marketplaceFeeSats, feeRateSatVb } = prepared.terms
  const rows = [
    { kind: 'bitcoinReceived', sats: proposal.offeredBtcSats },
    { kind: 'bitcoinPaid', sats: -proposal.requestedBtcSats },
    { kind: 'marketplaceFee', sats: -marketplaceFeeSats },
    { kind: 'networkFee', sats: -swap.feeSats },
  ] as const
  return {
    items: prepared.items,
    marketplaceFeeSats,
    networkFeeSats: swap.feeSats,
    acceptorNetSats: swap.acceptorNetSats,
    proposerNetSats: swap.proposerNetSats,
    bill: rows.filter(({ sats }) => sats !== 0).map((row) => ({ ...row, rateBps: null })),
    totalSats: swap.acceptorNetSats,
    ...funds,
    targetFeeRateSatVb: feeRateSatVb,
  }
}
