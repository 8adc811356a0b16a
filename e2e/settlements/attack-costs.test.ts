import { buy, cancelOffer, counter, delist, offer } from '@ordbook/sdk/index.ts'
import { describe, expect, it } from 'vitest'
import { strand } from '../escrows/support/escrow-market.ts'
import { agreementFor, keyHolder, listAll, setUpMarket, type TestTrader, until } from '../support/market.ts'
import { offering, selling } from '../support/offers.ts'

/** Measures the table of attacks in docs/reference/market-coins.md. */
describe.each([1, 20])('attacks at %i sat/vB', (rate) => {
  const market = setUpMarket({
    ANCHOR_POOL: '120',
    tuning: { anchorSpendDelaySeconds: 0, feeRateFallbackSatVb: rate },
  })

  /** Logs the ledger entries of wallets by purpose. Returns the loss without the cost of making coins. */
  async function measure(attack: string, feeSats: number, wallets: readonly TestTrader[]): Promise<number> {
    const rows = await market.sql<{ purpose: string; sats: number }[]>`
      select purpose, sum(sats)::bigint as sats from market_ledger
      where wallet_binding_id in ${market.sql(wallets.map((wallet) => wallet.walletBindingId))}
      group by purpose order by purpose`
    const booked = rows.map(({ purpose, sats }) => `${purpose} ${sats}`).join(', ')
    console.log(`${rate} sat/vB, ${attack}: fees of the attacker ${feeSats}; ledger: ${booked || 'nothing'}`)
    const used = rows.filter(({ purpose }) => purpose !== 'split')
    return -used.reduce((sum, { sats }) => sum + sats, 0)
  }

  /** Mines until the market has spent the anchors of all ended orders. */
  const spendAnchors = () =>
    until('no anchor of an ended order', async () => {
      await market.mine()
      const [row] = await market.sql<{ count: number }[]>`
        select count(*)::int as count from market_coins where state in ('held', 'retired', 'spending')`
      return row!.count === 0
    })

  it('spends one anchor for any number of counters', async () => {
    const { trader: bidder } = await keyHolder(market)
    const owner = await market.trader()
    const { slug, ids } = await market.collection(owner.wallet, 1)
    const [id] = ids as [string]
    const { items } = await offer(bidder, slug, await offering(market, bidder, [id], 40_000))
    const { offerId } = items[0]!
    let counterId = ''
    for (let n = 0; n < 5; n++)
      counterId = (await counter(owner, offerId, await selling(market, id, 60_000 + 1000 * n))).offerId
    await cancelOffer(owner, { id, offerId: counterId })
    await spendAnchors()
    const lossSats = await measure('five counters, then cancelled', 0, [owner, bidder])
    expect(lossSats).toBeLessThanOrEqual(rate * 169)
  })

  it('spends one anchor for each cancelled listing', async () => {
    const owner = await market.trader()
    const { slug, ids } = await market.collection(owner.wallet, 5)
    await market.anchors(20)
    const listings = await listAll(market, owner, slug, ids, 50_000)
    const ended = [...listings].map(([inscriptionId, listingId]) => ({ inscriptionId, listingId }))
    await delist(owner, slug, ended)
    await spendAnchors()
    const lossSats = await measure('five listings, then cancelled', 0, [owner])
    expect(lossSats).toBeGreaterThan(0)
    expect(lossSats).toBeLessThanOrEqual(rate * 5 * 101)
  })

  it('spends the anchors of replaced settlements', async () => {
    const seller = await market.trader()
    const { trader: attacker, keys } = await keyHolder(market)
    const { slug, ids } = await market.collection(seller.wallet, 5)
    await market.anchors(40)
    await listAll(market, seller, slug, ids, 50_000)
    const { feeSats } = await strand(market, attacker, keys.payment, slug, ids)
    await market.mine()
    await until('the replaced purchase to end', () =>
      agreementFor(market, seller, [ids[0]!]).catch(() => null),
    )
    const lossSats = await measure('a purchase of five, replaced', feeSats, [attacker])
    expect(feeSats).toBeGreaterThan(0)
    expect(lossSats).toBeLessThanOrEqual(5 * 990)
  })

  it('spends nothing for purchases between two blocks', async () => {
    const seller = await market.trader()
    const { slug, ids } = await market.collection(seller.wallet, 3)
    await market.anchors(20)
    await listAll(market, seller, slug, ids, 50_000)
    const buyers: TestTrader[] = []
    for (const id of ids) {
      const buyer = await market.trader()
      buyers.push(buyer)
      await buy(buyer, slug, await agreementFor(market, buyer, [id]))
    }
    await market.mine()
    // Apart from making coins, trades earn.
    expect(await measure('three purchases between two blocks', 0, buyers)).toBeLessThan(0)
  })
})
