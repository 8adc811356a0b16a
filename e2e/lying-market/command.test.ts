import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { Client, list, prepareListing, signIn } from '@ordbook/sdk/index.ts'
import { afterAll, expect, it } from 'vitest'
import { freshWallet, setUpMarket } from '../support/market.ts'
import type { Report } from './conductor.ts'

const market = setUpMarket()
let child: ChildProcess | undefined
afterAll(() => child?.kill('SIGKILL'))

async function start(): Promise<{ url: string; ended: Promise<number | null> }> {
  child = spawn(
    process.execPath,
    [
      join(import.meta.dirname, '../../scripts/lying-market.ts'),
      ...['--target', market.server.url, '--port', '0', '--seed', '7'],
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const ended = new Promise<number | null>((done) => child!.once('exit', (code) => done(code)))
  const url = await new Promise<string>((done, fail) => {
    const timeout = setTimeout(() => fail(new Error('The command did not start within 30 seconds.')), 30_000)
    child!.stdout!.setEncoding('utf8').on('data', (text: string) => {
      const found = /lying at (\S+)/.exec(text)?.[1]
      if (!found) return
      clearTimeout(timeout)
      done(found)
    })
  })
  return { url, ended }
}

it('reports the lies that a client signed', async () => {
  const { url, ended } = await start()
  const report = async (body?: unknown): Promise<Report> => {
    const response = await fetch(`${url}/lying-market`, {
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    })
    expect(response.status).toBe(200)
    return (await response.json()) as Report
  }
  const wallet = freshWallet()
  await market.regtest.pay([{ valueSats: 5_000_000, script: wallet.paymentScript }])
  await market.mine()
  const client = new Client(`${url}/api/v1`)
  const { walletBindings } = await signIn(client, wallet, new URL(market.server.url).host)
  const trader = { client, wallet, walletBindingId: walletBindings[0]!.walletBindingId }
  const { slug, ids } = await market.collection(wallet, 1)
  const agreement = {
    inscriptionId: ids[0]!,
    priceSats: 50_000,
    coin: await market.coinOf(ids[0]!),
    maxFeeBps: 100,
  }

  const heard = new Set<string>()
  for (let i = 1; i <= 20; i++) {
    await expect(prepareListing(trader, slug, [agreement])).rejects.toThrow()
    const { told, now, believed } = await report()
    expect([told, believed]).toEqual([i, []])
    heard.add(now!.lie)
  }
  expect(heard.size).toBe(20)

  // The proxy detects a client that signs every request.
  const wished = 'listings.0.psbts.1 halves output 0'
  await report({ lie: wished })
  const request = {
    walletBindingId: trader.walletBindingId,
    ordinalsPublicKey: wallet.ordinalsPublicKey,
    items: [{ inscriptionId: ids[0]!, priceSats: 50_000 }],
  }
  const answer = await client.call('preflightListing', { params: { slug }, body: request })
  const [listing] = answer.listings
  const submit = client.call('submitListing', {
    params: { slug },
    body: {
      ...request,
      anchors: [{ inscriptionId: ids[0]!, anchorUtxoId: listing!.anchorUtxoId }],
      signed: [{ inscriptionId: ids[0]!, psbts: listing!.psbts }],
      signedRecoveryPsbt: answer.recoveryPsbt,
    },
  })
  await expect(submit).rejects.toThrow(/lie/)
  expect((await report()).believed.map((each) => each.lie)).toEqual([wished])

  await report({ lie: null, honest: true })
  const { listings } = await list(trader, slug, [agreement])
  expect(listings).toHaveLength(1)
  child!.kill('SIGTERM')
  expect(await ended).toBe(1)
})
