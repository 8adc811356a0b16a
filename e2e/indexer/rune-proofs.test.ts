import { buildInscribe, buildPayment, taprootScriptOf } from '@ordbook/bitcoin/inscribe.ts'
import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { Coin } from '@ordbook/bitcoin/trade/layout.ts'
import { hexOfTransaction, type TxOutput, txidOf } from '@ordbook/bitcoin/transaction.ts'
import { listProven } from '@ordbook/indexer/coins/rune-proofs.ts'
import { CoreSource } from '@ordbook/indexer/node/core.ts'
import { Ord } from '@ordbook/indexer/ord/ord.ts'
import { buy } from '@ordbook/sdk/index.ts'
import { expect, it } from 'vitest'
import { agreementFor, importAs, keyHolder, listAll, setUpMarket } from '../support/market.ts'
import { type OrdServer, startOrd } from './support/ord-server.ts'
import { Dice } from './support/random-chain.ts'
import { etch, RuneLedger } from './support/runes.ts'

/** A market without an ord server that pays only with coins that the node proves to have no runes. */
const market = setUpMarket({ ALLOW_RUNE_LOSS: 'no' })
const KEY = new Uint8Array(32).fill(9)
const owner = taprootScriptOf(KEY)
const seed = Number(process.env.ORDBOOK_SEED ?? Math.floor(Math.random() * 1e9))

async function send(coins: readonly Coin[], outputs: readonly TxOutput[]): Promise<Coin[]> {
  const tx = buildPayment(coins, outputs, { privateKey: KEY, feeRateSatVb: 2 })
  await market.regtest.call('sendrawtransaction', hexOfTransaction(tx))
  return outputs.map((output, vout) => ({ txid: txidOf(tx), vout, ...output }))
}

it(`proves no coin that has runes, and most of the others (ORDBOOK_SEED=${seed})`, async () => {
  const dice = new Dice(seed)
  const coins: Coin[] = []
  const ord = process.env.ORDBOOK_TEST_ORD ? await startOrd(market) : null
  for (let n = 0; n < (ord ? 60 : 6); n++)
    coins.push(await etch(market.regtest, owner, { valueSats: 100_000, premine: 1000 }))
  for (let n = 0; n < (ord ? 240 : 30); n++) coins.push(await market.regtest.fund(owner, 100_000))
  await market.mine()
  while (coins.length < (ord ? 500 : 60)) {
    for (let n = 0; n < 8; n++) {
      const spent = [coins.splice(dice.roll(coins.length), 1)[0]!]
      if (dice.chance(30)) spent.push(coins.splice(dice.roll(coins.length), 1)[0]!)
      const sats = spent.reduce((sum, { valueSats }) => sum + valueSats, 0) - 2000
      const count = 1 + dice.roll(4)
      const each = Math.floor(sats / count)
      if (each < 1000) {
        coins.push(...spent)
        continue
      }
      const outputs = Array.from({ length: count }, () => ({ valueSats: each, script: owner }))
      coins.push(...(await send(spent, outputs)))
    }
    await market.mine()
  }
  const node = new CoreSource(market.node.url)
  const proven = await listProven({ node, config: { chain: 'regtest' } }, coins)
  const withRunes = ord ? await runicAt(ord, coins) : await runicOf(coins)
  await ord?.stop()
  const plain = coins.length - withRunes.size
  console.log(`${withRunes.size} coins with runes; ${proven.size} of ${plain} without are proven`)
  expect(withRunes.size).toBeGreaterThan(0)
  expect([...proven].filter((key) => withRunes.has(key))).toEqual([])
  expect(proven.size).toBeGreaterThanOrEqual((ord ? 0.95 : 0.8) * plain)
}, 300_000)

async function runicOf(coins: readonly Coin[]): Promise<Set<string>> {
  const ledger = new RuneLedger(market.regtest)
  const found = new Set<string>()
  for (const key of coins.map(formatOutpoint))
    if (Object.keys(await ledger.at(key)).length > 0) found.add(key)
  return found
}

async function runicAt(ord: OrdServer, coins: readonly Coin[]): Promise<Set<string>> {
  await ord.sync()
  const outputs = await new Ord(ord.url).outputs(coins)
  expect(outputs.length).toBe(coins.length)
  return new Set(
    outputs.filter(({ runes }) => Object.keys(runes!).length > 0).map(({ outpoint }) => outpoint),
  )
}

it('pays with proven coins only', async () => {
  const [{ trader: buyer }, seller] = [await keyHolder(market), await market.trader()]
  const { slug, ids } = await market.collection(seller.wallet, 1)
  await listAll(market, seller, slug, ids, 50_000)
  const rune = await etch(market.regtest, buyer.wallet.paymentScript, { valueSats: 400_000, premine: 7 })
  await market.mine()
  await market.server.sync()
  const agreement = await agreementFor(market, buyer, ids)
  const offered = { ...agreement, coins: [rune] }
  await expect(buy(buyer, slug, offered)).rejects.toThrow(/1 may contain runes/)
  const { settlementTxid } = await buy(buyer, slug, agreement)
  const { inputs } = (await market.server.context.node.transaction(settlementTxid))!
  expect(inputs.map(formatOutpoint)).not.toContain(formatOutpoint(rune))
})

it('says before a listing whether its coin may have runes', async () => {
  const seller = await market.trader()
  const { ids: plain } = await market.collection(seller.wallet, 1)
  const rune = await etch(market.regtest, owner, { valueSats: 100_000, premine: 7 })
  const { commit, reveal } = buildInscribe(
    rune,
    [{ contentType: 'text/plain', body: new TextEncoder().encode('inscribed with runes') }],
    {
      privateKey: KEY,
      outputs: [{ valueSats: 10_000, script: seller.wallet.ordinalsScript }],
      feeRateSatVb: 2,
    },
  )
  await market.regtest.mineOnce([commit, reveal])
  const ids = [...plain, `${txidOf(reveal)}i0`]
  await importAs(market, 'possible-runes', ids)
  const { listings, carries } = await seller.client.call('preflightListing', {
    params: { slug: 'possible-runes' },
    body: {
      walletBindingId: seller.walletBindingId,
      ordinalsPublicKey: seller.wallet.ordinalsPublicKey,
      items: ids.map((inscriptionId) => ({ inscriptionId, priceSats: 50_000 })),
    },
  })
  expect(listings.map(({ inscriptionId }) => inscriptionId)).toEqual(ids)
  expect(carries).toEqual([{ inscriptionId: ids[1], kind: 'unproven', name: 'runes' }])
})
