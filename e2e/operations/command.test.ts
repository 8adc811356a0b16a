import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import { decodeTransaction } from '@ordbook/bitcoin/transaction.ts'
import type { LocalWallet } from '@ordbook/sdk/wallet.ts'
import { HDKey } from '@scure/bip32'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { seedOf } from '../../cli/src/keys/hd.ts'
import { CommandUser, signElsewhere, WORDS, walletOfWords } from '../support/command.ts'
import { setUpMarket, signedPackage } from '../support/market.ts'

const TEST_VERSIONS = { private: 0x04358394, public: 0x043587cf }
const market = setUpMarket()
let slug: string
let ids: string[]
const seller = new CommandUser()
const buyer = new CommandUser()
const wallets = { seller: walletOfWords(WORDS, 0), buyer: walletOfWords(WORDS, 1) }

beforeAll(async () => {
  for (const { paymentScript } of Object.values(wallets))
    for (let n = 0; n < 2; n++) await market.regtest.pay([{ valueSats: 5_000_000, script: paymentScript }])
  ;({ slug, ids } = await market.collection(wallets.seller, 4))
  for (const [account, user] of [seller, buyer].entries()) await user.setUp(market, account)
})
afterAll(() => {
  seller.end()
  buyer.end()
})

/** Mines a block, and asserts that the wallet owns the inscription on the chain. */
async function arrived(id: string, { ordinalsScript }: LocalWallet): Promise<void> {
  await market.mine()
  expect(equalBytes((await market.coinOf(id)).script, ordinalsScript)).toBe(true)
}

it('stores the session in a private file', async () => {
  const dry = await buyer.run('sign-in', '--dry-run', '--json')
  expect(dry.json).toMatchObject({ dryRun: true, message: expect.stringContaining('Address: ') })
  const listing = await buyer.run('list', `${ids[0]}=1`, '--dry-run', '--json')
  expect(listing).toMatchObject({ code: 7, json: { error: { code: 'not-signed-in' } } })

  const { ordinalsAddress, paymentAddress } = wallets.buyer
  expect(await buyer.does('sign-in')).toMatchObject({ ordinalsAddress, paymentAddress })
  const [, ...addresses] = (await buyer.run('sign-in')).stdout.trimEnd().split('\n')
  expect(addresses).toEqual([`inscriptions at ${ordinalsAddress}, payments at ${paymentAddress}`])
  const folder = join(buyer.folder, 'state/ordbook')
  for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
})

it('buys for the total of its dry run', async () => {
  await seller.does('sign-in')
  const [first, second] = ids as [string, string]
  const dry = await seller.does('list', `${first}=0.001btc`, '--dry-run')
  expect(dry.transactions).toHaveLength(3)
  expect((await buyer.does('browse', slug, '--listed')).items).toEqual([])

  const { listings } = await seller.does('list', `${first}=0.001btc`, '--days', '7')
  expect(listings).toMatchObject([{ inscriptionId: first }])
  const cheap = ['list', `${second}=10_000`]
  expect(await seller.run(...cheap, '--json')).toMatchObject({
    code: 4,
    json: { error: { code: 'price-unusual', message: expect.stringContaining('10 % of the floor') } },
  })
  await seller.does(...cheap, '--yes')

  expect(await buyer.run('buy', first, '--max-total', '100_001', '--json', '--yes')).toMatchObject({
    code: 6,
    json: { error: { code: 'check-failed' } },
  })
  expect((await buyer.run('buy', second, '--yes')).code).toBe(2)
  expect(await buyer.run('buy', second, '--max-price', '9_999', '--yes', '--json')).toMatchObject({
    code: 4,
    json: { error: { code: 'above-max-price' } },
  })
  const { bill, doubts } = await buyer.does('buy', second, '--max-price', '10_000', '--dry-run')
  expect(doubts).toEqual([])
  expect(bill).toMatchObject({
    priceSats: 10_000,
    postageSats: 10_000,
    arrivesAt: wallets.buyer.ordinalsAddress,
  })
  expect(bill.totalSats).toBe(bill.priceSats + bill.feesSats + bill.networkSats + bill.postageSats)
  const bought = await buyer.does('buy', second, '--max-price', '10_000')
  expect(bought).toMatchObject({ costSats: bill.totalSats })
  await arrived(second, wallets.buyer)

  const receipt = await buyer.does('verify', bought.settlementTxid)
  expect(receipt).toMatchObject({ confirmations: 1, receipt: { facts: { costSats: bill.totalSats } } })
  await seller.does('delist', first)
  expect((await buyer.does('browse', slug, '--listed')).items).toEqual([])
})

