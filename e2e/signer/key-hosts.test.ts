import { spawnSync } from 'node:child_process'
import { cpSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestOptions, request, type ServerOptions } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { connect as tlsConnect } from 'node:tls'
import { freePort } from '@ordbook/db/process/free-port.ts'
import { examine } from '@ordbook/operations/doctor/examine.ts'
import type { Finding } from '@ordbook/operations/doctor/finding.ts'
import { addressOf } from '@ordbook/process/address.ts'
import { bid, buy, fill } from '@ordbook/sdk/index.ts'
import { encode } from '@ordbook/signer/wire.ts'
import { remoteSigner } from '@ordbook/signer-host/client.ts'
import { linkOf } from '@ordbook/signer-host/link-of.ts'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { expectInDoctor, expectInMetrics, metricsAt } from '../support/faults/fault-places.ts'
import {
  agreementFor,
  listAll,
  serveAgain,
  startMarket,
  type TestMarket,
  type TestTrader,
  testConfig,
  until,
} from '../support/market.ts'
import { coinsOf, selling } from '../support/offers.ts'
import { TestAuthority } from './support/certificates.ts'
import { KeyProcess } from './support/key-process.ts'

const authority = new TestAuthority()
const stranger = new TestAuthority()
const expired = new TestAuthority({ of: authority, days: -1 })
const ALL = { kind: 'all' } as const
let signer: KeyProcess
let guardian: KeyProcess
let settings: Record<string, string>
let market: TestMarket
let seller: TestTrader
let buyer: TestTrader

beforeAll(async () => {
  signer = new KeyProcess('signer', `tls://127.0.0.1:${await freePort()}`)
  guardian = new KeyProcess('guardian', `tls://127.0.0.1:${await freePort()}`)
  await signer.start(authority.settings('signer'))
  settings = { SIGNER_SOCKET: signer.socket, ...authority.settings('server'), LOG_LEVEL: 'silent' }
  market = await startMarket(settings)
  // The guardian needs the market's node, so move its key and journal after the market has started.
  await market.server.close()
  await market.sql.end()
  for (const name of ['guardian.key', 'guardian.journal']) {
    cpSync(join(market.dataDir, name), join(guardian.directory, name))
    rmSync(join(market.dataDir, name))
  }
  await guardian.start({ ...authority.settings('guardian'), BITCOIN_RPC_URL: market.node.url })
  settings.GUARDIAN_SOCKET = guardian.socket
  await serveAgain(market, market.databaseUrl, settings)
  seller = await market.trader()
  buyer = await market.trader('p2wpkh', 40_000_000)
})
afterAll(async () => {
  await market?.stop()
  await signer?.remove()
  await guardian?.remove()
  for (const each of [authority, stranger, expired]) each.remove()
})

/** The findings of the last diagnosis. */
let findings: Finding[] = []

async function diagnosis(overrides: Record<string, string> = {}): Promise<Record<string, string[]>> {
  const config = testConfig({
    DATA_DIR: market.dataDir,
    BITCOIN_RPC_URL: market.node.url,
    ...settings,
    ...overrides,
  })
  const faults: Record<string, string[]> = {}
  findings = await Array.fromAsync(examine(config, market.databaseUrl))
  for (const { about, state, found } of findings)
    if (['signer', 'guardian', 'certificates'].includes(about) && state !== 'ok')
      (faults[about] ??= []).push(`${state}: ${found}`)
  return faults
}

it('trades without stored secrets', async () => {
  const { slug, ids } = await market.collection(seller.wallet, 2)
  await listAll(market, seller, slug, [ids[0]!], 40_000)
  await buy(buyer, slug, await agreementFor(market, buyer, [ids[0]!]))
  await market.mine()
  const coins = await coinsOf(market, buyer)
  const { offers } = await bid(buyer, slug, { target: ALL, priceSats: 40_000, coins })
  await fill(seller, slug, offers[0]!.offerId, await selling(market, ids[1]!, 40_000, 250))
  await market.mine()
  for (const id of ids) expect((await market.coinOf(id)).script).toEqual(buyer.wallet.ordinalsScript)
})

it('reports the expiry of certificates', async () => {
  const figures = await (await fetch(`${market.server.url}/metrics`)).text()
  for (const [of, days] of Object.entries({ server: 397, signer: 397, guardian: 397, authority: 3650 })) {
    const [, left] = new RegExp(`^ordbook_certificate_days_left\\{of="${of}"\\} (.+)$`, 'm').exec(figures)!
    expect(Number(left)).toBeLessThanOrEqual(days)
    expect(Number(left)).toBeGreaterThan(days - 1)
  }
  expect(await diagnosis()).toEqual({})

  await renewed(13)
  const expires = (of: string, { socket }: KeyProcess) =>
    expect.stringMatching(`^warning: the certificate of the ${of} for ${socket} expires at `)
  expect(await diagnosis()).toEqual({
    certificates: [
      expires('server', signer),
      expires('signer', signer),
      expires('server', guardian),
      expires('guardian', guardian),
    ],
  })
  expectInDoctor(['certificate-expires'], findings)
  await expectInMetrics(['certificate-expires'], metricsAt(market.server.url))
  await renewed(397)
  expect(await diagnosis()).toEqual({})

  expect(await diagnosis({ SIGNER_SOCKET: guardian.socket })).toEqual({
    certificates: [expect.stringMatching(/DNS:ordbook-guardian, expected the name ordbook-signer/)],
  })
  expect(await diagnosis(expired.settings('server'))).toEqual({
    certificates: [
      expect.stringMatching(/ordbook-server\.crt expired at /),
      expect.stringMatching(/ordbook-server\.crt expired at /),
    ],
  })
  expectInDoctor(['certificate-expired'], findings)
})

