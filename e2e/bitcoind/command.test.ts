import { scriptOfAddress } from '@ordbook/bitcoin/address.ts'
import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import type { LocalWallet } from '@ordbook/sdk/wallet.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { CommandUser } from '../support/command.ts'
import { setUpMarket } from '../support/market.ts'

const market = setUpMarket()
const seller = new CommandUser()
const buyer = new CommandUser()
beforeAll(async () => {
  await market.node.restart('SIGTERM', ['-disablewallet=0'])
  await market.server.sync()
})
afterAll(() => {
  seller.end()
  buyer.end()
})

async function holder(user: CommandUser, name: string): Promise<Uint8Array> {
  await market.regtest.call('createwallet', name)
  const core = `${market.node.url}wallet/${name}`
  const { ordinalsAddress, paymentAddress } = await user.does(
    'setup',
    '--market',
    market.server.url,
    '--core',
    core,
  )
  const paymentScript = scriptOfAddress(paymentAddress, 'regtest')
  await market.regtest.pay([{ valueSats: 2_000_000, script: paymentScript }])
  return scriptOfAddress(ordinalsAddress, 'regtest')
}

it('lists and buys with a Bitcoin Core wallet', async () => {
  const ordinalsScript = await holder(seller, 'seller')
  const buyersScript = await holder(buyer, 'buyer')
  const { slug, ids } = await market.collection({ ordinalsScript } as LocalWallet, 1)
  await seller.does('sign-in')

  await seller.does('list', `${ids[0]}=50_000`)
  await buyer.does('sign-in')
  const { bill } = await buyer.does('buy', ids[0]!, '--dry-run')
  const bought = await buyer.does('buy', ids[0]!, '--max-price', '1btc')
  expect(bought).toMatchObject({ collection: slug, costSats: bill.totalSats })
  await market.mine()
  expect(equalBytes((await market.coinOf(ids[0]!)).script, buyersScript)).toBe(true)
})

it('doctor accepts a Bitcoin Core wallet', async () => {
  await holder(seller, 'patient')
  const { flows } = await seller.does('doctor', 'wallet')
  expect(Object.values(flows)).toEqual(Object.keys(flows).map(() => null))
})
