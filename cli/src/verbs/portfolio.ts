import type { Answer } from '@ordbook/sdk'
import { money } from '../amounts.ts'
import { columns } from '../output.ts'
import type { TradeSession } from '../trade-session.ts'
import type { Verb } from '../verb.ts'

type Holdings = Answer<'listHoldings'>['holdings']

export const portfolio: Verb = {
  usage: '',
  summary: 'Show the inscriptions, escrows, offers and coins of the wallet',
  options: {},
  async run(desk) {
    const { wallet, walletBindingId } = await desk.trader()
    const holdings = await allHoldings(desk, wallet.ordinalsAddress)
    const { client } = desk
    const [coins, { escrows }, offers] = await Promise.all([
      client.call('listCoins', { query: { walletBindingId } }),
      client.call('listMyEscrows', { query: {} }),
      client.call('listMyOffers', { query: { view: 'sent' } }),
    ])
    const floorSats = holdings.reduce((sum, holding) => sum + (holding.collectionFloorSats ?? 0), 0)
    const rows = holdings.map((holding) => [
      holding.inscriptionId,
      holding.name,
      holding.priceSats === null ? '-' : `listed at ${money(holding.priceSats)}`,
      holding.topOfferSats === null ? '-' : `best offer ${money(holding.topOfferSats)}`,
    ])
    return {
      document: {
        ordinalsAddress: wallet.ordinalsAddress,
        paymentAddress: wallet.paymentAddress,
        holdings,
        escrows,
        offers: offers.view === 'sent' ? offers.rows : [],
        coins: coins.coins,
        spendableSats: coins.totalSats,
        floorSats,
      },
      text: [
        ...(rows.length > 0 ? [columns(rows)] : []),
        `${holdings.length} inscriptions at ${wallet.ordinalsAddress}, ${money(floorSats)} at floor prices`,
        `${escrows.length} coins in escrow, ${offers.sentCount} offers sent`,
        `${money(coins.totalSats)} to spend at ${wallet.paymentAddress}, in ${coins.coins.length} coins`,
      ].join('\n'),
    }
  },
}

async function allHoldings(desk: TradeSession, address: string): Promise<Holdings> {
  const collected: Holdings = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const query = { limit: 100, ...(cursor ? { cursor } : {}) }
    const { holdings, pagination } = await desk.client.call('listHoldings', { params: { address }, query })
    collected.push(...holdings)
    cursor = pagination.nextCursor
    if (cursor) desk.out.progress(`${collected.length} inscriptions`)
  }
  return collected
}
