import { copyFileSync, readFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import { freePort } from '@ordbook/db/process/free-port.ts'
import { addressOf } from '@ordbook/process/address.ts'
import { buy } from '@ordbook/sdk/index.ts'
import { RevokedRefusal, type Signer } from '@ordbook/signer/requests.ts'
import { encode } from '@ordbook/signer/wire.ts'
import { remoteSigner } from '@ordbook/signer-host/client.ts'
import { linkOf } from '@ordbook/signer-host/link-of.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  agreementFor,
  listAll,
  signedPackage,
  startMarket,
  type TestMarket,
  type TestTrader,
  testConfig,
  until,
} from '../support/market.ts'
import { TestAuthority } from './support/certificates.ts'
import { KeyProcess } from './support/key-process.ts'

/** A market with a pair of signers. One must not sign a leg that was revoked on the other. */
const authority = new TestAuthority()
const COIN = `${'11'.repeat(32)}:0`
let hosts: { signer: KeyProcess; settings: Record<string, string> }[]
let settings: Record<string, string>
let market: TestMarket
let seller: TestTrader
let buyer: TestTrader

const linesOf = ({ journal }: KeyProcess) => readFileSync(journal, 'latin1').trimEnd().split('\n')
/** Returns the last `term` line of a host's journal, which names the active host. */
const standingOf = (signer: KeyProcess) => linesOf(signer).findLast((line) => line.startsWith('term '))
const isWhole = async () => {
  const [one, two] = hosts.map(({ signer }) => standingOf(signer))
  return one === two && one?.endsWith('paired')
}
const start = ({ signer, settings }: (typeof hosts)[number], more: Record<string, string> = {}) =>
  signer.start({ ...settings, ...more })
const parts = () => {
  const [, , name] = standingOf(hosts[0]!.signer)!.split(' ')
  const active = hosts.find((host) => host.settings.SIGNER_HOST === name)!
  return { active, standby: hosts.find((host) => host !== active)! }
}

beforeAll(async () => {
  const ports = [await freePort(), await freePort(), await freePort(), await freePort()]
  const [one, two] = ports.slice(2).map((port) => `tls://127.0.0.1:${port}`)
  hosts = [
    { SIGNER_HOST: 'one', SIGNER_PAIR_SOCKET: one!, SIGNER_PEER_SOCKET: two! },
    { SIGNER_HOST: 'two', SIGNER_PAIR_SOCKET: two!, SIGNER_PEER_SOCKET: one! },
  ].map((pair, n) => ({
    signer: new KeyProcess('signer', `tls://127.0.0.1:${ports[n]}`),
    settings: { ...pair, ...authority.settings('signer') },
  }))
  const [first, second] = hosts as [(typeof hosts)[0], (typeof hosts)[0]]
  await start(first, { SIGNER_FORCE_TERM: '0' })
  await until('the first term', async () => linesOf(first.signer).length === 2)
  for (const name of ['cosign.key', 'coins.key', 'signer.journal'])
    copyFileSync(join(first.signer.directory, name), join(second.signer.directory, name))
  await start(second)
  await until('both hosts of the pair', isWhole)
  const sockets = hosts.map(({ signer }) => signer.socket).join(',')
  settings = { SIGNER_SOCKET: sockets, ...authority.settings('server'), LOG_LEVEL: 'silent' }
  market = await startMarket(settings)
  seller = await market.trader()
  buyer = await market.trader('p2wpkh', 40_000_000)
})
afterAll(async () => {
  await market?.stop()
  for (const { signer } of hosts ?? []) await signer.remove()
  authority.remove()
})

const figure = async () =>
  /^ordbook_signer_paired (\d)$/m.exec(await (await fetch(`${market.server.url}/metrics`)).text())?.[1]

const clientOf = (socket: string): Promise<Signer> =>
  remoteSigner(
    linkOf(
      testConfig({ ...settings, SIGNER_SOCKET: socket }),
      'signer',
      'server',
      market.server.context.log,
    )!,
  )

