/**
 * Swaps an inscription for any inscription of a collection. One person proposes and settles, the other accepts.
 *
 *   export NODE_URL=$(npm run -s demo -- node)
 *   npx node sdk/examples/p2p-swap.ts propose OWN_INSCRIPTION tide-tables
 *   WALLET=second npx node sdk/examples/p2p-swap.ts accept PROPOSAL OWN_INSCRIPTION
 */
import { setInterval } from 'node:timers/promises'
import { acceptProposal, coinByNode, enter, propose, settle } from '@ordbook/sdk'
import { bounds, market, ownNode, ownWallet, readArguments, untilStopped } from './settings.ts'

const [role, subject = '', other = ''] = readArguments(
  'propose|accept OWN_INSCRIPTION|PROPOSAL SLUG|OWN_INSCRIPTION',
)
const POLL_MILLISECONDS = 2000
const node = ownNode()
const signal = untilStopped()
// Swaps need the storefront API.
const trader = await enter(market, ownWallet(), { surface: 'storefront', repeats: 4, signal })
const { client } = trader

/** Returns an inscription with its coin, proven by the node. */
async function withCoin(inscriptionId: string) {
  const item = await client.call('getInscription', { params: { id: inscriptionId } })
  return { inscriptionId, coin: await coinByNode(node, item) }
}

async function proposeAndSettle(own: string, slug: string): Promise<void> {
  const proposal = await propose(trader, {
    visibility: 'public',
    offeredInscriptionIds: [own],
    offeredBtcSats: 0,
    wantedLegs: [{ collectionSlug: slug, quantity: 1, target: { kind: 'all' } }],
    requestedBtcSats: 0,
  })
  console.log(JSON.stringify({ proposalId: proposal.id }))
  // Acceptances are private, so there are no events.
  for await (const _ of setInterval(POLL_MILLISECONDS, undefined, { signal })) {
    const acceptance = await findAcceptance(proposal.id)
    if (!acceptance) continue
    const gets = await Promise.all(acceptance.fills.map(({ inscriptionId }) => withCoin(inscriptionId)))
    const gives = [await withCoin(own)]
    // A real program would check the received inscriptions here.
    await settle(trader, acceptance.acceptanceId, { gives, gets, netSats: 0, coins: [] })
    console.log(JSON.stringify({ settlementTxid: acceptance.expectedSettlementTxid }))
    return
  }
}

async function findAcceptance(proposalId: string) {
  const { acceptances } = await client.call('listAcceptances', { query: { view: 'received' } })
  return acceptances.find(({ state, proposal }) => state === 'active' && proposal.id === proposalId)
}

async function accept(proposalId: string, own: string): Promise<void> {
  const { offeredItems, wantedLegs } = await client.call('getProposal', { params: { proposalId } })
  const accepted = await acceptProposal(
    trader,
    proposalId,
    [{ legId: wantedLegs[0]!.id, inscriptionId: own }],
    {
      gives: [await withCoin(own)],
      gets: await Promise.all(offeredItems.map(({ inscriptionId }) => withCoin(inscriptionId))),
      netSats: 0,
      coins: await node.coinsOf(trader.wallet.paymentScript),
      maxMarketSats: bounds.maxSwapFeeSats,
      maxNetworkSats: bounds.maxNetworkSats,
    },
  )
  console.log(
    JSON.stringify({ acceptanceId: accepted.acceptanceId, settles: accepted.expectedSettlementTxid }),
  )
}

await (role === 'propose' ? proposeAndSettle(subject, other) : accept(subject, other))
