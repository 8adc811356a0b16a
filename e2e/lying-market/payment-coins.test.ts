import { txidOf } from '@ordbook/bitcoin/transaction.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { DeceivedUser, WORDS, walletOfWords } from '../support/command.ts'
import { listAll, setUpMarket, setUpTrader } from '../support/market.ts'

const market = setUpMarket()
const seller = setUpTrader(market)
const wallet = walletOfWords(WORDS, 0)
const user = new DeceivedUser()
let inscribed: { txid: string; vout: number; valueSats: number }
let inscribedId: string
let wantedId: string
beforeAll(async () => {
  const { slug, ids } = await market.collection(seller.wallet, 1)
  wantedId = ids[0]!
  await listAll(market, seller, slug, ids, 100_000)
  // The plain coin is too small to pay alone. The larger coin has an inscription.
  await market.regtest.pay([{ valueSats: 61_000, script: wallet.paymentScript }])
  const [id] = await market.regtest.inscribeTogether([
    {
      inscription: { contentType: 'text/plain', body: new TextEncoder().encode('dear') },
      owner: wallet.paymentScript,
      postageSats: 60_000,
    },
  ])
  inscribedId = id!
  await market.mine()
  const { txid, vout, valueSats } = await market.coinOf(inscribedId)
  inscribed = { txid, vout, valueSats }
  await user.does('setup', '--market', market.server.url, '--seed-file', user.file('words', WORDS))
  await user.does('sign-in')
})
afterAll(() => user.end())

const buy = (...more: string[]) =>
  user.run('buy', wantedId, '--max-price', '100_000', '--max-network', '20_000', '--yes', '--json', ...more)

it('does not spend an unproven coin', async () => {
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

it('does not spend a coin with an inscription', async () => {
  for (const coin of [{ ...inscribed, valueSats: 546 }, inscribed]) {
    user.lie({ at: '/coins?', told: [['"coins":[', `"coins":[${JSON.stringify(coin)},`]] })
    const { code, json, stderr } = await buy('--node', market.node.url)
    expect(code).toBe(1)
    expect(json.error.code).toBe('coins-insufficient')
    expect(stderr).toContain(`is not spent: it holds ${inscribedId}`)
  }
  expect(await market.coinOf(inscribedId)).toMatchObject(inscribed)
})

it("does not spend a coin that the user's ord cannot prove", async () => {
  user.lie({ at: '/coins?', told: [['"coins":[', `"coins":[${JSON.stringify(inscribed)},`]] })
  const { json, stderr } = await buy('--ord', market.server.url)
  expect(json.error.code).toBe('coins-insufficient')
  expect(stderr).toContain(`is not spent: it holds ${inscribedId}`)
  const ordDown = await buy('--ord', 'http://127.0.0.1:1')
  expect(ordDown).toMatchObject({ code: 4, json: { error: { code: 'coins-unproven' } } })
  expect(ordDown.stderr).toContain('request to http://127.0.0.1:1 failed')
  expect(await market.coinOf(inscribedId)).toMatchObject(inscribed)
})

it("spends coins proven by the user's ord", async () => {
  const paid = await market.regtest.pay([{ valueSats: 300_000, script: wallet.paymentScript }])
  await market.mine()
  await market.server.sync()
  user.lie({ at: new URL(market.node.url).host, asked: [[txidOf(paid), 'ab'.repeat(32)]] })
  const byNode = await buy('--node', market.node.url, '--dry-run')
  expect(byNode.json.error.code).toBe('coins-insufficient')
  expect(byNode.stderr).toContain('prove it with --ord')
  const byOrd = await buy('--node', market.node.url, '--ord', market.server.url, '--dry-run')
  expect([byOrd.code, byOrd.stderr]).toEqual([0, expect.not.stringContaining('is not spent')])
  expect(byOrd.stdout).toContain(txidOf(paid))
})

it('stores the proofs of spent coins', async () => {
  user.lie()
  await market.regtest.pay([{ valueSats: 500_000, script: wallet.paymentScript }])
  await market.mine()
  await market.server.sync()
  const { code, stderr } = await buy('--node', market.node.url)
  expect([code, stderr]).toEqual([0, expect.any(String)])
  await market.mine()
  expect(await market.coinOf(inscribedId)).toMatchObject(inscribed)
})
