import { freePort } from '@ordbook/db/process/free-port.ts'
import { examine } from '@ordbook/operations/doctor/examine.ts'
import type { Finding } from '@ordbook/operations/doctor/finding.ts'
import { expect, it } from 'vitest'
import { expectInDoctor, expectInMetrics, expectInStatus, metricsAt } from '../support/faults/fault-places.ts'
import { freshDatabase, serveAgain, setUpMarket, testConfig } from '../support/market.ts'

const market = setUpMarket()

/** The findings of the last run of the doctor. */
let findings: Finding[] = []

/** Restarts the node with flags, and returns the doctor's findings about it by fault. */
async function findingsWith(flags: readonly string[], databaseUrl = market.databaseUrl) {
  await market.node.restart('SIGTERM', flags)
  await market.server.sync()
  return findingsNow(databaseUrl)
}

async function findingsNow(databaseUrl = market.databaseUrl) {
  const config = testConfig({ DATA_DIR: market.dataDir, BITCOIN_RPC_URL: market.node.url })
  const found: Record<string, { state: string; text: string }> = {}
  findings = await Array.fromAsync(examine(config, databaseUrl))
  for (const { about, fault, state, found: text, mend } of findings)
    if (about === 'node') found[fault ?? 'ok'] = { state, text: `${text}. ${mend}` }
  return found
}

/** Restarts the server, which then probes the policy of the node. */
async function restartServer(): Promise<void> {
  await market.server.close()
  await market.sql.end()
  await serveAgain(market, market.databaseUrl)
}

const finding = (state: string, text: RegExp) => ({ state, text: expect.stringMatching(text) })

it('names the policy option that prevents trades', async () => {
  expect(await findingsNow()).toEqual({ ok: finding('ok', /announces no blocks by ZMQ, so it is polled/) })
  const zmq = [`-zmqpubhashblock=tcp://127.0.0.1:${await freePort()}`]
  expect(await findingsWith(zmq)).toEqual({ ok: finding('ok', /announces blocks by ZMQ/) })
  expect(await findingsWith(['-corepolicy=0'])).toEqual({
    'node-packages': finding('fault', /collection offers cannot be traded.*Set corepolicy=1/),
  })
  expectInDoctor(['node-packages'], findings)
  await restartServer()
  await expectInStatus(['node-packages'], market.server.url)
  await expectInMetrics(['node-packages'], metricsAt(market.server.url))
  expect(await findingsWith(['-minrelaytxfee=0.00002'])).toEqual({
    'node-minrelaytxfee': finding('fault', /cannot be traded.*Remove minrelaytxfee/),
  })
  expectInDoctor(['node-minrelaytxfee'], findings)
  await restartServer()
  await expectInStatus(['node-minrelaytxfee'], market.server.url)
  await expectInMetrics(['node-minrelaytxfee'], metricsAt(market.server.url))
  expect(await findingsWith(['-dustrelayfee=0.0001'])).toEqual({
    'node-dustrelayfee': finding('fault', /cannot be traded.*Remove dustrelayfee/),
  })
  expectInDoctor(['node-dustrelayfee'], findings)
  await restartServer()
  await expectInStatus(['node-dustrelayfee'], market.server.url)
  await expectInMetrics(['node-dustrelayfee'], metricsAt(market.server.url))
}, 120_000)

it('reports missing indexes and a pruned node', async () => {
  expect(await findingsWith(['-txindex=0', '-rest=0'])).toEqual({
    'node-txindex-off': finding('warning', /Set txindex=1/),
    'node-rest-off': finding('warning', /Set rest=1/),
  })
  expectInDoctor(['node-txindex-off', 'node-rest-off'], findings)
  await market.node.restart('SIGTERM', ['-txindex=0', '-prune=1', '-fastprune'])
  await market.mine(500)
  const height = await market.regtest.call<number>('pruneblockchain', 400)
  expect(height).toBeGreaterThan(0)
  expect(await findingsNow()).toEqual({
    'node-pruned': finding('warning', /pruned below block \d+.*Remove prune from bitcoin.conf/),
    'node-txindex-off': finding('warning', /no longer pruned/),
  })
  expectInDoctor(['node-pruned'], findings)
  // A new index needs the deleted blocks.
  expect(await findingsNow(await freshDatabase())).toMatchObject({
    'node-pruned': finding('fault', /the index needs block 0/),
  })
}, 120_000)
