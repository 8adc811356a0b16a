import type { Answer } from '@ordbook/sdk/operations.ts'
import type { ShownQuote } from './purchase-quote.ts'

type Acceptance = Answer<'listAcceptances'>['acceptances'][number]

const rowsOf = (netSats: number): ShownQuote['bill'] =>
  netSats === 0
    ? []
    : [{ kind: netSats > 0 ? 'bitcoinReceived' : 'bitcoinPaid', sats: netSats, rateBps: null }]

/** The acceptor pays all fees, so the proposer's bill has only the BTC of the trade. */
export const proposersQuote = (netSats: number): ShownQuote => ({ bill: rowsOf(netSats), totalSats: netSats })

/** Returns the bill of an acceptance, for its acceptor. */
export function acceptorsQuote({
  proposal,
  marketplaceFeeSats,
  networkFeeSats,
  acceptorNetSats,
  targetFeeRateSatVb,
}: Acceptance): ShownQuote {
  const fees = [
    { kind: 'marketplaceFee' as const, sats: -marketplaceFeeSats, rateBps: null },
    { kind: 'networkFee' as const, sats: -networkFeeSats, rateBps: null },
  ]
  return {
    bill: [
      ...rowsOf(proposal.offeredBtcSats - proposal.requestedBtcSats),
      ...fees.filter(({ sats }) => sats !== 0),
    ],
    totalSats: acceptorNetSats,
    targetFeeRateSatVb,
  }
}
