import { get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { setUpMarket, type TestTrader } from '../../../e2e/support/market.ts'

const market = setUpMarket()
let seller: TestTrader
let origin: string
beforeAll(async () => {
  origin = market.server.url
  seller = await market.trader()
})

/** Does not wait for other requests, unlike the `fetch` of tests. */
const statusOf = (url: string) =>
  new Promise<number>((resolve, reject) => {
    get(url, (response) => resolve(response.resume().statusCode!)).on('error', reject)
  })

describe('recursive endpoints', () => {
  it('returns the responses in the ord handbook', async () => {
    const [parent] = await market.regtest.inscribe([
      {
        inscription: { contentType: 'text/plain', body: new TextEncoder().encode('parent') },
        owner: seller.wallet.ordinalsScript,
        postageSats: 10_000,
      },
    ])
    await market.server.sync()
    const getJson = async (path: string) => {
      const response = await fetch(`${origin}${path}`)
      expect(response.status, path).toBe(200)
      expect(response.headers.get('access-control-allow-origin')).toBe('*')
      return (await response.json()) as any
    }
    const height = await market.regtest.call<number>('getblockcount')
    const hash = await market.regtest.call<string>('getblockhash', height)
    expect(await getJson('/r/blockheight')).toBe(height)
    expect(await getJson('/r/blockhash')).toBe(hash)
    expect(await getJson(`/r/blockhash/${height}`)).toBe(hash)
    expect(await getJson('/r/blocktime')).toEqual(expect.any(Number))
    // The legacy paths return plain text, like ord.
    for (const [path, text] of [
      ['/blockheight', `${height}`],
      ['/blockhash', hash],
      [`/blockhash/${height}`, hash],
    ] as const)
      expect(await (await fetch(`${origin}${path}`)).text()).toBe(text)
    expect(await (await fetch(`${origin}/blocktime`)).text()).toMatch(/^\d+$/)
    expect(await getJson(`/r/blockinfo/${height}`)).toMatchObject({ hash, height })
    const coin = await market.coinOf(parent!)
    const inscription = await getJson(`/r/inscription/${parent}`)
    expect(inscription).toMatchObject({
      id: parent,
      content_type: 'text/plain',
      content_length: 6,
      output: `${coin.txid}:${coin.vout}`,
      address: seller.wallet.ordinalsAddress,
      value: 10_000,
    })
    expect(await getJson(`/r/sat/${inscription.sat}`)).toEqual({ ids: [parent], more: false, page: 0 })
    expect(await getJson(`/r/sat/${inscription.sat}/at/-1`)).toEqual({ id: parent })
    expect(await getJson(`/r/sat/${inscription.sat}/at/7`)).toEqual({ id: null })
    expect(await getJson(`/r/children/${parent}`)).toEqual({ ids: [], more: false, page: 0 })
    expect(await getJson(`/r/parents/${parent}`)).toEqual({ ids: [], more: false, page_index: 0 })
    const utxo = await getJson(`/r/utxo/${coin.txid}:${coin.vout}`)
    expect(utxo).toEqual({
      inscriptions: [parent],
      runes: null,
      sat_ranges: [[expect.any(Number), expect.any(Number)]],
      value: 10_000,
    })
    expect(utxo.sat_ranges[0][0]).toBe(inscription.sat)
    const content = await fetch(`${origin}/r/undelegated-content/${parent}`)
    expect(await content.text()).toBe('parent')
    expect(content.headers.get('content-security-policy')).toMatch(
      /^sandbox allow-scripts; default-src 'none'/,
    )
    expect(content.headers.get('set-cookie')).toBeNull()
    for (const path of [
      `/r/metadata/${parent}`,
      `/r/inscription/${'0'.repeat(64)}i0`,
      '/r/blockinfo/99999999',
    ])
      expect((await fetch(`${origin}${path}`)).status, path).toBe(404)
    for (const path of [
      '/r/inscription/nonsense',
      '/r/sat/x',
      '/r/sat/1/at/x',
      '/r/utxo/x',
      `/r/utxo/${'0'.repeat(64)}:4294967296`,
      '/r/blockhash/-1',
    ])
      expect((await fetch(`${origin}${path}`)).status, path).toBe(400)
  })

  it('returns small responses to parallel requests while the node is slow', async () => {
    const hash = await market.regtest.call<string>('getbestblockhash')
    const { tx } = await market.regtest.call<{ tx: string[] }>('getblock', hash)
    const { node } = market.server.context
    const transactionHex = node.transactionHex.bind(node)
    node.transactionHex = async (txid) => {
      await sleep(50)
      return transactionHex(txid)
    }
    try {
      const statuses = await Promise.all(
        Array.from({ length: 20 }, () => statusOf(`${origin}/r/tx/${tx[0]}`)),
      )
      expect(statuses).toEqual(statuses.map(() => 200))
    } finally {
      node.transactionHex = transactionHex
    }
  })
})
