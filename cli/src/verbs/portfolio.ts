import type { Answer } from '@ordbook/sdk'
import { money } from '../amounts.ts'
import type { Desk } from '../desk.ts'
import { columns } from '../output.ts'
import type { Verb } from '../verb.ts'

type Holdings = Answer<'listHoldings'>['holdings']

export const portfolio: Verb = {
  usage: '',
  summary: 'shows what the wallet holds: inscriptions, escrows, offers and coins',
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
    const floorSats = holdings.reduce((sum, each) => sum + (each.collectionFloorSats ?? 0), 0)
    const rows = holdings.map((each) => [
      each.inscriptionId,
      each.name,
      each.priceSats === null ? '-' : `listed at ${money(each.priceSats)}`,
      each.topOfferSats === null ? '-' : `best offer ${money(each.topOfferSats)}`,
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
        `${holdings.length} inscriptions at ${wallet.ordinalsAddress}, ${money(floorSats)} by their floors`,
        `${escrows.length} coins in escrow, ${offers.sentCount} offers sent`,
        `${money(coins.totalSats)} to spend at ${wallet.paymentAddress}, in ${coins.coins.length} coins`,
      ].join('\n'),
    }
  },
}

async function allHoldings(desk: Desk, address: string): Promise<Holdings> {
  const all: Holdings = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const query = { limit: 100, ...(cursor ? { cursor } : {}) }
    const { holdings, pagination } = await desk.client.call('listHoldings', { params: { address }, query })
    all.push(...holdings)
    cursor = pagination.nextCursor
    if (cursor) desk.out.progress(`${all.length} inscriptions`)
  }
  return all
}
