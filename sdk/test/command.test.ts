import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { CommandUser } from '../../e2e/support/command.ts'
import { setUpMarket } from '../../e2e/support/market.ts'
import { keysOfSeed } from '../src/hd-wallet.ts'
import { LocalWallet } from '../src/wallet.ts'

/** Tests the `ordbook` command installed from its tarball on each Node version. */
const runtimes = join(process.env.ORDBOOK_TEST_RUNTIMES!, 'node_modules')
const installed = join(process.env.ORDBOOK_TEST_PACKAGES!, 'consumer/node_modules/.bin/ordbook')
const SEED = '0123456789abcdef'.repeat(4)

const market = setUpMarket()
const items: string[] = []
const wallet = new LocalWallet(keysOfSeed(Buffer.from(SEED, 'hex'), { account: 0, network: 'regtest' }), {
  network: 'regtest',
  paymentKind: 'p2wpkh',
})
beforeAll(async () => {
  items.push(...(await market.collection(wallet, 3)).ids)
})

it.each([
  ['20', join(runtimes, 'node-20/bin/node')],
  ['22', join(runtimes, 'node-22/bin/node')],
  ['24', process.execPath],
])('lists an inscription on Node %s', async (_, node) => {
  const user = new CommandUser([node, installed])
  try {
    const inscriptionId = items.pop()!
    await user.does('setup', '--market', market.server.url, '--seed-file', user.file('seed', SEED))
    const dry = await user.run('list', `${inscriptionId}=50000`, '--dry-run', '--json')
    expect(dry).toMatchObject({ code: 7, json: { error: { code: 'not-signed-in' } } })
    const { listings } = await user.does('list', `${inscriptionId}=50000`)
    expect(listings).toMatchObject([{ inscriptionId }])
    const { holdings } = await user.does('portfolio')
    expect(holdings).toContainEqual(expect.objectContaining({ inscriptionId, priceSats: 50_000 }))
  } finally {
    user.end()
  }
})
