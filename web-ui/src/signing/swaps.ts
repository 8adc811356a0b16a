import type { Answer } from '@ordbook/sdk/operations.ts'
import { acceptProposal, propose, settle } from '@ordbook/sdk/swaps.ts'
import { client } from '../api/client.ts'
import type { TradedItem } from '../review/agreement.ts'
import type { Shown } from '../ticket/quotes/purchase-quote.ts'
import { proposersQuote } from '../ticket/quotes/swap-quote.ts'
import { alsoGoesOf, coinOf, type Item, itemOf, tradedOf } from './items.ts'
import { billedQuote, coinsOf, refresh, type Trading, trader } from './trading.ts'

export async function proposeTrade(
  trading: Trading,
  proposal: Parameters<typeof propose>[1],
): Promise<Answer<'createProposal'>> {
  // A proposal is not signed.
  const agreement = { kind: 'swap', gives: [], gets: [], netSats: 0, completes: false, endsAt: null } as const
  const sdkTrader = await trader(trading, { agreement, quotes: [] })
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
  const { quote, maxNetworkSats } = await billedQuote(shown, () =>
    client.call('quoteAcceptance', { params: { proposalId: proposal.id }, body: { walletBindingId, fills } }),
  )
  const gives = await Promise.all(fills.map((fill) => itemOf(fill.inscriptionId)))
  const gets = await Promise.all(
    proposal.offeredItems.map((offeredItem) => itemOf(offeredItem.inscriptionId)),
  )
  const netSats = proposal.offeredBtcSats - proposal.requestedBtcSats
  const sides = await sidesOf(gives, gets)
  const sdkTrader = await trader(trading, {
    agreement: { kind: 'swap', ...sides, netSats, completes: false, endsAt: proposal.expiresAt },
    quotes: [quote],
  })
  const acceptance = await acceptProposal(sdkTrader, proposal.id, fills, {
    gives: givesOf(gives, sides.gives),
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
  const sides = await sidesOf(gives, gets)
  const sdkTrader = await trader(trading, {
    agreement: { kind: 'swap', ...sides, netSats, completes: true, endsAt: null },
    quotes: [proposersQuote(netSats)],
  })
  const settled = await settle(sdkTrader, acceptance.acceptanceId, {
    gives: givesOf(gives, sides.gives),
    gets: gets.map((item) => ({ inscriptionId: item.inscriptionId, coin: coinOf(item) })),
    netSats,
    // The proposal determines the coins that pay.
    coins: proposal.offeredBtcSats > 0 ? await coinsOf(trading) : [],
  })
  await refresh()
  return settled.expectedSettlementTxid
}

const sidesOf = async (gives: readonly Item[], gets: readonly Item[]) => ({
  gives: await tradedOf(gives, 'leaves'),
  gets: await tradedOf(gets, 'arrives'),
})

/** Includes the other inscriptions in the coins of the given items. */
const givesOf = (items: readonly Item[], traded: readonly TradedItem[]) =>
  items.map((item) => ({
    inscriptionId: item.inscriptionId,
    coin: coinOf(item),
    alsoGoes: alsoGoesOf(traded, item.inscriptionId),
  }))