/** Renews all certificates and makes calls until both processes use the new ones. No call may fail. */
async function renewed(days: number): Promise<void> {
  const { context } = market.server
  let isDone = false
  const calls = (async () => {
    while (!isDone) await context.signer.floors([`${'11'.repeat(32)}:0`])
  })()
  authority.renew(days)
  for (const each of [signer, guardian])
    await until('the new certificate', async () => Math.ceil(await daysLeft(each)) === days)
  isDone = true
  await calls
}

/** Returns the remaining validity, in days, of a process's certificate. */
const daysLeft = (process: KeyProcess) =>
  new Promise<number>((done, fail) => {
    const options = { ...hostOf(process), ...authority.texts('server') }
    const socket = tlsConnect({ ...options, checkServerIdentity: () => undefined }, () => {
      done((socket.getPeerX509Certificate()!.validToDate.getTime() - Date.now()) / 86_400_000)
      socket.destroy()
    }).once('error', fail)
  })

const hostOf = ({ socket }: KeyProcess) => addressOf(socket)!

it('keeps its certificates while their replacements are invalid', async () => {
  const { TLS_CERTIFICATE_FILE, TLS_KEY_FILE } = authority.settings('signer')
  const { cert, key } = authority.texts('signer')
  for (const wrong of [
    cert.subarray(0, 200),
    stranger.texts('signer').cert,
    authority.texts('guardian').cert,
    expired.texts('signer').cert,
  ]) {
    writeFileSync(TLS_CERTIFICATE_FILE, wrong)
    await new Promise((done) => setTimeout(done, 1100))
    expect(await daysLeft(signer)).toBeGreaterThan(396)
  }
  writeFileSync(TLS_KEY_FILE, expired.texts('signer').key)
  await new Promise((done) => setTimeout(done, 1100))
  expect(await daysLeft(signer)).toBeGreaterThan(396)
  writeFileSync(TLS_CERTIFICATE_FILE, cert)
  writeFileSync(TLS_KEY_FILE, key)
})

/** Returns the HTTP status of a request with these connection options, or `refused`. */
const statusWith = (options: RequestOptions) =>
  new Promise<number | 'refused'>((done) => {
    const sent = request(
      {
        ...hostOf(signer),
        servername: 'ordbook-signer',
        path: '/keys',
        method: 'POST',
        agent: false,
        timeout: 10_000,
        ...options,
      },
      (response) => done(response.resume().statusCode!),
    )
    sent.once('error', () => done('refused')).end(encode({ request: {}, seen: null }))
  })

// Retried, because on a loaded machine calls may time out before the process has started.
it('serves all requests while the signer restarts', { retry: 2 }, async () => {
  const { slug, ids } = await market.collection(seller.wallet, 3)
  await listAll(market, seller, slug, ids, 40_000)
  const buyers: TestTrader[] = []
  for (const _ of ids) buyers.push(await market.trader())
  const agreements = []
  for (const [n, each] of buyers.entries()) agreements.push(await agreementFor(market, each, [ids[n]!]))
  const { context } = market.server
  const counts = { asked: 0, failed: 0 }
  let isDone = false
  const load = Array.from({ length: 4 }, async () => {
    for (; !isDone; counts.asked++)
      await context.signer.floors([`${'11'.repeat(32)}:0`]).catch(() => counts.failed++)
  })
  const bought: Promise<unknown>[] = []
  try {
    for (const [n, each] of buyers.entries()) {
      await signer.stop()
      bought.push(buy(each, slug, agreements[n]!))
      await new Promise((done) => setTimeout(done, 300))
      await signer.start(authority.settings('signer'))
    }
    await Promise.all(bought)
  } finally {
    isDone = true
    await Promise.allSettled([...load, ...bought])
  }
  await market.mine()
  for (const [n, { wallet }] of buyers.entries())
    expect((await market.coinOf(ids[n]!)).script).toEqual(wallet.ordinalsScript)
  console.log(JSON.stringify(counts))
  expect(counts.failed).toBe(0)
})

