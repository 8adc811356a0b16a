import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { LocalWallet } from '@ordbook/sdk/wallet.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { rested } from '../escrows/support/escrow-market.ts'
import { giveHats } from '../purchases/support/hats.ts'
import { CommandUser, type Ran, WORDS, walletOfWords } from '../support/command.ts'
import { enter, setUpMarket, type TestTrader } from '../support/market.ts'

/** Offers, counters and escrows by command. */
const market = setUpMarket()
const seller = new CommandUser()
const buyer = new CommandUser()
const wallets = { seller: walletOfWords(WORDS, 0), buyer: walletOfWords(WORDS, 1) }
let slug: string
let ids: string[]

beforeAll(async () => {
  for (const { paymentScript } of Object.values(wallets))
    await market.regtest.pay(
      [5_000_000, 5_000_000, 1_000_000].map((valueSats) => ({ valueSats, script: paymentScript })),
    )
  ;({ slug, ids } = await market.collection(wallets.seller, 9))
  await giveHats(market, slug, ids)
  await market.anchors(10)
  for (const [account, user] of [seller, buyer].entries()) {
    await user.setUp(market, account)
    await user.does('sign-in')
  }
})
afterAll(() => {
  seller.end()
  buyer.end()
})

async function arrived(id: string, { ordinalsScript }: LocalWallet): Promise<void> {
  await market.mine()
  expect(equalBytes((await market.coinOf(id)).script, ordinalsScript)).toBe(true)
}

const offerFor = async (id: string, price: string): Promise<string> =>
  (await buyer.does('bid', id, '--price', price, '--hours', '24', '--yes')).items[0].offerId

async function ordersOf(user: CommandUser): Promise<{ kind: string; id: string }[]> {
  return (await user.does('portfolio')).commitments
}

const failure = (code: number, name: string) => ({ code, json: { error: { code: name } } })
const unverified = (message: string) => ({
  code: 6,
  json: { error: { code: 'check-failed', message: expect.stringContaining(message) } },
})

it('sells to a named offer at the named price only', async () => {
  const [id] = ids as [string]
  const offerId = await offerFor(id, '40_000')
  const better = await offerFor(id, '45_000')
  const accept = ['accept', id, offerId]
  expect(await seller.run(...accept, '--json')).toMatchObject(failure(2, 'usage'))
  expect(await seller.run(...accept, '--price', '41_000', '--yes', '--json')).toMatchObject(
    failure(1, 'other-terms'),
  )
  expect(await seller.run(...accept, '--pay', '40_000', '--yes', '--json')).toMatchObject(
    failure(1, 'other-terms'),
  )
  const agreed = [...accept, '--price', '40_000']
  const unconfirmed = await seller.run(...agreed, '--json')
  expect(unconfirmed).toMatchObject(failure(4, 'price-unusual'))
  expect(unconfirmed.json.error.message).toContain(better)
  expect(await seller.run(...agreed, '--least', '40_001', '--yes', '--json')).toMatchObject(
    unverified('less than the agreed minimum'),
  )
  const dry = await seller.does(...agreed, '--dry-run')
  expect(dry.transactions).toMatchObject([{ leaves: [id] }])
  const sold = await seller.does(...agreed, '--yes')
  expect(sold).toMatchObject({ inscriptionId: id, priceSats: 40_000 })
  await arrived(id, wallets.buyer)
})

it('sells to a named collection offer', async () => {
  const [, id] = ids as [string, string]
  const { offers } = await buyer.does(
    ...['bid', '--collection', slug, '--price', '30_000', '--count', '2', '--step', '5_000', '--yes'],
  )
  const [, lower] = offers as { offerId: string }[]
  const sold = await seller.does('accept', id, lower!.offerId, '--price', '25_000', '--yes')
  expect(sold.payoutSats).toBeLessThan(25_000 + 10_000)
  await arrived(id, wallets.buyer)
})

