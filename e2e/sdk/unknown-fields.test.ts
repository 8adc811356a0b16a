import { base64OfBytes, bytesOfBase64, bytesToHex, varBytes } from '@ordbook/bitcoin/bytes.ts'
import { Reader } from '@ordbook/bitcoin/reader.ts'
import { prepareListing, preparePurchase } from '@ordbook/sdk/index.ts'
import { expect, it } from 'vitest'
import { agreementFor, setUpMarket, setUpTrader } from '../support/market.ts'
import { selling } from '../support/offers.ts'

const market = setUpMarket()
const seller = setUpTrader(market)
const buyer = setUpTrader(market)
const MARK = 'left by a wallet: 3f9c'

function marked(base64: string): string {
  const bytes = bytesOfBase64(base64)!
  const reader = new Reader(bytes)
  reader.at = 5
  const parts = [...bytes.slice(0, 5)]
  for (let from = reader.at; reader.at < bytes.length; from = reader.at) {
    for (let key = reader.varBytes(); key.length > 0; key = reader.varBytes()) reader.varBytes()
    parts.push(...bytes.slice(from, reader.at - 1))
    for (const type of [0x77, 0xfc])
      parts.push(
        ...varBytes(Uint8Array.of(type, 3, 0x61, 0x62, 0x63, 0)),
        ...varBytes(new TextEncoder().encode(MARK)),
      )
    parts.push(0)
  }
  return base64OfBytes(Uint8Array.from(parts))
}

/** Marks every PSBT in a body, and wraps them into lines as in PSBT files. */
function withMarks<T>(body: T): T {
  let count = 0
  const text = JSON.stringify(body, (name, value) => {
    if (name !== 'psbtBase64') return value
    count++
    return `${marked(value)
      .match(/.{1,64}/g)!
      .join('\r\n')}\n`
  })
  expect(count).toBeGreaterThan(0)
  return JSON.parse(text)
}

/** Encodings of the mark: text, hex, and base64 at each of its three alignments. */
const WRITTEN = [
  MARK,
  bytesToHex(new TextEncoder().encode(MARK)),
  ...[0, 1, 2].map((shift) => {
    const bytes = Buffer.from(' '.repeat(shift) + MARK)
    return bytes.toString('base64').slice(shift === 0 ? 0 : 4, -4)
  }),
]

async function tablesWithMark(): Promise<string[]> {
  const tables = await market.sql<{ name: string }[]>`
    select quote_ident(table_name) as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE'`
  expect(tables.length).toBeGreaterThan(20)
  const found: string[] = []
  for (const { name } of tables)
    for (const written of WRITTEN) {
      const rows = await market.sql.unsafe(
        `select 1 from ${name} t where position('${written}' in t::text) > 0 limit 1`,
      )
      if (rows.length > 0) found.push(name)
    }
  return found
}

it('drops unknown fields of listings and purchases', async () => {
  const { slug, ids } = await market.collection(seller.wallet, 1)
  const agreement = await selling(market, ids[0]!, 50_000)
  const listing = await prepareListing(seller, slug, [agreement])
  const listed = await seller.client.call('submitListing', {
    params: { slug },
    body: withMarks(listing.body),
  })
  expect(listed.listings).toHaveLength(1)
  expect(await tablesWithMark()).toEqual([])

  const purchase = await preparePurchase(buyer, slug, await agreementFor(market, buyer, ids))
  const bought = await buyer.client.call('submitPurchase', {
    params: { slug },
    body: withMarks(purchase.body),
  })
  expect(await tablesWithMark()).toEqual([])
  const raw = await market.regtest.call<string>('getrawtransaction', bought.settlementTxid)
  expect(raw).not.toContain(WRITTEN[1])
  await market.mine()
  expect((await market.coinOf(ids[0]!)).script).toEqual(buyer.wallet.ordinalsScript)
  expect(await tablesWithMark()).toEqual([])
})

it('finds the mark in the database in every encoding', async () => {
  const { slug } = await market.collection(seller.wallet, 1)
  for (const written of WRITTEN) {
    await market.sql`update collections set name = ${`x${written}x`} where slug = ${slug}`
    expect(await tablesWithMark()).toContain('collections')
  }
  await market.sql`update collections set name = 'plain' where slug = ${slug}`
  expect(await tablesWithMark()).toEqual([])
})

it('rejects unknown fields in a market PSBT', async () => {
  const { slug, ids } = await market.collection(seller.wallet, 1)
  const agreement = await selling(market, ids[0]!, 50_000)
  const { client } = seller
  const lying = Object.assign(Object.create(client), {
    call: async (operation: 'preflightListing', input: never) => {
      const answer = await client.call(operation, input)
      if (operation !== 'preflightListing') return answer
      return JSON.parse(
        JSON.stringify(answer, (name, value) => (name === 'psbtBase64' ? marked(value) : value)),
      )
    },
  })
  await expect(prepareListing({ ...seller, client: lying }, slug, [agreement])).rejects.toThrow(
    /the PSBT has (global fields other than the transaction|repeated or unordered entries)/,
  )
})
