import type { Answer } from '@ordbook/sdk/operations.ts'
import { acceptProposal, propose, settle } from '@ordbook/sdk/swaps.ts'
import { client } from '../api/client.ts'
import { money } from '../format/format.ts'
import type { Shown } from '../ticket/quotes/purchase-quote.ts'
import { alsoGoesOf, coinOf, type Item, itemOf, knownOf } from './items.ts'
import type { Known } from './review.tsx'
import { coinsOf, networkLimit, refresh, type Trading, trader } from './trading.ts'

export async function proposeTrade(
  trading: Trading,
  proposal: Parameters<typeof propose>[1],
): Promise<Answer<'createProposal'>> {
  const sdkTrader = await trader(trading, { title: 'Propose a trade', outcome: '', known: [] })
  const coins = proposal.offeredBtcSats > 0 ? await coinsOf(trading) : []
  const proposed = await propose(sdkTrader, proposal, coins)
  await refresh()
  return proposed
}

/** Accepts a proposal with the items in `fills`. The proposer signs last. */
export async function acceptTrade(
  trading: Trading,
  proposal: Answer<'getProposal'>,
  fills: { legId: string; inscriptionId: string }[],
  shown: Shown = {},
): Promise<Answer<'submitAcceptance'>> {
  const { walletBindingId } = trading.signed
  const maxNetworkSats = await networkLimit(shown, () =>
    client.call('quoteAcceptance', { params: { proposalId: proposal.id }, body: { walletBindingId, fills } }),
  )
  const gives = await Promise.all(fills.map((fill) => itemOf(fill.inscriptionId)))
  const gets = await Promise.all(
    proposal.offeredItems.map((offeredItem) => itemOf(offeredItem.inscriptionId)),
  )
  const netSats = proposal.offeredBtcSats - proposal.requestedBtcSats
  const known = [...(await knownOf(gives, 'leaves')), ...(await knownOf(gets, 'arrives'))]
  const sdkTrader = await trader(trading, {
    title: 'Accept the trade',
    outcome: `${tradeOf(gives, gets, netSats)} It completes when the other side signs too. Until then you can withdraw.`,
    known,
    quotedSats: [shown.quotedSats],
  })
  const acceptance = await acceptProposal(sdkTrader, proposal.id, fills, {
    gives: givesOf(gives, known),
    gets: gets.map((item) => ({ inscriptionId: item.inscriptionId, coin: coinOf(item) })),
    netSats,
    coins: await coinsOf(trading),
    maxMarketSats: proposal.marketplaceFeeSats,
    maxNetworkSats,
  })
  await refresh()
  return acceptance
}

/** Settles an accepted proposal. Returns the settlement txid. */
export async function settleTrade(trading: Trading, acceptance: Answer<'submitAcceptance'>): Promise<string> {
  const { proposal } = acceptance
  const of = (from: 'proposer' | 'acceptor') =>
    Promise.all(
      acceptance.items.filter((item) => item.from === from).map((item) => itemOf(item.inscriptionId)),
    )
  const [gives, gets] = await Promise.all([of('proposer'), of('acceptor')])
  const netSats = proposal.requestedBtcSats - proposal.offeredBtcSats
  const known = [...(await knownOf(gives, 'leaves')), ...(await knownOf(gets, 'arrives'))]
  const sdkTrader = await trader(trading, {
    title: 'Complete the trade',
    outcome: `${tradeOf(gives, gets, netSats)} It completes immediately.`,
    known,
    settles: true,
  })
  const settled = await settle(sdkTrader, acceptance.acceptanceId, {
    gives: givesOf(gives, known),
    gets: gets.map((item) => ({ inscriptionId: item.inscriptionId, coin: coinOf(item) })),
    netSats,
    // The proposal determines the coins that pay.
    coins: proposal.offeredBtcSats > 0 ? await coinsOf(trading) : [],
  })
  await refresh()
  return settled.expectedSettlementTxid
}

/** Includes the other inscriptions in the coins of the given items. */
const givesOf = (items: readonly Item[], known: readonly Known[]) =>
  items.map((item) => ({
    inscriptionId: item.inscriptionId,
    coin: coinOf(item),
    alsoGoes: alsoGoesOf(known, item.inscriptionId),
  }))

function tradeOf(gives: readonly Item[], gets: readonly Item[], netSats: number): string {
  const side = (items: readonly Item[], sats: number) =>
    [...items.map((item) => item.name), ...(sats > 0 ? [money(sats)] : [])].join(', ') || 'nothing'
  return `You give ${side(gives, -netSats)} and get ${side(gets, netSats)}.`
}
