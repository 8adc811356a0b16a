import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { bytesToHex } from '@ordbook/bitcoin/bytes.ts'
import { ConfigError } from '@ordbook/db/settings/config.ts'
import { assertAddressIndex, unspentOf } from '@ordbook/indexer/coins/coins.ts'
import { assertRunesKnown } from '@ordbook/indexer/coins/other-contents.ts'
import { CoreSource } from '@ordbook/indexer/node/core.ts'
import { anything } from '@ordbook/indexer/node/core-answers.ts'
import { Ord } from '@ordbook/indexer/ord/ord.ts'
import { Client } from '@ordbook/sdk/index.ts'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type ScanningNode, startScanningNode } from '../../../e2e/indexer/support/scanning-node.ts'
import { freshWallet, setUpMarket, setUpTrader, testConfig, until } from '../../../e2e/support/market.ts'

/** UTXO set scans of a node that holds each scan until the test releases it. */
const market = setUpMarket()
const trader = setUpTrader(market)
let slow: ScanningNode
let node: CoreSource
beforeEach(async () => {
  slow = await startScanningNode(market.node.url)
  node = new CoreSource(slow.url)
})
afterEach(() => slow.stop())

const script = () => freshWallet().paymentScript
const waitForScan = (count: number) =>
  until(`scan ${count}`, async () => slow.begun.length === count && slow.isScanning())
const UNAVAILABLE = { name: 'Fault', kind: 'unavailable' }

it('CoinScans scans once for concurrent requests', async () => {
  const { paymentScript } = trader.wallet
  const pending = Promise.all(Array.from({ length: 5 }, () => node.unspentOf(paymentScript)))
  await waitForScan(1)
  slow.release()
  const [first, ...others] = await pending
  expect(first!.length).toBe(2)
  for (const coins of others) expect(coins).toEqual(first)
  expect(await node.unspentOf(paymentScript)).toEqual(first)
  expect(slow.begun).toEqual([`raw(${bytesToHex(paymentScript)})`])

  await market.mine()
  const afterBlock = node.unspentOf(paymentScript)
  await waitForScan(2)
  slow.release()
  expect(await afterBlock).toEqual(first)
})

it('CoinScans rejects a scan if its queue is full', async () => {
  const running = node.unspentOf(script())
  await waitForScan(1)
  const waiting = Array.from({ length: 8 }, () => node.unspentOf(script()))
  await expect(node.unspentOf(script())).rejects.toMatchObject({
    ...UNAVAILABLE,
    message: expect.stringMatching(/Too many wallet scans are in progress/),
  })
  slow.release()
  await running
  for (let n = 2; n <= 9; n++) {
    await waitForScan(n)
    slow.release()
  }
  await Promise.all(waiting)
  expect(slow.aborted).toBe(0)
})

it('CoinScans aborts a scan when no client waits', async () => {
  const clients = [new AbortController(), new AbortController(), new AbortController()]
  const shared = script()
  const [one, other, queued] = clients.map((client, n) =>
    node.within({ signal: client.signal }).unspentOf(n < 2 ? shared : script()),
  )
  const last = node.unspentOf(script())
  await waitForScan(1)
  clients[2]!.abort()
  await expect(queued).rejects.toMatchObject(UNAVAILABLE)
  clients[0]!.abort()
  await expect(one).rejects.toMatchObject(UNAVAILABLE)
  expect([slow.aborted, slow.isScanning()]).toEqual([0, true])
  clients[1]!.abort()
  await expect(other).rejects.toMatchObject(UNAVAILABLE)
  // The queued scan without a client never starts.
  await waitForScan(2)
  slow.release()
  expect(await last).toEqual([])
  expect([slow.aborted, slow.begun.length]).toEqual([1, 2])
})

it('CoinScans waits while another process scans', async () => {
  const other = new CoreSource(slow.url)
  const foreignScan = other.unspentOf(script())
  await waitForScan(1)
  const scan = node.unspentOf(trader.wallet.paymentScript)
  slow.release()
  await foreignScan
  await waitForScan(2)
  await other.call(anything, 'scantxoutset', 'abort')
  await waitForScan(3)
  slow.release()
  expect(await scan).toHaveLength(2)
})

it('a sign-in aborts its scan when the client disconnects', async () => {
  const { context } = market.server
  const { ordinalsAddress, paymentAddress } = trader.wallet
  const challenge = await new Client(market.base).call('createAuthChallenge', {
    body: { ordinalsAddress, paymentAddress },
  })
  const verifications = []
  for (const { challengeId, message, address } of challenge.challenges)
    verifications.push({ challengeId, address, signature: await trader.wallet.signMessage(address, message) })
  const before = context.node
  context.node = node
  try {
    const client = new AbortController()
    const pending = fetch(`${market.base}/auth/verify`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ authRequestId: challenge.authRequestId, verifications }),
      signal: client.signal,
    })
    await waitForScan(1)
    client.abort()
    await expect(pending).rejects.toThrow(/abort/)
    await until('the end of the scan', async () => slow.aborted === 1 && !slow.isScanning())
  } finally {
    context.node = before
  }
})

it('assertRunesKnown requires a rune index on mainnet', async () => {
  const config = { ...testConfig(), chain: 'main' as const }
  const allowingLoss = { ...config, allowRuneLoss: 'yes' as const }
  let status = { height: 1, inscription_index: true, rune_index: false }
  const server: Server = createServer(({ url }, response) =>
    response
      .writeHead(url === '/status' ? 200 : 404, { 'content-type': 'application/json' })
      .end(JSON.stringify(status)),
  )
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const ord = new Ord(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  await expect(assertRunesKnown(ord, config)).rejects.toThrow(
    /no index of inscriptions and runes.*--index-runes/,
  )
  expect(await assertRunesKnown(null, config)).toBeNull()
  for (const source of [ord, null])
    expect(await assertRunesKnown(source, allowingLoss)).toMatch(/may lose runes/)
  expect(await assertRunesKnown(null, testConfig())).toMatch(/may lose runes/)
  status = { ...status, rune_index: true }
  expect(await assertRunesKnown(ord, config)).toBeNull()
  server.close()
  server.closeAllConnections()
  await expect(assertRunesKnown(ord, config)).rejects.toThrow(/the server did not respond/)
})

it('assertAddressIndex requires an address index on mainnet', async () => {
  const config = { ...testConfig(), chain: 'main' as const }
  await expect(unspentOf({ sql: market.sql, node, ord: null, config }, script())).rejects.toMatchObject(
    UNAVAILABLE,
  )
  expect(slow.begun).toEqual([])

  await expect(assertAddressIndex({ ord: null, config })).rejects.toThrow(
    /ORD_URL: found nothing.*ADDRESS_INDEX_URL.*--index-addresses/,
  )
  let status: object = { height: 1, address_index: false }
  const server: Server = createServer(({ url }, response) =>
    response
      .writeHead(url === '/status' ? 200 : 404, { 'content-type': 'application/json' })
      .end(JSON.stringify(status)),
  )
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const ord = new Ord(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  await expect(assertAddressIndex({ ord, config })).rejects.toThrow(/has no address index.*--index-addresses/)
  status = { height: 1, address_index: true }
  await assertAddressIndex({ ord, config })
  server.close()
  server.closeAllConnections()
  const rejection = await assertAddressIndex({ ord, config }).catch((error: unknown) => error)
  expect(rejection).toBeInstanceOf(ConfigError)
  expect((rejection as Error).message).toMatch(/did not respond.*ADDRESS_INDEX_URL/)
  await assertAddressIndex({ ord: null, config: testConfig() })
})
