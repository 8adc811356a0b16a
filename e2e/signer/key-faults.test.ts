import { copyFileSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@ordbook/db/process/free-port.ts'
import { examine } from '@ordbook/operations/doctor/examine.ts'
import type { Finding } from '@ordbook/operations/doctor/finding.ts'
import { afterAll, beforeAll, it } from 'vitest'
import { expectInDoctor, expectInMetrics, metricsAt } from '../support/faults/fault-places.ts'
import { serveAgain, startMarket, type TestMarket, testConfig, until } from '../support/market.ts'
import { TestAuthority } from './support/certificates.ts'
import { KeyProcess } from './support/key-process.ts'

/** Faults of signer and guardian while a server runs. */
const KEYS = {
  signer: ['cosign.key', 'coins.key', 'signer.journal'],
  guardian: ['guardian.key', 'guardian.journal'],
} as const
type Holder = keyof typeof KEYS
const HOLDERS = ['signer', 'guardian'] as const

const folder = mkdtempSync(join(tmpdir(), 'ordbook-key-faults-'))
const authority = new TestAuthority()
const started: KeyProcess[] = []
let market: TestMarket

beforeAll(async () => {
  market = await startMarket()
  await stopServer()
  // The server must not find the keys.
  for (const name of Object.values(KEYS).flat()) renameSync(join(market.dataDir, name), join(folder, name))
})
afterAll(async () => {
  for (const each of started) await each.remove()
  await market?.stop()
  authority.remove()
  rmSync(folder, { recursive: true })
})

async function stopServer(): Promise<void> {
  await market.server.close()
  await market.sql.end()
}

/** Creates the process of a holder with copies of the market's keys. */
function holderOf(holder: Holder, socket?: string): KeyProcess {
  const process = new KeyProcess(holder, socket)
  started.push(process)
  for (const name of KEYS[holder]) copyFileSync(join(folder, name), join(process.directory, name))
  return process
}

const isUp = async (holder: Holder) =>
  new RegExp(`^ordbook_${holder}_up 1$`, 'm').test(await metricsAt(market.server.url)())

async function findings(settings: Record<string, string>): Promise<Finding[]> {
  const config = testConfig({ DATA_DIR: market.dataDir, BITCOIN_RPC_URL: market.node.url, ...settings })
  return Array.fromAsync(examine(config, market.databaseUrl))
}

it('reports keys that are down, have another secret, other keys or an incomplete journal', async () => {
  const node = { BITCOIN_RPC_URL: market.node.url }
  const settings: Record<string, string> = {}
  const holders = HOLDERS.map((holder) => ({ holder, process: holderOf(holder) }))
  for (const { holder, process } of holders) {
    await process.start(node)
    const secret = join(folder, `${holder}.secret`)
    copyFileSync(process.secretFile, secret)
    settings[`${holder.toUpperCase()}_SOCKET`] = process.socket
    settings[`${holder.toUpperCase()}_SECRET_FILE`] = secret
  }
  await serveAgain(market, market.databaseUrl, { ...settings, LOG_LEVEL: 'silent' })
  const metrics = metricsAt(market.server.url)
  const everyUp = () =>
    until('signer and guardian', async () => (await isUp('signer')) && (await isUp('guardian')))
  /** Changes the files of the stopped processes, and restarts them. */
  const restart = async (change: (each: KeyProcess, holder: Holder) => void) => {
    for (const { holder, process } of holders) {
      await process.stop()
      change(process, holder)
      await process.start(node)
    }
  }
  await everyUp()

  for (const { process } of holders) await process.stop()
  await expectInMetrics(['signer-down', 'guardian-down'], metrics)
  await restart(() => {})
  await everyUp()

  await restart(({ secretFile }) => writeFileSync(secretFile, `${'ab'.repeat(32)}\n`))
  await expectInMetrics(['signer-secret', 'guardian-secret'], metrics)
  await restart(({ secretFile }, holder) => copyFileSync(join(folder, `${holder}.secret`), secretFile))
  await everyUp()

  // The guardian's journal begins with its first revocation.
  await market.server.context.guardian.revoke([{ id: 'ab'.repeat(32), expiresAt: Date.now() + 3_600_000 }])
  await restart(({ journal }, holder) => {
    copyFileSync(journal, join(folder, `${holder}.journal`))
    writeFileSync(journal, `${readFileSync(journal, 'utf8').split('\n')[0]}\n`)
  })
  await expectInMetrics(['signer-journal', 'guardian-journal'], metrics)
  await restart(({ journal }, holder) => copyFileSync(join(folder, `${holder}.journal`), journal))
  await everyUp()

  await restart(({ directory }, holder) => {
    for (const name of KEYS[holder]) rmSync(join(directory, name))
  })
  await expectInMetrics(['signer-keys', 'guardian-keys'], metrics)
  await stopServer()
}, 180_000)

it('reports a signer and a guardian without standbys', async () => {
  const settings: Record<string, string> = { ...authority.settings('server') }
  for (const holder of HOLDERS) {
    const [own, pair, peer] = await Promise.all([freePort(), freePort(), freePort()])
    const process = holderOf(holder, `tls://127.0.0.1:${own}`)
    const prefix = holder.toUpperCase()
    await process.start({
      ...authority.settings(holder),
      BITCOIN_RPC_URL: market.node.url,
      [`${prefix}_HOST`]: 'one',
      [`${prefix}_PAIR_SOCKET`]: `tls://127.0.0.1:${pair}`,
      [`${prefix}_PEER_SOCKET`]: `tls://127.0.0.1:${peer}`,
      [`${prefix}_FORCE_TERM`]: '0',
    })
    settings[`${prefix}_SOCKET`] = `${process.socket},tls://127.0.0.1:${peer}`
  }
  await serveAgain(market, market.databaseUrl, settings)
  const metrics = metricsAt(market.server.url)
  await expectInMetrics(['signer-alone', 'guardian-alone'], metrics)
  expectInDoctor(['signer-alone', 'guardian-alone'], await findings(settings))
}, 120_000)
