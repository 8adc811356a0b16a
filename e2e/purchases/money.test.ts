import { bytesToHex, equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import { sumSats } from '@ordbook/bitcoin/sats.ts'
import { decodeTransaction } from '@ordbook/bitcoin/transaction.ts'
import { setCollectionRoyalty } from '@ordbook/market/collections/royalty.ts'
import { buy, CheckFailed, coreSource, OverBudget, sweep, verifyReceipt } from '@ordbook/sdk/index.ts'
import { expect, it } from 'vitest'
import { agreementFor, freshWallet, listAll, setUpMarket } from '../support/market.ts'

const charity = freshWallet()
const creator = freshWallet()
const market = setUpMarket({
  ANCHOR_POOL: '120',
  SELLER_FEE_BPS: '100',
  BUYER_FEE_BPS: '50',
  FEE_MIN_SATS: '700',
  DONATION_NAME: 'Seed vault',
  DONATION_URL: 'https://example.org/seeds',
  DONATION_ADDRESS: charity.paymentAddress,
})

const balanceOf = async (script: Uint8Array) =>
  sumSats((await market.regtest.coinsOf(script)).map((coin) => coin.valueSats))

it('pays seller, market and creators exactly', async () => {
  const seller = await market.trader()
  const buyer = await market.trader('p2tr')
  const { slug, ids } = await market.collection(seller.wallet, 3)
  const royalty = { address: creator.ordinalsAddress, sellerBps: 250, buyerBps: 125 }
  await setCollectionRoyalty(market.server.context, slug, royalty)
  const price = 40_000
  await listAll(market, seller, slug, ids, price, 450)
  const sellerBefore = await balanceOf(seller.wallet.paymentScript)
  const buyerBefore = await balanceOf(buyer.wallet.paymentScript)

  const agreement = { ...(await agreementFor(market, buyer, ids)), maxFeeBps: 300, roundUpDonation: true }
  const preflight = await buyer.client.call('preflightPurchase', {
    params: { slug },
    body: {
      walletBindingId: buyer.walletBindingId,
      paymentPublicKey: buyer.wallet.paymentPublicKey,
      listings: agreement.items.map(({ listingId, inscriptionId }) => ({ listingId, inscriptionId })),
      spendableUtxos: agreement.coins.map(({ txid, vout, valueSats }) => ({ txid, vout, valueSats })),
    },
  })
  // At 40,000 sats the minimum fee of 700 exceeds both rates. The royalties are 1000 and 500.
  expect(preflight.listings[0]).toMatchObject({
    sellerReceiveSats: 40_000 - 700 - 1000,
    buyerFeeSats: 700,
    sellerCreatorRoyaltySats: 1000,
    buyerCreatorRoyaltySats: 500,
    buyerPayTotalSats: 40_000 + 700 + 500,
    marketplaceRevenueSats: 1400,
    creatorRevenueSats: 1500,
  })
  expect(preflight).toMatchObject({
    donationSats: 0,
    donationInitiative: { name: 'Seed vault', url: 'https://example.org/seeds' },
  })

  const bought = await buy(buyer, slug, agreement)
  await market.mine()
  expect(bought.costSats % 1000).toBe(0)
  expect(buyerBefore - (await balanceOf(buyer.wallet.paymentScript))).toBe(bought.costSats)
  expect((await balanceOf(seller.wallet.paymentScript)) - sellerBefore).toBe(3 * (38_300 + 10_000))
  expect(await market.regtest.coinsOf(creator.ordinalsScript)).toMatchObject([{ valueSats: 4500 }])
  const [donation, ...others] = await market.regtest.coinsOf(charity.paymentScript)
  expect(others).toHaveLength(0)
  expect(donation!.valueSats).toBeGreaterThanOrEqual(1000)
  expect(donation!.valueSats).toBeLessThan(2000)
  const receipt = await buyer.client.call('getReceipt', { params: { txid: bought.settlementTxid } })
  const { facts } = await verifyReceipt(receipt, coreSource(market.node.url), bought.settlementTxid)
  expect(facts.marketRevenueSats).toBe(3 * 1400)
  expect(facts.otherOutputs).toEqual([
    { script: bytesToHex(creator.ordinalsScript), valueSats: 4500 },
    { script: bytesToHex(charity.paymentScript), valueSats: donation!.valueSats },
  ])
})

it('charges no royalty below the dust limit', async () => {
  const seller = await market.trader()
  const buyer = await market.trader()
  const { slug, ids } = await market.collection(seller.wallet, 1)
  const royalty = { address: creator.paymentAddress, sellerBps: 100, buyerBps: 0 }
  await setCollectionRoyalty(market.server.context, slug, royalty)
  await listAll(market, seller, slug, ids, 10_000, 800)
  const agreement = { ...(await agreementFor(market, buyer, ids)), maxFeeBps: 600 }
  // The market's minimum fee exceeds 600 bps of the price.
  await expect(buy(buyer, slug, agreement)).rejects.toThrow(
    'fees of 700 sats exceed the agreed maximum of 600',
  )
  const { settlementTxid } = await buy(buyer, slug, { ...agreement, maxFeeSats: 700 })
  const { hex } = await market.regtest.call<{ hex: string }>('getrawtransaction', settlementTxid, true)
  const { outputs } = decodeTransaction(hex)
  expect(outputs.some((output) => equalBytes(output.script, creator.paymentScript))).toBe(false)
  await market.mine()
})

it('reports how many sats a buyer lacks', async () => {
  const seller = await market.trader()
  const buyer = await market.trader('p2wpkh', 120_000)
  const { slug, ids } = await market.collection(seller.wallet, 1)
  await listAll(market, seller, slug, ids, 200_000, 100)
  await expect(buy(buyer, slug, await agreementFor(market, buyer, ids))).rejects.toThrow(
    /needs 9\d,\d{3} more sats/,
  )
})

it('sweeps the cheapest listings within a budget', async () => {
  const seller = await market.trader()
  const buyer = await market.trader()
  const { slug, ids } = await market.collection(seller.wallet, 5)
  await market.anchors(12)
  for (const [i, id] of ids.entries()) await listAll(market, seller, slug, [id], 60_000 + i * 10_000, 200)
  const coins = await market.regtest.coinsOf(buyer.wallet.paymentScript)
  const terms = { coins, maxFeeBps: 200, maxNetworkSats: 20_000 }
  // The first three cost 210,000 sats, plus postage and fees.
  const swept = await sweep(buyer, slug, { ...terms, count: 4, budgetSats: 220_000 })
  expect(swept.listings.map((listing) => listing.inscriptionId)).toEqual(ids.slice(0, 2))
  expect(swept.costSats).toBeLessThanOrEqual(220_000)
  await market.mine()
  for (const id of ids.slice(0, 2)) expect((await market.coinOf(id)).txid).toBe(swept.settlementTxid)
  await expect(sweep(buyer, slug, { ...terms, count: 1, budgetSats: 81_000 })).rejects.toThrow(OverBudget)
  await expect(sweep(buyer, slug, { ...terms, count: 1, budgetSats: 50_000 })).rejects.toThrow(
    /do not cover the cheapest/,
  )
  await expect(sweep(buyer, 'test-nothing', { ...terms, count: 1, budgetSats: 1 })).rejects.toThrow(
    CheckFailed,
  )
})

it('never pays with an inscription or a rare sat', async () => {
  const seller = await market.trader()
  const buyer = await market.trader('p2tr')
  const { slug, ids } = await market.collection(seller.wallet, 1)
  const [inscribed] = await market.regtest.inscribe([
    {
      inscription: { contentType: 'text/plain', body: new Uint8Array(3) },
      owner: buyer.wallet.paymentScript,
      postageSats: 3_000_000,
    },
  ])
  await listAll(market, seller, slug, ids, 100_000, 100)
  // The buyer's coinbase output contains the first sat of its block, which is rare.
  await market.regtest.call('generatetoaddress', 1, buyer.wallet.paymentAddress)
  await market.mine(100)
  const coins = await market.regtest.coinsOf(buyer.wallet.paymentScript)
  const [rare, ...more] = await market.sql<{ txid: string; vout: number }[]>`
    select txid, vout from rare_sats where (txid || ':' || vout) = any(${coins.map(formatOutpoint)})`
  expect(more).toHaveLength(0)
  const bare = coins.filter((coin) => coin.txid === rare!.txid || inscribed!.startsWith(coin.txid))
  expect(bare).toHaveLength(2)
  const agreement = await agreementFor(market, buyer, ids)
  await expect(buy(buyer, slug, { ...agreement, coins: bare })).rejects.toThrow(
    /2 coins were skipped: 1 contains a rare sat, 1 contains an inscription\)/,
  )
  // Both are larger than the other coins, but the purchase is paid with the others.
  const bought = await buy(buyer, slug, { ...agreement, coins })
  await market.mine()
  const remainingCoins = await market.regtest.coinsOf(buyer.wallet.paymentScript)
  for (const coin of bare)
    expect(remainingCoins).toContainEqual(expect.objectContaining({ txid: coin.txid, vout: coin.vout }))
  expect((await market.coinOf(ids[0]!)).txid).toBe(bought.settlementTxid)
})
