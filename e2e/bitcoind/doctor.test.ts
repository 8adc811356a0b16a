import { examine } from '@ordbook/operations/doctor/examine.ts'
import { expect, it } from 'vitest'
import { freshDatabase, setUpMarket, testConfig } from '../support/market.ts'

const market = setUpMarket()

/** Restarts the node with flags, and returns the doctor's findings about it by fault. */
async function findingsWith(flags: readonly string[], databaseUrl = market.databaseUrl) {
  await market.node.restart('SIGTERM', flags)
  await market.server.sync()
  return findingsNow(databaseUrl)
}

async function findingsNow(databaseUrl = market.databaseUrl) {
  const config = testConfig({ DATA_DIR: market.dataDir, BITCOIN_RPC_URL: market.node.url })
  const found: Record<string, { state: string; text: string }> = {}
  for await (const { about, fault, state, found: text, mend } of examine(config, databaseUrl))
    if (about === 'node') found[fault ?? 'ok'] = { state, text: `${text}. ${mend}` }
  return found
}

const finding = (state: string, text: RegExp) => ({ state, text: expect.stringMatching(text) })

it('names the policy option that prevents trades', async () => {
  expect(Object.keys(await findingsNow())).toEqual(['ok'])
  expect(await findingsWith(['-corepolicy=0'])).toEqual({
    'node-packages': finding('fault', /collection offers cannot be traded.*Set corepolicy=1/),
  })
  expect(await findingsWith(['-minrelaytxfee=0.00002'])).toEqual({
    'node-minrelaytxfee': finding('fault', /cannot be traded.*Remove minrelaytxfee/),
  })
  expect(await findingsWith(['-dustrelayfee=0.0001'])).toEqual({
    'node-dustrelayfee': finding('fault', /cannot be traded.*Remove dustrelayfee/),
  })
}, 120_000)

it('reports missing indexes and a pruned node', async () => {
  expect(await findingsWith(['-txindex=0', '-rest=0'])).toEqual({
    'node-txindex-off': finding('warning', /Set txindex=1/),
    'node-rest-off': finding('warning', /Set rest=1/),
  })
  await market.node.restart('SIGTERM', ['-txindex=0', '-prune=1', '-fastprune'])
  await market.mine(500)
  const height = await market.regtest.call<number>('pruneblockchain', 400)
  expect(height).toBeGreaterThan(0)
  expect(await findingsNow()).toEqual({
    'node-pruned': finding('warning', /pruned below block \d+.*Remove prune from bitcoin.conf/),
    'node-txindex-off': finding('warning', /no longer pruned/),
  })
  // A new index needs the deleted blocks.
  expect(await findingsNow(await freshDatabase())).toMatchObject({
    'node-pruned': finding('fault', /the index needs block 0/),
  })
}, 120_000)