it('counters an offer, and accepts the counter for the total of the dry run', async () => {
  const [, , id] = ids as [string, string, string]
  const offerId = await offerFor(id, '20_000')
  const counter = ['counter', id, offerId, '--price', '50_000', '--yes']
  const dry = await seller.does(...counter, '--dry-run')
  // The sale and the recovery spend the escrow coin of the first transaction.
  expect(dry.transactions).toMatchObject([
    { leaves: [id] },
    { inputs: [{ inscriptionIds: [id] }] },
    { arrives: [id] },
  ])
  const withdrawn = (await seller.does(...counter)).offerId
  expect(await ordersOf(seller)).toContainEqual(
    expect.objectContaining({ kind: 'counter', id: withdrawn, priceSats: 50_000, boundSats: 0 }),
  )
  await seller.does('counter', id, withdrawn, '--cancel')
  const counterId = (await seller.does(...counter)).offerId
  expect(await ordersOf(buyer)).toContainEqual(
    expect.objectContaining({ kind: 'received-counter', id: counterId, inscriptionIds: [id] }),
  )

  const accept = ['accept', id, counterId, '--pay', '50_000', '--yes']
  expect(await buyer.run('accept', id, counterId, '--price', '50_000', '--yes', '--json')).toMatchObject(
    failure(1, 'other-terms'),
  )
  expect(await buyer.run('accept', id, counterId, '--pay', '49_999', '--yes', '--json')).toMatchObject(
    failure(1, 'other-terms'),
  )
  expect(await buyer.run(...accept, '--max-network', '1', '--json')).toMatchObject(unverified('network fee'))
  const { bill } = await buyer.does(...accept, '--dry-run')
  const bought = await buyer.does(...accept)
  expect(bought.costSats).toBe(bill.totalSats)
  await arrived(id, wallets.buyer)
})

it('declines offers, counters and collection offers', async () => {
  const [, , , id] = ids as [string, string, string, string]
  const declined = await offerFor(id, '20_000')
  expect(await seller.does('decline', id, declined, '--dry-run')).toMatchObject({ kind: 'buyer_offer' })
  expect(await seller.does('decline', id, declined)).toMatchObject({ status: 'rejected' })
  expect(await seller.run('decline', id, declined, '--json')).toMatchObject(failure(1, 'no-such-offer'))

  const offerId = await offerFor(id, '21_000')
  const counterId = (await seller.does('counter', id, offerId, '--price', '60_000', '--yes')).offerId
  expect(await seller.run('decline', id, counterId, '--json')).toMatchObject(failure(1, 'own-counter'))
  expect(await buyer.does('decline', id, counterId)).toMatchObject({ status: 'rejected' })

  const { offers } = await buyer.does('bid', '--collection', slug, '--price', '15_000', '--yes')
  const bidId = offers[0].offerId
  expect(await seller.run('decline', id, bidId, '--json')).toMatchObject(failure(1, 'not-one-item'))
  expect(await seller.run('decline', id, '--undo', '--json')).toMatchObject(failure(2, 'usage'))
  expect(await seller.does('decline', id, '--bids')).toEqual({ inscriptionId: id, declined: true })
  expect((await seller.run('accept', id, bidId, '--price', '15_000', '--yes', '--json')).code).not.toBe(0)
  expect(await seller.does('decline', id, '--bids', '--undo')).toEqual({ inscriptionId: id, declined: false })
  await buyer.does('bid', '--cancel', bidId)
  expect((await ordersOf(buyer)).map((order) => order.id)).not.toContain(bidId)
})

it('relists inscriptions in escrow and moves them to new escrows', async () => {
  const [, , , , id, other] = ids as [string, string, string, string, string, string]
  expect(await seller.run('relist', `${id}=70_000`, '--yes', '--json')).toMatchObject(
    failure(1, 'not-in-escrow'),
  )
  const owner = (await enter(market.base, wallets.seller)) as TestTrader
  await rested(market, owner, slug, [id, other])
  const before = formatOutpoint(await market.coinOf(id))

  expect((await seller.does('relist', `${id}=70_000`, '--dry-run')).transactions).toMatchObject([
    { isOpen: true, leaves: [id] },
  ])
  const { listings } = await seller.does('relist', `${id}=70_000`, '--days', '7', '--yes')
  expect(await ordersOf(seller)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        kind: 'listing',
        id: listings[0].listingId,
        priceSats: 70_000,
        endsAt: expect.any(String),
      }),
      expect.objectContaining({ kind: 'escrow', id: before, inscriptionIds: [id], boundSats: 10_000 }),
    ]),
  )

  expect(await seller.run('move', id, other, '--max-network', '1', '--json')).toMatchObject(
    unverified('network fee'),
  )
  const moved = await seller.does('move', id, other)
  await market.mine()
  expect([formatOutpoint(await market.coinOf(id)), formatOutpoint(await market.coinOf(other))]).toEqual(
    moved.escrows.map(formatOutpoint),
  )
  expect((await ordersOf(seller)).filter(({ kind }) => kind === 'escrow').map((order) => order.id)).toEqual(
    expect.arrayContaining(moved.escrows.map(formatOutpoint)),
  )
  await seller.does('relist', `${id}=80_000`, '--yes')
  await buyer.does('buy', id, '--max-price', '80_000', '--yes')
  await arrived(id, wallets.buyer)
})

