import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { buildInscribe, taprootScriptOf } from '@ordbook/bitcoin/inscribe.ts'
import { formatOutpoint, parseOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import { decodeTransaction, txidOf } from '@ordbook/bitcoin/transaction.ts'
import { FAUCET_KEY } from '@ordbook/devnet/regtest.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { CommandUser, WORDS, walletOfWords } from '../support/command.ts'
import { sampled } from '../support/effort.ts'
import { importAs, setUpMarket, setUpTrader } from '../support/market.ts'

/** A coin with inscriptions on different sats must be split before it can be listed. */
const market = setUpMarket()
const other = setUpTrader(market)
const [seller, buyer] = [new CommandUser(), new CommandUser()]
const wallets = { seller: walletOfWords(WORDS, 0), buyer: walletOfWords(WORDS, 1) }

interface Shape {
  valueSats: number
  offsets: readonly number[]
}

/** Inscriptions at both ends, small gaps, adjacent sats and bundles. */
const SHAPES: readonly Shape[] = [
  { valueSats: 10_000, offsets: [0, 4000, 4000, 9999] },
  { valueSats: 600, offsets: [0, 1] },
  { valueSats: 30_000, offsets: [0, 10_000, 20_000] },
  { valueSats: 700, offsets: [300, 699] },
  { valueSats: 20_000, offsets: [19_998, 19_999] },
  { valueSats: 5000, offsets: [100, 400, 700, 2000] },
  { valueSats: 50_000, offsets: [25_000, 25_000, 25_400] },
  { valueSats: 330, offsets: [0, 329] },
  { valueSats: 8000, offsets: [0, 330, 660, 990, 1320] },
  { valueSats: 7000, offsets: Array.from({ length: 20 }, (_, n) => n * 340) },
]
const shapes = sampled(SHAPES.slice(0, 3), SHAPES, SHAPES.slice(0, 1))

beforeAll(async () => {
  for (const { paymentScript } of Object.values(wallets))
    for (let n = 0; n < 3; n++) await market.regtest.pay([{ valueSats: 4_000_000, script: paymentScript }])
  await market.server.sync()
  for (const [account, user] of [seller, buyer].entries()) {
    await user.setUp(market, account)
    await user.does('sign-in')
  }
})
afterAll(() => {
  seller.end()
  buyer.end()
})

async function inscribe(
  slug: string,
  { valueSats, offsets }: Shape,
  script = wallets.seller.ordinalsScript,
): Promise<{ ids: string[]; at: string }> {
  const coin = await market.regtest.fund(taprootScriptOf(FAUCET_KEY), valueSats + 100_000)
  const pieces = offsets.map((pointer, n) => ({
    contentType: 'text/plain',
    body: new TextEncoder().encode(`${slug} ${n}`),
    pointer,
  }))
  const { commit, reveal } = buildInscribe(coin, pieces, {
    privateKey: FAUCET_KEY,
    feeRateSatVb: 2,
    outputs: [{ valueSats, script }],
  })
  await market.regtest.mineExactly([commit, reveal])
  await market.server.sync()
  const ids = offsets.map((_, n) => `${txidOf(reveal)}i${n}`)
  await importAs(market, slug, ids)
  for (const [n, id] of ids.entries()) expect((await market.coinOf(id)).offset).toBe(offsets[n])
  return { ids, at: `${txidOf(reveal)}:0` }
}

async function isUnspent(name: string): Promise<boolean> {
  const { txid, vout } = parseOutpoint(name)
  return (await market.regtest.call('gettxout', txid, vout, true)) !== null
}

function bundles(ids: readonly string[], { offsets }: Shape): { id: string; also: string[] }[] {
  return [...new Set(offsets)].map((offset) => {
    const [id, ...also] = ids.filter((_, n) => offsets[n] === offset)
    return { id: id!, also }
  })
}

it.each(shapes.map((shape, n) => [n, shape] as const))(
  'splits coin %i, then lists its inscriptions',
  async (n, shape) => {
    const slug = `split-${n}`
    const { ids, at } = await inscribe(slug, shape)
    const sats = bundles(ids, shape)
    const refused = await seller.run('list', `${sats[0]!.id}=50_000`, '--json', '--yes')
    expect(refused).toMatchObject({ code: 1, json: { error: { code: 'inscription-coin-shared' } } })
    expect(refused.json.error.message).toContain(`shares coin ${at} with `)
    expect(refused.json.error.message).toContain('Split the coin first with "ordbook split"')

    const words = ['split', at, '--fee-rate', '2']
    const dry = await seller.does(...words, '--dry-run')
    expect(dry.transactions).toMatchObject([{ leaves: [], arrives: [] }])
    expect(await isUnspent(at)).toBe(true)
    const { arrivals, txid, transaction } = await seller.does(...words)
    expect(await market.regtest.call<string[]>('getrawmempool')).toContain(txid)
    await market.mine()

    const places = new Map<string, string[]>()
    for (const { id, also } of sats)
      for (const each of [id, ...also]) {
        const coin = await market.coinOf(each)
        const name = formatOutpoint(coin)
        places.set(name, [...(places.get(name) ?? []), each])
        expect(equalBytes(coin.script, wallets.seller.ordinalsScript)).toBe(true)
        expect(arrivals).toContainEqual({
          inscriptionId: each,
          ...parseOutpoint(name),
          offset: coin.offset,
          valueSats: coin.valueSats,
        })
      }
    expect([...places.values()]).toEqual(sats.map(({ id, also }) => [id, ...also]))
    expect(decodeTransaction(transaction).outputs.every(({ valueSats }) => valueSats >= 294)).toBe(true)

    for (const { id, also } of sats) {
      await market.anchors(4)
      await seller.does('list', `${id}=50_000`, '--yes', ...also.flatMap((each) => ['--also', each]))
      await buyer.does('buy', id, '--max-price', '50_000', '--yes')
      await market.mine()
    }
    for (const id of ids)
      expect(equalBytes((await market.coinOf(id)).script, wallets.buyer.ordinalsScript)).toBe(true)
  },
  sampled(120_000, 600_000),
)

/** Returns a coin with inscriptions on `count` sats, two of them at offset 0. */
function shapeOf(count: number, gapAt: (n: number) => number): Shape {
  const offsets = [0]
  for (let n = 1; n < count; n++) offsets.push(offsets[n - 1]! + gapAt(n))
  return { valueSats: offsets.at(-1)! + 1, offsets: [0, ...offsets] }
}

/** Gaps on both sides of the dust limits. */
const GAPS = [1, 150, 293, 330, 331, 600, 1500]
const counts = Array.from({ length: 19 }, (_, n) => n + 2)
const splits = { alone: 0, refused: 0 }
afterAll(() => console.log('coins of 2 to 20 sats:', JSON.stringify(splits)))

it.each(
  sampled([2, 20], counts).flatMap((count) => [
    { count, gaps: 'wide', ...shapeOf(count, (n) => (n === count - 1 ? 100 : 340)) },
    { count, gaps: 'mixed', ...shapeOf(count, (n) => GAPS[(n * n + count) % GAPS.length]!) },
  ]),
)('splits $count sats with $gaps gaps or refuses', async ({ count, gaps, ...shape }) => {
  const { ids, at } = await inscribe(`split-${gaps}-${count}`, shape)
  const { code, json } = await seller.run('split', at, '--fee-rate', '2', '--json')
  if (code !== 0) {
    expect(json.error).toMatchObject({ code: 'sats-too-close' })
    expect(gaps).toBe('mixed')
    expect(await isUnspent(at)).toBe(true)
    splits.refused++
    return
  }
  await market.mine()
  const coins = await Promise.all(bundles(ids, shape).map(({ id }) => market.coinOf(id)))
  expect(new Set(coins.map(formatOutpoint)).size).toBe(count)
  expect(formatOutpoint(await market.coinOf(ids[1]!))).toBe(formatOutpoint(coins[0]!))
  for (const { script, valueSats } of coins) {
    expect(equalBytes(script, wallets.seller.ordinalsScript)).toBe(true)
    expect(valueSats).toBeGreaterThanOrEqual(330)
  }
  splits.alone++
})

it('splits off named inscriptions', async () => {
  const { ids } = await inscribe('split-some', { valueSats: 90_000, offsets: [0, 40_000, 40_100] })
  const { arrivals, txid } = await seller.does(
    ...['split', ids[0]!, '--postage', '10_000', '--fee-rate', '2'],
  )
  expect(arrivals).toEqual([
    { inscriptionId: ids[0], txid, vout: 0, offset: 0, valueSats: 10_000 },
    { inscriptionId: ids[1], txid, vout: 1, offset: 30_000, valueSats: 80_000 },
    { inscriptionId: ids[2], txid, vout: 1, offset: 30_100, valueSats: 80_000 },
  ])
  await market.mine()
  expect(formatOutpoint(await market.coinOf(ids[0]!))).toBe(`${txid}:0`)
  expect(formatOutpoint(await market.coinOf(ids[2]!))).toBe(`${txid}:1`)
})

it('signs nothing for sats that are too close together', async () => {
  const { ids, at } = await inscribe('split-close', { valueSats: 9000, offsets: [0, 100, 200, 300] })
  const close = await seller.run('split', at, '--fee-rate', '2', '--json')
  expect(close).toMatchObject({ code: 1, json: { error: { code: 'sats-too-close' } } })
  expect(close.json.error.message).toContain(
    `Split off ${ids[0]} first, and the other inscriptions in a second transaction`,
  )
  await seller.does('split', ids[0]!, '--fee-rate', '2')
  await market.mine()
  const secondSplit = await seller.run('split', ids[3]!, '--fee-rate', '2', '--json')
  expect(secondSplit).toMatchObject({ code: 0 })
  await market.mine()

  const coin = await market.coinOf(ids[0]!)
  expect(await seller.run('split', formatOutpoint(coin), '--fee-rate', '2', '--json')).toMatchObject({
    json: { error: { code: 'nothing-to-split' } },
  })
  const foreign = await inscribe(
    'split-foreign',
    { valueSats: 9000, offsets: [0, 5000] },
    other.wallet.ordinalsScript,
  )
  expect(await seller.run('split', foreign.at, '--fee-rate', '2', '--json')).toMatchObject({
    code: 6,
    json: { error: { message: expect.stringContaining('at neither address of the wallet') } },
  })
  expect(await seller.run('split', at, '--fee-rate', '2', '--json')).toMatchObject({
    json: { error: { message: expect.stringContaining('is spent') } },
  })
})

it('prints the transaction without a node', async () => {
  const user = new CommandUser()
  try {
    await user.does(
      'setup',
      ...['--market', market.server.url, '--seed-file', user.file('words', WORDS), '--account', '0'],
    )
    const { ids, at } = await inscribe('split-believed', { valueSats: 10_000, offsets: [0, 7000] })
    const [coin] = await market.regtest.coinsOf(wallets.seller.paymentScript)
    const words = ['split', at, '--fee-rate', '2', '--spend', formatOutpoint(coin!)]
    const ran = await user.run(...words, '--json')
    expect(ran.stderr).toContain(`only the market lists the contents of ${at};`)
    expect(ran.json).toMatchObject({ txid: null, arrivals: [{ vout: 0 }, { vout: 1 }] })
    await market.regtest.call('sendrawtransaction', ran.json.transaction)
    await market.mine()
    expect((await market.coinOf(ids[1]!)).vout).toBe(1)
  } finally {
    user.end()
  }
})
