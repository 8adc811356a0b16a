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

/** Coins of an address on a chain whose scans take long. */
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
const begins = (count: number) =>
  until(`scan ${count}`, async () => slow.begun.length === count && slow.isScanning())
const UNAVAILABLE = { name: 'Fault', kind: 'unavailable' }

it('scans once for concurrent requests of one script, and again only after a block', async () => {
  const { paymentScript } = trader.wallet
  const asked = Promise.all(Array.from({ length: 5 }, () => node.unspentOf(paymentScript)))
  await begins(1)
  slow.release()
  const [first, ...others] = await asked
  expect(first!.length).toBe(2)
  for (const coins of others) expect(coins).toEqual(first)
  expect(await node.unspentOf(paymentScript)).toEqual(first)
  expect(slow.begun).toEqual([`raw(${bytesToHex(paymentScript)})`])

  await market.mine()
  const later = node.unspentOf(paymentScript)
  await begins(2)
  slow.release()
  expect(await later).toEqual(first)
})

it('rejects immediately when eight scripts are queued', async () => {
  const running = node.unspentOf(script())
  await begins(1)
  const waiting = Array.from({ length: 8 }, () => node.unspentOf(script()))
  await expect(node.unspentOf(script())).rejects.toMatchObject({
    ...UNAVAILABLE,
    message: expect.stringMatching(/Too many wallets are being looked up/),
  })
  slow.release()
  await running
  for (let n = 2; n <= 9; n++) {
    await begins(n)
    slow.release()
  }
  await Promise.all(waiting)
  expect(slow.aborted).toBe(0)
})

it('aborts only scans that no client waits for', async () => {
  const clients = [new AbortController(), new AbortController(), new AbortController()]
  const shared = script()
  const [one, other, queued] = clients.map((client, n) =>
    node.within({ signal: client.signal }).unspentOf(n < 2 ? shared : script()),
  )
  const last = node.unspentOf(script())
  await begins(1)
  clients[2]!.abort()
  await expect(queued).rejects.toMatchObject(UNAVAILABLE)
  clients[0]!.abort()
  await expect(one).rejects.toMatchObject(UNAVAILABLE)
  expect([slow.aborted, slow.isScanning()]).toEqual([0, true])
  clients[1]!.abort()
  await expect(other).rejects.toMatchObject(UNAVAILABLE)
  // The one that waited in the queue and left is never begun.
  await begins(2)
  slow.release()
  expect(await last).toEqual([])
  expect([slow.aborted, slow.begun.length]).toEqual([1, 2])
})

it('waits for the scan of another process, and restarts if that process aborts its own', async () => {
  const other = new CoreSource(slow.url)
  const foreign = other.unspentOf(script())
  await begins(1)
  const own = node.unspentOf(trader.wallet.paymentScript)
  slow.release()
  await foreign
  await begins(2)
  await other.call(anything, 'scantxoutset', 'abort')
  await begins(3)
  slow.release()
  expect(await own).toHaveLength(2)
})

it('aborts the scan of a sign-in whose client disconnects', async () => {
  const { context } = market.server
  const { ordinalsAddress, paymentAddress } = trader.wallet
  const begun = await new Client(market.base).call('createAuthChallenge', {
    body: { ordinalsAddress, paymentAddress },
  })
  const verifications = []
  for (const { challengeId, message, address } of begun.challenges)
    verifications.push({ challengeId, address, signature: await trader.wallet.signMessage(address, message) })
  const before = context.node
  context.node = node
  try {
    const client = new AbortController()
    const asked = fetch(`${market.base}/auth/verify`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ authRequestId: begun.authRequestId, verifications }),
      signal: client.signal,
    })
    await begins(1)
    client.abort()
    await expect(asked).rejects.toThrow(/abort/)
    await until('the end of the scan', async () => slow.aborted === 1 && !slow.isScanning())
  } finally {
    context.node = before
  }
})

it('starts on mainnet only with a source of runes, unless ALLOW_RUNE_LOSS is set', async () => {
  const config = { ...testConfig(), chain: 'main' as const }
  const careless = { ...config, allowRuneLoss: 'yes' as const }
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
  await expect(assertRunesKnown(null, config)).rejects.toThrow(/found nothing.*ALLOW_RUNE_LOSS=yes/)
  for (const source of [ord, null]) expect(await assertRunesKnown(source, careless)).toMatch(/may be lost/)
  expect(await assertRunesKnown(null, testConfig())).toMatch(/may be lost/)
  status = { ...status, rune_index: true }
  expect(await assertRunesKnown(ord, config)).toBeNull()
  server.close()
  server.closeAllConnections()
  await expect(assertRunesKnown(ord, config)).rejects.toThrow(/found no answer/)
})

it('never scans on mainnet, and starts there only with an address index', async () => {
  const config = { ...testConfig(), chain: 'main' as const }
  await expect(unspentOf({ node, ord: null, config }, script())).rejects.toMatchObject(UNAVAILABLE)
  expect(slow.begun).toEqual([])

  await expect(assertAddressIndex({ ord: null, config })).rejects.toThrow(
    /ORD_URL: found nothing.*--index-addresses/,
  )
  let status: object = { height: 1, address_index: false }
  const server: Server = createServer(({ url }, response) =>
    response
      .writeHead(url === '/status' ? 200 : 404, { 'content-type': 'application/json' })
      .end(JSON.stringify(status)),
  )
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const ord = new Ord(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  await expect(assertAddressIndex({ ord, config })).rejects.toThrow(
    /keeps no index of addresses.*--index-addresses/,
  )
  status = { height: 1, address_index: true }
  await assertAddressIndex({ ord, config })
  server.close()
  server.closeAllConnections()
  const refusal = await assertAddressIndex({ ord, config }).catch((error: unknown) => error)
  expect(refusal).toBeInstanceOf(ConfigError)
  expect((refusal as Error).message).toMatch(/found no answer.*set ORD_URL/)
  await assertAddressIndex({ ord: null, config: testConfig() })
})
