import { txidOf } from '@ordbook/bitcoin/transaction.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { DeceivedUser, WORDS, walletOfWords } from '../support/command.ts'
import { listAll, setUpMarket, setUpTrader } from '../support/market.ts'

/** A market that calls a coin with an inscription plain gets neither by the command. */
const market = setUpMarket()
const seller = setUpTrader(market)
const wallet = walletOfWords(WORDS, 0)
const user = new DeceivedUser()
let inscribed: { txid: string; vout: number; valueSats: number }
let held: string
let wanted: string
beforeAll(async () => {
  const { slug, ids } = await market.collection(seller.wallet, 1)
  wanted = ids[0]!
  await listAll(market, seller, slug, ids, 100_000)
  // The payment address holds a plain coin that does not pay alone, and an inscription in a coin that would help.
  await market.regtest.pay([{ valueSats: 61_000, script: wallet.paymentScript }])
  const [id] = await market.regtest.inscribeTogether([
    {
      inscription: { contentType: 'text/plain', body: new TextEncoder().encode('dear') },
      owner: wallet.paymentScript,
      postageSats: 60_000,
    },
  ])
  held = id!
  await market.mine()
  const { txid, vout, valueSats } = await market.coinOf(held)
  inscribed = { txid, vout, valueSats }
  await user.does('setup', '--market', market.server.url, '--seed-file', user.file('words', WORDS))
  await user.does('sign-in')
})
afterAll(() => user.end())

const buy = (...more: string[]) =>
  user.run('buy', wanted, '--max-price', '100_000', '--max-network', '20_000', '--yes', '--json', ...more)

it('spends no coin that only the market calls plain', async () => {
  expect(await buy()).toMatchObject({
    code: 4,
    json: {
      error: {
        code: 'coins-unproven',
        message: expect.stringMatching(/--node URL.*--ord URL.*--spend TXID:N/),
      },
    },
  })
  expect(await buy('--spend', `${'ab'.repeat(32)}:0`)).toMatchObject({
    json: { error: { code: 'no-such-coin' } },
  })
})

it('spends no coin that holds an inscription', async () => {
  for (const coin of [{ ...inscribed, valueSats: 546 }, inscribed]) {
    user.lie({ at: '/coins?', told: [['"coins":[', `"coins":[${JSON.stringify(coin)},`]] })
    const { code, json, stderr } = await buy('--node', market.node.url)
    expect(code).toBe(1)
    expect(json.error.code).toBe('coins-insufficient')
    expect(stderr).toContain(`is not spent: it holds ${held}`)
  }
  expect(await market.coinOf(held)).toMatchObject(inscribed)
})

it('spends no coin that the user’s ord does not prove plain, or while ord is down', async () => {
  user.lie({ at: '/coins?', told: [['"coins":[', `"coins":[${JSON.stringify(inscribed)},`]] })
  const { json, stderr } = await buy('--ord', market.server.url)
  expect(json.error.code).toBe('coins-insufficient')
  expect(stderr).toContain(`is not spent: it holds ${held}`)
  const away = await buy('--ord', 'http://127.0.0.1:1')
  expect(away).toMatchObject({ code: 4, json: { error: { code: 'coins-unproven' } } })
  expect(away.stderr).toContain('http://127.0.0.1:1 cannot be asked')
  expect(await market.coinOf(held)).toMatchObject(inscribed)
})

it('pays with coins proven by the user’s ord if the node cannot prove them', async () => {
  const paid = await market.regtest.pay([{ valueSats: 300_000, script: wallet.paymentScript }])
  await market.mine()
  await market.server.sync()
  user.lie({ at: new URL(market.node.url).host, asked: [[txidOf(paid), 'ab'.repeat(32)]] })
  const byNode = await buy('--node', market.node.url, '--dry-run')
  expect(byNode.json.error.code).toBe('coins-insufficient')
  expect(byNode.stderr).toContain('--ord proves it')
  const byOrd = await buy('--node', market.node.url, '--ord', market.server.url, '--dry-run')
  expect([byOrd.code, byOrd.stderr]).toEqual([0, expect.not.stringContaining('is not spent')])
  expect(byOrd.stdout).toContain(txidOf(paid))
})

it('pays with proven coins, and remembers them', async () => {
  user.lie()
  await market.regtest.pay([{ valueSats: 500_000, script: wallet.paymentScript }])
  await market.mine()
  await market.server.sync()
  const { code, stderr } = await buy('--node', market.node.url)
  expect([code, stderr]).toEqual([0, expect.any(String)])
  await market.mine()
  expect(await market.coinOf(held)).toMatchObject(inscribed)
})