it('sells to the best offer', async () => {
  const [, , third] = ids as [string, string, string]
  const { items } = await buyer.does('bid', third, '--price', '20_000', '--hours', '24', '--yes')
  const words = ['bid', '--collection', slug, '--price', '30_000', '--yes', '--eligible']
  const fewer = await buyer.run(...words, buyer.file('fewer', ids.slice(1).join('\n')), '--json')
  expect(fewer.code).not.toBe(0)
  expect(fewer.json.error.message).toContain("the market's eligible set differs from yours")
  const { offers } = await buyer.does(...words, buyer.file('eligible', ids.join('\n')))
  expect(offers).toHaveLength(1)
  expect(await seller.run('fill', third, '--least', '30_000', '--json')).toMatchObject({
    code: 4,
    json: { error: { code: 'below-least' } },
  })
  const sold = await seller.does('fill', third)
  expect(sold).toMatchObject({ priceSats: 30_000, payoutSats: expect.any(Number) })
  await arrived(third, wallets.buyer)
  expect(items).toHaveLength(1)
})

it("shows a wallet's holdings and cancels offers", async () => {
  const created = await seller.does('bid', ids[1]!, '--price', '15_000', '--yes')
  const before = await seller.does('portfolio')
  expect(before.holdings.map((holding: any) => holding.inscriptionId)).toEqual(
    expect.arrayContaining([ids[0], ids[3]]),
  )
  expect(before.offers).toMatchObject([{ id: created.items[0].offerId, status: 'active' }])
  await seller.does('bid', '--cancel', created.items[0].offerId)
  expect((await seller.does('portfolio')).offers).toEqual([])
})

it('swaps an inscription for another one and sats', async () => {
  const gives = ids[3]!
  const wantedId = ids[2]!
  const proposal = await seller.does(
    'swap',
    'propose',
    '--give',
    gives,
    '--want',
    wantedId,
    '--want-sats',
    '5_000',
  )
  const terms = ['--get', gives, '--pay-sats', '5_000']
  const accepted = await buyer.does('swap', 'accept', proposal.id, '--with', wantedId, ...terms)
  const { acceptances } = await seller.does('swap', 'show')
  expect(acceptances).toMatchObject([{ acceptanceId: accepted.acceptanceId, state: 'active' }])
  await seller.does('swap', 'settle', accepted.acceptanceId)
  await arrived(gives, wallets.buyer)
  await arrived(wantedId, wallets.seller)

  // The server stores events, so a later stream can still print them.
  const { stdout } = await buyer.run('watch', slug, '--since', '0-0', '--count', '2', '--json')
  const printed = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(printed).toHaveLength(2)
  expect(printed[0]).toMatchObject({ id: expect.any(String), kind: expect.any(String) })
})

it('withdraws inscriptions from escrow', async () => {
  const collection = await market.collection(wallets.seller, 2)
  const [alone, together] = collection.ids as [string, string]
  await market.anchors(4)
  await seller.does('list', `${alone}=50_000`, `${together}=50_000`, '--yes')
  // Mine the transfers of a purchase without its settlement.
  const { signed } = await signedPackage(market, await market.trader(), collection.slug, collection.ids)
  await market.regtest.mineExactly(signed.slice(0, 2).map(({ hex }) => decodeTransaction(hex)))
  await market.server.sync()
  const isHome = async (id: string) =>
    equalBytes((await market.coinOf(id)).script, wallets.seller.ordinalsScript)
  expect([await isHome(alone), await isHome(together)]).toEqual([false, false])

  const at = formatOutpoint(await market.coinOf(alone))
  const [coin] = await market.regtest.coinsOf(wallets.seller.paymentScript)
  const exit = ['exit', at, '--coin', formatOutpoint(coin!), '--fee-rate', '3', '--send']
  expect((await seller.does(...exit, '--dry-run')).transactions).toHaveLength(1)
  const { txid, transaction, feeSats, changeSats } = await seller.does(...exit)
  const sent = decodeTransaction(transaction)
  expect(await market.regtest.call('getrawmempool')).toContain(txid)
  expect(sent.outputs).toEqual([
    { valueSats: (await market.coinOf(alone)).valueSats, script: wallets.seller.ordinalsScript },
    { valueSats: changeSats, script: wallets.seller.paymentScript },
  ])
  expect(changeSats).toBe(coin!.valueSats - feeSats)
  await arrived(alone, wallets.seller)

  expect(await seller.run('exit', alone, '--with-market', '--json')).toMatchObject({
    json: { error: { code: 'not-in-escrow' } },
  })
  await seller.does('exit', together, '--with-market')
  await arrived(together, wallets.seller)
})

