import { escrowCoinOf, type ListingTerms } from '@ordbook/bitcoin/trade/listing.ts'
import { unpack } from '@ordbook/db/driver/pack.ts'
import { buy, exitEscrow } from '@ordbook/sdk/index.ts'
import { agreementFor, listAll, type TestTrader, until } from '../support/market.ts'
import { payItself, type Scene, settle, spentBy } from './scene.ts'

export const PRICE = 50_000

export async function listed({ market }: Scene, count: number) {
  const seller = await market.trader()
  const { slug, ids } = await market.collection(seller.wallet, count)
  await market.anchors(2 * count)
  await listAll(market, seller, slug, ids, PRICE)
  return { seller, slug, ids }
}

/** Buys as the attacker and double-spends the payment, so that the transfers confirm without a sale. */
export async function strand(scene: Scene, slug: string, ids: readonly string[]): Promise<void> {
  const { market, attacker } = scene
  const { settlementTxid } = await buy(attacker, slug, await agreementFor(market, attacker, ids))
  await payItself(scene, await spentBy(scene, settlementTxid))
  await settle(scene)
  for (const inscriptionId of ids)
    await until(`${inscriptionId} is for sale again`, async () => {
      const { listings } = await attacker.client.call('listListings', { query: { inscriptionId } })
      return listings.length > 0
    })
}

const termsOf = async ({ market }: Scene, id: string): Promise<ListingTerms> => {
  const [row] = await market.sql<{ terms: Uint8Array }[]>`
    select terms from listings where inscription_id = ${id} order by listed_at desc limit 1`
  return unpack(row!.terms) as unknown as ListingTerms
}

export async function exitOf(scene: Scene, seller: TestTrader, ids: readonly string[], feeRateSatVb: number) {
  const { market } = scene
  const { cosignKey } = await seller.client.call('getMarketKeys')
  const escrows = []
  for (const id of ids) {
    const terms = await termsOf(scene, id)
    const { txid, vout, valueSats } = escrowCoinOf(terms)
    escrows.push({ txid, vout, valueSats, form: terms.escrowForm, cosignKey })
  }
  const coins = await market.regtest.coinsOf(seller.wallet.paymentScript)
  return exitEscrow(seller.wallet, { escrows, coins, feeRateSatVb })
}

export /** An honest buyer's purchase, in a block; gives the buyer. */
async function honest({ market }: Scene, slug: string, ids: readonly string[]): Promise<TestTrader> {
  const buyer = await market.trader()
  await buy(buyer, slug, await agreementFor(market, buyer, ids))
  await market.mine()
  return buyer
}