it('shows every order of the wallet', async () => {
  const [, , , , , , id, listed] = ids as string[]
  await seller.does('list', `${listed}=90_000`, '--days', '1', '--yes')
  const offerId = await offerFor(id!, '22_000')
  const made = async (...args: string[]) =>
    (await buyer.does('bid', '--collection', slug, '--hours', '24', '--yes', ...args)).offers.map(
      (offer: { offerId: string }) => offer.offerId,
    )
  const ladder = await made('--price', '20_000', '--count', '3', '--step', '5_000')
  const [forTrait] = await made('--price', '10_000', '--trait', 'Hat=Cap')
  const proposal = await buyer.does(
    'swap',
    'propose',
    '--give-sats',
    '12_000',
    '--want',
    id!,
    '--hours',
    '24',
  )

  const bought = await ordersOf(buyer)
  expect(bought).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ kind: 'offer', id: offerId, priceSats: 22_000 }),
      ...ladder.map((each: string, n: number) =>
        expect.objectContaining({
          kind: 'collection-offer',
          id: each,
          collectionSlug: slug,
          boundSats: 20_000 - n * 5_000,
        }),
      ),
      expect.objectContaining({
        kind: 'trait-offer',
        id: forTrait,
        of: `${slug}: Hat=Cap`,
        boundSats: 10_000,
      }),
      expect.objectContaining({ kind: 'proposal', id: proposal.id, boundSats: 12_000 }),
    ]),
  )
  for (const order of bought as unknown as { endsAt: string | null }[])
    expect(Date.parse(order.endsAt!)).toBeGreaterThan(Date.now())
  expect((await ordersOf(seller)).map(({ kind }) => kind)).toEqual(
    expect.arrayContaining(['listing', 'received-offer', 'escrow']),
  )

  const { stdout } = await buyer.run('portfolio', '--wide')
  for (const id of [offerId, ...ladder, forTrait, proposal.id]) expect(stdout).toContain(id)

  const accepted = await seller.does('swap', 'accept', proposal.id, '--with', id!, '--get-sats', '12_000')
  expect(await ordersOf(seller)).toContainEqual(
    expect.objectContaining({ kind: 'acceptance', id: accepted.acceptanceId, inscriptionIds: [id] }),
  )
  expect(await ordersOf(buyer)).toContainEqual(
    expect.objectContaining({ kind: 'received-acceptance', id: accepted.acceptanceId }),
  )
})

it('prints tables of 80 columns without control codes', async () => {
  const tables: [string, Ran][] = []
  for (const args of [['browse'], ['browse', slug], ['portfolio'], ['swap', 'show']])
    tables.push([args.join(' '), await seller.run(...args)])
  for (const [name, { code, stdout }] of tables) {
    expect(code).toBe(0)
    const rows = stdout.split('\n').filter((line) => /[0-9a-f]…|^[A-Z]+ {2}/.test(line))
    expect(rows.length, name).toBeGreaterThan(0)
    for (const row of rows) expect(row.length, row).toBeLessThanOrEqual(80)
    expect(stdout, name).toMatch(/^[^\p{Cc}\ufffd]*(\n[^\p{Cc}\ufffd]*)*$/u)
  }
  const { stdout } = await seller.run('browse', slug, '--wide')
  expect(stdout).toContain(ids[3])
})