it('trades with keys from descriptors', async () => {
  const user = new CommandUser()
  const wallet = walletOfWords(WORDS, 3)
  try {
    for (let n = 0; n < 2; n++)
      await market.regtest.pay([{ valueSats: 2_000_000, script: wallet.paymentScript }])
    const collection = await market.collection(wallet, 1)
    const root = HDKey.fromMasterSeed(seedOf(WORDS, ''), TEST_VERSIONS).privateExtendedKey
    const lines = [`tr(${root}/86h/1h/3h/0/*)`, `wpkh(${root}/84h/1h/3h/0/*)`]
    const created = await user.does(
      'setup',
      ...['--market', market.server.url, '--node', market.node.url],
      ...['--descriptor-file', user.file('keys', lines.join('\n'))],
    )
    expect(created).toMatchObject({
      ordinalsAddress: wallet.ordinalsAddress,
      paymentAddress: wallet.paymentAddress,
    })
    await user.does('sign-in')
    await user.does('list', `${collection.ids[0]}=40_000`, '--yes')
    await buyer.does('buy', collection.ids[0]!, '--max-price', '1btc', '--yes')
    await arrived(collection.ids[0]!, wallets.buyer)

    await market.anchors(4)
    await buyer.does('list', `${collection.ids[0]}=45_000`, '--yes')
    await user.does('buy', collection.ids[0]!, '--max-price', '1btc', '--yes')
    await arrived(collection.ids[0]!, wallet)
  } finally {
    user.end()
  }
})

it('checks the wallet with doctor', async () => {
  const { flows } = await buyer.does('doctor', 'wallet')
  expect(Object.values(flows)).toEqual(Object.keys(flows).map(() => null))
})

it('reads PSBTs signed in files', async () => {
  const user = new CommandUser()
  const wallet = walletOfWords(WORDS, 2)
  try {
    await market.regtest.pay([{ valueSats: 3_000_000, script: wallet.paymentScript }])
    const collection = await market.collection(wallet, 1)
    const folder = join(user.folder, 'psbts')
    await user.does(
      'setup',
      ...['--market', market.server.url, '--psbt-folder', folder],
      ...['--ordinals-address', wallet.ordinalsAddress, '--ordinals-key', wallet.ordinalsPublicKey],
      ...['--payment-address', wallet.paymentAddress, '--payment-key', wallet.paymentPublicKey],
    )
    const signing = signElsewhere(folder, wallet)
    const { listings } = await user.does('list', `${collection.ids[0]}=40000`).finally(() => signing.stop())
    expect(listings).toMatchObject([{ inscriptionId: collection.ids[0] }])
    expect(readdirSync(folder)).toEqual([])
  } finally {
    user.end()
  }
})

it('rejects unsupported input with an error code', async () => {
  const user = new CommandUser()
  try {
    expect(await user.run('browse', '--json')).toMatchObject({
      code: 1,
      json: { error: { code: 'no-market' } },
    })
    expect(await user.run('sell', '--json')).toMatchObject({ code: 2, json: { error: { code: 'usage' } } })
    expect(await user.run('browse', '--market', 'http://127.0.0.1:1', '--json')).toMatchObject({
      code: 3,
      json: { error: { code: 'unreachable', retryable: true } },
    })
    const open = user.file('open', WORDS, 0o644)
    const setup = ['setup', '--market', market.server.url, '--json']
    expect(await user.run(...setup, '--seed-file', open)).toMatchObject({
      json: { error: { code: 'key-file-open' } },
    })
    const folder = ['--psbt-folder', user.folder, '--ordinals-address', wallets.buyer.ordinalsAddress]
    expect(await user.run(...setup, ...folder)).toMatchObject({
      code: 2,
      json: { error: { code: 'usage', message: '--ordinals-key HEX is missing' } },
    })
    expect(await user.run(...setup, '--seed-file', user.file('words', 'no words'))).toMatchObject({
      json: { error: { code: 'bad-seed' } },
    })
    const unknown = await user.run(
      'verify',
      '00'.repeat(32),
      '--market',
      market.server.url,
      '--node',
      market.node.url,
      '--json',
    )
    expect(unknown.json).toMatchObject({ error: { code: 'trade-unknown', retryable: false } })
    expect((await user.run('--help')).stdout).toContain('  portfolio')
    expect((await user.run('market', 'sell')).code).toBe(2)
  } finally {
    user.end()
  }
})