it('rejects the lower price after a failover', async () => {
  const { slug, ids } = await market.collection(seller.wallet, 1)
  await listAll(market, seller, slug, ids, 50_000)
  const cheap = await signedPackage(market, buyer, slug, ids)
  const { signer } = market.server.context
  await listAll(market, seller, slug, ids, 60_000)
  const refusal = () =>
    signer.signSettlement(cheap.request).then(
      () => null,
      (error: unknown) => error,
    )
  await until('the revocation', async () => /cancelled by its seller/.test(String(await refusal())))
  const { active, standby } = parts()
  await active.signer.stop()
  expect(String(await refusal())).toMatch(/cancelled by its seller/)
  expect(standingOf(standby.signer)).toBe(`term 2 ${standby.settings.SIGNER_HOST} alone`)
  await expect((await clientOf(standby.signer.socket)).signSettlement(cheap.request)).rejects.toThrow(
    RevokedRefusal,
  )
  await buy(buyer, slug, await agreementFor(market, buyer, ids))
  await market.mine()
  expect((await market.coinOf(ids[0]!)).script).toEqual(buyer.wallet.ordinalsScript)

  await until('the metric of a single host', async () => (await figure()) === '0')
  await start(active)
  await until('both hosts of the pair', isWhole)
  await until('the metric of a pair', async () => (await figure()) === '1')
  expect(linesOf(active.signer)).toEqual(linesOf(standby.signer))
})

it('signs nothing on a paused host after a failover', async () => {
  const { active, standby } = parts()
  const frozen = await clientOf(active.signer.socket)
  const floors = frozen.floors([COIN])
  await floors
  active.signer.signal('SIGSTOP')
  try {
    await until('the other host', async () => standingOf(standby.signer)!.endsWith('alone'))
    await market.server.context.signer.raiseFloors([{ outpoint: COIN, floor: 5 }])
  } finally {
    active.signer.signal('SIGCONT')
  }
  await expect(frozen.floors([COIN])).rejects.toThrow('The signer is unavailable')
  await until('both hosts of the pair', isWhole)
  expect(linesOf(active.signer)).toEqual(linesOf(standby.signer))
  expect(await market.server.context.signer.floors([COIN])).toEqual([{ outpoint: COIN, floor: 5, next: 6 }])
})

// Retried, because on a loaded machine calls may time out before the process has started.
it('serves all requests while both hosts restart', {
  retry: 2,
}, async () => {
  const both = await clientOf(settings.SIGNER_SOCKET!)
  const counts = { asked: 0, failed: 0 }
  let isDone = false
  let floor = 10
  const load = Array.from({ length: 3 }, async () => {
    for (; !isDone; counts.asked++)
      await both.raiseFloors([{ outpoint: COIN, floor: floor++ }]).catch(() => counts.failed++)
  })
  try {
    for (const host of [...hosts, ...hosts]) {
      await until('both hosts of the pair', isWhole)
      await host.signer.stop('SIGTERM')
      await start(host)
    }
    await until('both hosts of the pair', isWhole)
  } finally {
    isDone = true
    await Promise.allSettled(load)
  }
  console.log(JSON.stringify(counts))
  expect(counts.failed).toBe(0)
  expect((await both.floors([COIN]))[0]!.floor).toBe(floor - 1)
})

/** Returns the HTTP status of a call to a pair socket with a client certificate of `side`, or `refused`. */
const statusAs = (side: 'server' | 'signer', call: string) =>
  new Promise<number | 'refused'>((done) => {
    const place = addressOf(hosts[0]!.settings.SIGNER_PAIR_SOCKET!)!
    const options = {
      ...place,
      ...authority.texts(side),
      servername: 'ordbook-signer',
      agent: false as const,
    }
    request({ ...options, path: `/${call}`, method: 'POST', timeout: 10_000 }, (response) =>
      done(response.resume().statusCode!),
    )
      .once('error', () => done('refused'))
      .end(encode({ request: {}, seen: null }))
  })

it('accepts only its peer on the peer address', async () => {
  expect(await statusAs('signer', 'append')).toBe(403)
  expect(await statusAs('signer', 'keys')).toBe(404)
  for (const call of ['append', 'release', 'keys']) expect(await statusAs('server', call)).toBe('refused')
})