it('rejects certificates of another authority', async () => {
  const certificates = authority.texts('server')
  const { ca } = certificates
  expect(await statusWith(certificates)).toBe(200)
  expect(
    Object.fromEntries(
      await Promise.all(
        Object.entries({
          'no certificate': { ca },
          'another authority': { ...stranger.texts('server'), ca },
          expired: { ...expired.texts('server'), ca },
          'the guardian': authority.texts('guardian'),
          'the signer itself': authority.texts('signer'),
          'TLS 1.2': { ...certificates, maxVersion: 'TLSv1.2' as const },
        }).map(async ([who, options]) => [who, await statusWith(options)]),
      ),
    ),
  ).toEqual({
    'no certificate': 'refused',
    'another authority': 'refused',
    expired: 'refused',
    'the guardian': 'refused',
    'the signer itself': 'refused',
    'TLS 1.2': 'refused',
  })
  const answer = await new Promise<string>((done) => {
    const { host, port } = hostOf(signer)
    const plain = connect(port, host, () => plain.write('POST /keys HTTP/1.1\r\ncontent-length: 2\r\n\r\n{}'))
    let text = ''
    plain.on('data', (chunk) => (text += chunk.toString('latin1')))
    plain.on('error', () => done(text)).on('close', () => done(text))
  })
  expect(answer).not.toContain('cosignKey')
})

/** Connects to an impostor of the signer. Returns whether the impostor received a request, and the market's error. */
async function impostor(options: ServerOptions): Promise<{ isHeard: boolean; error: unknown }> {
  let isHeard = false
  const server = createServer({ requestCert: true, ...options }, (_request, response) => {
    isHeard = true
    response.end('{}')
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  try {
    const { port } = server.address() as AddressInfo
    const config = testConfig({ ...settings, SIGNER_SOCKET: `tls://127.0.0.1:${port}` })
    const link = linkOf(config, 'signer', 'server', market.server.context.log)!
    const error: unknown = await remoteSigner(link).catch((cause: unknown) => cause)
    return { isHeard, error }
  } finally {
    server.close()
  }
}

it('rejects a signer of another authority', async () => {
  expect((await impostor(authority.texts('signer'))).isHeard).toBe(true)
  for (const [who, options] of Object.entries({
    'another authority': stranger.texts('signer'),
    expired: expired.texts('signer'),
    'the guardian': authority.texts('guardian'),
    'a server': authority.texts('server'),
    'TLS 1.2': { ...authority.texts('signer'), maxVersion: 'TLSv1.2' as const },
  })) {
    const { isHeard, error } = await impostor(options)
    expect({ who, isHeard }).toEqual({ who, isHeard: false })
    expect(error, who).toMatchObject({ message: 'The signer is unavailable. Try again shortly.' })
  }
})

it('responds while hundreds of handshakes hang', async () => {
  const { host, port } = hostOf(signer)
  const hanging = Array.from({ length: 300 }, () => connect(port, host).on('error', () => {}))
  try {
    let ended = 0
    for (const socket of hanging) socket.once('close', () => ended++)
    await until('the oldest handshake to end', async () => ended >= 300 - 64)
    expect(await statusWith(authority.texts('server'))).toBe(200)
  } finally {
    for (const socket of hanging) socket.destroy()
  }
})

it('does not start with invalid certificates', async () => {
  const { log } = market.server.context
  const link = (overrides: Record<string, string>) => () =>
    linkOf(testConfig({ ...settings, ...overrides }), 'signer', 'server', log)
  for (const place of ['127.0.0.1:7410', 'tcp://127.0.0.1:7410', 'http://127.0.0.1:7410', 'tls://127.0.0.1'])
    expect(link({ SIGNER_SOCKET: place })).toThrow(
      `SIGNER_SOCKET: found "${place}", expected a path, or tls://host:port with certificates on both sides`,
    )
  expect(link({ TLS_AUTHORITY_FILE: '' })).toThrow(
    'requires TLS_CERTIFICATE_FILE, TLS_KEY_FILE and TLS_AUTHORITY_FILE',
  )
  const { TLS_KEY_FILE, TLS_AUTHORITY_FILE } = stranger.settings('server')
  expect(link({ TLS_KEY_FILE })).toThrow(/ordbook-server\.key is not the key of .*ordbook-server\.crt/)
  expect(link({ TLS_CERTIFICATE_FILE: TLS_AUTHORITY_FILE })).toThrow(
    'found no name, expected a certificate with the name ordbook-server',
  )
  expect(link({ TLS_KEY_FILE: TLS_AUTHORITY_FILE })).toThrow('contains no PEM private key')
  expect(link({ TLS_AUTHORITY_FILE: TLS_KEY_FILE })).toThrow('contains no PEM certificate')
  expect(link({ TLS_AUTHORITY_FILE: join(stranger.folder, 'none') })).toThrow(/cannot read .*none/)
  expect(link(expired.settings('server'))).toThrow(/ordbook-server\.crt expired at /)
  const run = spawnSync(process.execPath, [join(import.meta.dirname, '../../signer-host/src/main.ts')], {
    env: { ...process.env, DATA_DIR: stranger.folder, SIGNER_SOCKET: '0.0.0.0:7410' },
    encoding: 'utf8',
  })
  expect(run.status).toBe(1)
  expect(run.stderr).toContain('SIGNER_SOCKET: found "0.0.0.0:7410"')
})

// The last test, because the clock of the server passes the expiry of every order.
it('reports certificates that have expired', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 400 * 86_400_000 })
  try {
    await expectInMetrics(['certificate-expired'], metricsAt(market.server.url))
  } finally {
    vi.useRealTimers()
  }
})
