import { freePort } from '@ordbook/db/process/free-port.ts'
import {
  acceptProposal,
  bid,
  counter,
  offer,
  prepareAcceptance,
  prepareCounterAcceptance,
  prepareFill,
  prepareSettlement,
  propose,
} from '@ordbook/sdk/index.ts'
import { beforeAll, expect, it } from 'vitest'
import { assertClean, recovered, startDoomed } from '../purchases/support/doomed.ts'
import { sampled } from '../support/effort.ts'
import { setUpMarket, setUpTrader, until } from '../support/market.ts'
import { coinsOf, countered, offering, selling } from '../support/offers.ts'
import { traderAtStorefront } from '../support/storefront.ts'

/** Tests every STRIDE-th moment, starting at a random one. */
const STRIDE = sampled(97, 4, 193)
const FIRST = 1 + Math.floor(Math.random() * STRIDE)
const MOST = Math.ceil(800 / STRIDE)

/** Crashes during the acceptance of an offer or counter, a fill and a swap. The trade must be either settled or without effect. */
const port = await freePort()
const market = setUpMarket({ PORT: String(port), ANCHOR_POOL: '300' })
const seller = setUpTrader(market)
const buyer = setUpTrader(market, 'p2wpkh', 100_000_000)
beforeAll(async () => {
  await market.anchors(3 * MOST)
})

interface Prepared {
  settlementTxid: string
  submit: () => Promise<{ settlementTxid: string }>
}

async function offered(slug: string, id: string, priceSats: number): Promise<string> {
  return (await offer(buyer, slug, await offering(market, buyer, [id], priceSats))).items[0]!.offerId
}

const flows: Record<string, (slug: string, id: string) => Promise<Prepared>> = {
  async acceptance(slug, id) {
    const offerId = await offered(slug, id, 20_000)
    const { body } = await prepareAcceptance(seller, offerId, await selling(market, id, 20_000))
    const submit = () => seller.client.call('submitOfferAcceptance', { params: { id, offerId }, body })
    return { settlementTxid: body.expectedSettlementTxid, submit }
  },
  async 'acceptance of a counter'(slug, id) {
    const parent = await offered(slug, id, 20_000)
    const { offerId } = await counter(seller, parent, await selling(market, id, 25_000))
    const { body } = await prepareCounterAcceptance(
      buyer,
      offerId,
      await countered(market, buyer, id, 25_000),
    )
    const submit = () => buyer.client.call('submitCounterOfferAcceptance', { params: { id, offerId }, body })
    return { settlementTxid: body.expectedSettlementTxid, submit }
  },
  async fill(slug, id) {
    const coins = await coinsOf(market, buyer)
    const created = await bid(buyer, slug, { target: { kind: 'all' }, priceSats: 20_000, coins })
    const { offerId } = created.offers[0]!
    const { body } = await prepareFill(seller, slug, offerId, await selling(market, id, 20_000, 250))
    const submit = () => seller.client.call('submitCollectionOfferFill', { params: { slug, offerId }, body })
    return { settlementTxid: body.expectedSettlementTxid, submit }
  },
  async swap(_, id) {
    const { origin } = new URL(market.base)
    const proposer = await traderAtStorefront(origin, seller.wallet)
    const acceptor = await traderAtStorefront(origin, buyer.wallet)
    const proposal = await propose(proposer, {
      visibility: 'private',
      offeredInscriptionIds: [id],
      offeredBtcSats: 0,
      wantedLegs: [],
      requestedBtcSats: 20_000,
    })
    const item = { inscriptionId: id, coin: await market.coinOf(id) }
    const { acceptanceId } = await acceptProposal(acceptor, proposal.id, [], {
      gives: [],
      gets: [item],
      netSats: -20_000,
      coins: await coinsOf(market, buyer),
      maxMarketSats: 20_000,
      maxNetworkSats: 20_000,
    })
    const { body } = await prepareSettlement(proposer, acceptanceId, {
      gives: [item],
      gets: [],
      netSats: 20_000,
      coins: [],
    })
    const { expectedSettlementTxid: settlementTxid } = body
    const submit = async () => {
      await proposer.client.call('submitSettlement', { params: { acceptanceId }, body })
      return { settlementTxid }
    }
    return { settlementTxid, submit }
  },
}

let first = true
for (const [name, prepare] of Object.entries(flows))
  it(`settles or drops after a crash at any step: ${name}`, async () => {
    const make = () => market.collection(seller.wallet, MOST)
    const { slug, ids } = first ? await make() : await recovered(market, port, make)
    if (first) await market.server.close()
    first = false
    const outcomes = { settled: 0, absent: 0 }
    let moment = FIRST
    for (; ; moment += STRIDE) {
      const id = ids.pop()
      if (!id) throw new Error(`the submit has more than ${MOST * STRIDE} moments`)
      const doomed = startDoomed(market, port, {
        ROLES: 'api',
        CRASH_AT: String(moment),
        CRASH_FROM: 'signal',
      })
      await doomed.ready()
      const { settlementTxid, submit } = await prepare(slug, id)
      doomed.child.kill('SIGUSR2')
      const answered = await submit().catch(() => null)
      if (answered) doomed.child.kill('SIGTERM')
      await doomed.ended

      await recovered(market, port, async () => {
        const state = await until('the trade to be resolved', async () => {
          const [row] = await market.sql<{ state: string }[]>`
            select state from settlements where settlement_txid = ${settlementTxid}`
          return row?.state !== 'intended' && (row?.state ?? 'absent')
        })
        const mempool = await market.regtest.call<string[]>('getrawmempool')
        if (state === 'absent') expect(mempool).not.toContain(settlementTxid)
        else expect(mempool).toContain(settlementTxid)
        outcomes[state === 'absent' ? 'absent' : 'settled']++
        expect((await submit()).settlementTxid).toBe(settlementTxid)
        await market.mine()
        expect(await market.coinOf(id)).toMatchObject({
          txid: settlementTxid,
          script: buyer.wallet.ordinalsScript,
        })
        // A swap has no price, so it is not recorded as a sale.
        const sales = await market.sql`select 1 from sales where inscription_id = ${id}`
        expect(sales).toHaveLength(name === 'swap' ? 0 : 1)
        await assertClean(market)
      })
      if (answered) break
    }
    console.log(
      `${market.node.kind} ${name}: ${moment} moments, every ${STRIDE}th: ${JSON.stringify(outcomes)}`,
    )
    expect(outcomes.settled).toBeGreaterThan(0)
    expect(outcomes.absent).toBeGreaterThan(0)
  })

it('leaves the market consistent', () => recovered(market, port, async () => assertClean(market)))
