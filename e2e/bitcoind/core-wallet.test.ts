import { scriptOfAddress } from '@ordbook/bitcoin/address.ts'
import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { callRpc } from '@ordbook/devnet/regtest.ts'
import { buy, type LocalWallet } from '@ordbook/sdk'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { agreementFor, setUpMarket } from '../support/market.ts'
import { Program } from '../support/programs.ts'

const market = setUpMarket({}, 'bitcoind')
let program: Program | undefined
beforeAll(async () => {
  await market.node.restart('SIGTERM', ['-disablewallet=0'])
  await market.server.sync()
})
afterAll(() => program?.kill())

it.each(['bech32', 'p2sh-segwit', 'bech32m'])('lists and sells with a %s payment address', async (kind) => {
  await market.regtest.call('createwallet', kind)
  const call = <T>(method: string, ...params: unknown[]) =>
    callRpc<T>(`${market.node.url}wallet/${kind}`, method, ...params)
  const ordinals = await call<string>('getnewaddress', '', 'bech32m')
  const payment = await call<string>('getnewaddress', '', kind)
  await market.regtest.pay([{ valueSats: 1_000_000, script: scriptOfAddress(payment, 'regtest') }])
  const ordinalsScript = scriptOfAddress(ordinals, 'regtest')
  const { slug, ids } = await market.collection({ ordinalsScript } as LocalWallet, 1)
  await market.anchors(4)

  program = new Program(market, 'list-from-core.ts', [slug, ids[0]!, '250000'], {
    CORE_WALLET: kind,
    ORDINALS_ADDRESS: ordinals,
    PAYMENT_ADDRESS: payment,
  })
  expect(await program.end()).toBe(0)
  const buyer = await market.trader()
  const { listings } = await buyer.client.call('listListings', { query: { inscriptionId: ids[0]! } })
  expect(listings).toMatchObject([{ sellerAddress: ordinals, priceSats: 250_000 }])
  await buy(buyer, slug, await agreementFor(market, buyer, ids))
  await market.mine()
  expect(equalBytes((await market.coinOf(ids[0]!)).script, buyer.wallet.ordinalsScript)).toBe(true)
})
