import { execFile, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { addressOfScript } from '@ordbook/bitcoin/address.ts'
import { allowanceLeft } from '@ordbook/market/market-coins/budgets.ts'
import { coinOf } from '@ordbook/market/market-coins/grants.ts'
import { STRANDED_SATS } from '@ordbook/market/market-coins/shares.ts'
import { findShortages } from '@ordbook/market/market-coins/shortages.ts'
import { examine } from '@ordbook/operations/doctor/examine.ts'
import type { Finding } from '@ordbook/operations/doctor/finding.ts'
import { buy, delist } from '@ordbook/sdk/index.ts'
import { expect, it } from 'vitest'
import { strand } from '../escrows/support/escrow-market.ts'
import { expectInDoctor, expectInMetrics, expectInStatus, metricsAt } from '../support/faults/fault-places.ts'
import { agreementFor, keyHolder, listAll, setUpMarket, testConfig, until } from '../support/market.ts'

const CALL_SATS = 500_000
const market = setUpMarket({
  tuning: {
    feeRateFallbackSatVb: 500,
    anchorSpendMaxSatVb: 500,
    anchorSpendDelaySeconds: 0,
    tailPool: 60,
  },
  SIGNER_MAX_FEE_PER_CALL_SATS: String(CALL_SATS),
  SIGNER_MAX_FEE_PER_DAY_SATS: '100000000',
  STRANDING_ALLOWANCE_SATS: '20000000',
  WALLET_ALLOWANCE_SATS: '10000000',
  ANCHOR_POOL: '120',
})

/** Net cost in sats of market transactions with this purpose. */
const feesOf = async (purpose: string) => {
  const rows = await market.sql<{ sats: number }[]>`
    select -sum(sats)::bigint as sats from market_ledger
    where txid in (select txid from market_transactions where purpose = ${purpose}) group by txid`
  return rows.map((row) => row.sats)
}

it("splits coins within the signer's fee limit", async () => {
  const fees = await feesOf('split')
  // In one transaction it would have 181 outputs and cost 4,000,000 sats.
  expect(fees.length).toBeGreaterThan(1)
  for (const sats of fees) expect(sats).toBeLessThanOrEqual(CALL_SATS)
  const seller = await market.trader()
  const { slug, ids } = await market.collection(seller.wallet, 20)
  await market.anchors(45)
  market.server.context.config.anchorSpendDelaySeconds = 3600
  const listed = await listAll(market, seller, slug, ids, 2_000_000)
  await delist(
    seller,
    slug,
    ids.map((inscriptionId) => ({ inscriptionId, listingId: listed.get(inscriptionId)! })),
  )
  market.server.context.config.anchorSpendDelaySeconds = 0
  await until('the anchors to be spent', async () => {
    await market.mine()
    const [row] = await market.sql<{ count: number }[]>`
      select count(*)::int as count from market_coins where state in ('retired', 'spending')`
    return row!.count === 0
  })
  const voids = await feesOf('void')
  expect(voids.length).toBeGreaterThan(1)
  for (const sats of voids) expect(sats).toBeLessThanOrEqual(CALL_SATS)
})

it('reports the causes of costs to operators', async () => {
  market.server.context.config.feeRateFallbackSatVb = 2
  const seller = await market.trader()
  const { trader: buyer, keys } = await keyHolder(market)
  const { slug, ids } = await market.collection(seller.wallet, 2)
  await listAll(market, seller, slug, ids, 50_000)
  await strand(market, buyer, keys.payment, slug, [ids[0]!])
  await market.mine()
  const observer = await market.trader()
  await buy(observer, slug, await agreementFor(market, observer, [ids[1]!]))
  await market.mine()
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(import.meta.dirname, '../../scripts/market/operate.ts'), 'pool'],
    {
      env: {
        ...process.env,
        DATABASE_URL: market.databaseUrl,
        DATA_DIR: market.dataDir,
        STRANDING_ALLOWANCE_SATS: '20000000',
      },
      timeout: 60_000,
    },
  )
  const [row] = await market.sql<{ sats: number }[]>`select sum(sats)::bigint as sats from market_ledger`
  const metrics = await (await fetch(`${market.server.url}/metrics`)).text()
  // Look up the buyer who replaced the settlement by address and by wallet binding.
  const address = addressOfScript(buyer.wallet.ordinalsScript, 'regtest')!
  expect(stdout).toMatch(new RegExp(`-\\d+ sats +${address} +\\(split -\\d+, transfer -330\\)`))
  expect(stdout).toMatch(/ledger +.*funding \d+, refund 330, revenue 1000, split -\d+, transfer -660/)
  expect(stdout).toContain('the ledger matches the coins')
  expect(metrics).toContain(
    `ordbook_wallet_cost_sats{wallet="${buyer.walletBindingId}",purpose="transfer"} -330`,
  )
  expect(metrics).toContain(
    `ordbook_wallet_cost_sats{wallet="${observer.walletBindingId}",purpose="revenue"} 1000`,
  )
  expect(metrics).toContain('ordbook_market_ledger_sats{purpose="transfer"} -660')
  expect(stdout).toContain(`${row!.sats} sats`)
})

/** Returns the findings of `ordbook market doctor` on the market's coins. */
async function findings(allowanceSats = 20_000_000): Promise<Finding[]> {
  const config = testConfig({
    ANCHOR_POOL: '120',
    DATA_DIR: market.dataDir,
    BITCOIN_RPC_URL: market.node.url,
    STRANDING_ALLOWANCE_SATS: String(allowanceSats),
  })
  const found = []
  for await (const finding of examine(config, market.databaseUrl))
    if (finding.about === 'market coins') found.push(finding)
  return found
}

it('reports an empty pool and a spent allowance', async () => {
  const { config } = market.server.context
  const { strandingAllowanceSats } = config
  const { url } = market.server
  const shortages = async () => {
    const status = (await (await fetch(`${url}/status`)).json()) as { shortages: { resource: string }[] }
    return status.shortages.map((shortage) => shortage.resource)
  }
  await market.anchors(60)
  await until('a full pool', async () => (await shortages()).length === 0)
  expect(await findings()).toMatchObject([{ state: 'ok' }])
  // New wallets may use half of the allowance, all wallets three quarters.
  const { allWalletsSats } = await allowanceLeft(market.server.context, market.sql)
  const drawnSats = strandingAllowanceSats * 0.75 - allWalletsSats
  config.strandingAllowanceSats = Math.ceil((drawnSats + STRANDED_SATS) / 0.75)
  await expectInStatus(['new-wallet-allowance-used-up'], url)
  await expectInMetrics(['new-wallet-allowance-used-up', 'allowance-low'], metricsAt(url))
  expect(await shortages()).not.toContain('allowance')
  expectInDoctor(['new-wallet-allowance-used-up'], await findings(config.strandingAllowanceSats))
  await market.sql`update market_coins set reserved_for = gen_random_uuid() where state = 'free'`
  config.strandingAllowanceSats = 0
  await until('an empty pool', async () => (await shortages()).includes('funds'))
  expect(await shortages()).toEqual(['funds', 'anchors', 'fee-coins', 'allowance', 'ended-allowance'])
  await expectInStatus(
    ['coins-empty', 'anchors-used-up', 'fee-coins-used-up', 'allowance-used-up', 'ended-allowance-used-up'],
    url,
  )
  await expectInMetrics(['coins-empty', 'allowance-used-up', 'ended-allowance-used-up'], metricsAt(url))
  expectInDoctor(['coins-empty'], await findings())
  expectInDoctor(['allowance-used-up', 'ended-allowance-used-up'], await findings(0))
  // A block brings no coins, so the doctor does not name the shortages that it ends.
  expect((await findings()).map(({ state, found, mend }) => `${state}: ${found}. ${mend}`)).toEqual([
    expect.stringMatching(
      /^fault: The market has no coin that it can split at \d+ sat\/vB\..* at least 40001 sats.* Send them to the address/,
    ),
  ])
  await market.sql`update market_coins set reserved_for = null where state = 'held' and caused_by is null`
  Object.assign(config, { strandingAllowanceSats })
  await until('the pool to be full again', async () => (await shortages()).length === 0)
})

it('does not report missing funds while a split is unconfirmed', async () => {
  const reserve = (maxSats: number) => market.sql`
    update market_coins set reserved_for = gen_random_uuid() where state = 'free' and value_sats <= ${maxSats}`
  const shortages = async () =>
    (await findShortages(market.server.context, 2)).map((shortage) => shortage.resource)
  await reserve(market.server.context.config.tailSats * 2)
  await until('a split', async () => {
    const splits = await market.sql`
      select 1 from market_transactions where state = 'intended' and purpose = 'split'`
    return splits.length > 0
  })
  await reserve(Number.MAX_SAFE_INTEGER)
  expect(await shortages()).toEqual(['anchors', 'fee-coins'])
  await expectInMetrics(['anchors-used-up', 'fee-coins-used-up'], metricsAt(market.server.url))
  expectInDoctor(['anchors-used-up', 'fee-coins-used-up'], await findings())
  await market.mine()
  await until('its coins', async () => (await shortages()).length === 0)
})

it('names the sats that a split needs at the fee rate', async () => {
  const { config, market: keys } = market.server.context
  const { url } = market.server
  const funds = async () => {
    const status = (await (await fetch(`${url}/status`)).json()) as {
      shortages: { resource: string; reason: string }[]
    }
    return status.shortages.find(({ resource }) => resource === 'funds')?.reason
  }
  config.feeRateFallbackSatVb = 400
  await market.sql`update market_coins set reserved_for = gen_random_uuid() where state = 'free'`
  const needed = async () =>
    Number(/at 400 sat\/vB\. .* at least (\d+) sats/.exec((await funds()) ?? '')?.[1])
  await until('an empty pool', async () => (await needed()) > 0)
  const leastSats = await needed()
  expect(leastSats).toBeGreaterThan(2 * config.tailSats + 1)
  const pay = async (valueSats: number) => {
    await market.regtest.pay([{ valueSats, script: keys.coinScript }])
    await market.mine()
  }
  // A tail coin is at most 40,000 sats. This coin is larger, and too small to split.
  await pay(leastSats - 1)
  await until('a free coin', async () => {
    const coins =
      await market.sql`select 1 from market_coins where state = 'free' and value_sats = ${leastSats - 1}`
    return coins.length > 0
  })
  expect(await needed()).toBe(leastSats)
  await pay(leastSats)
  await until('a split', async () => (await funds()) === undefined)
  await market.mine()
  config.feeRateFallbackSatVb = 2
  await market.sql`update market_coins set reserved_for = null where state = 'held' and caused_by is null`
})

it('splits a coin that cannot fill the pool', async () => {
  const { context } = market.server
  await market.sql`update market_coins set reserved_for = gen_random_uuid() where state = 'free'`
  await market.regtest.pay([{ valueSats: 50_000, script: context.market.coinScript }])
  await until('anchors and tail coins', async () => {
    await market.mine()
    return (await findShortages(context, 2)).every(({ resource }) => resource === 'funds')
  })
  await market.sql`update market_coins set reserved_for = null where state = 'held' and caused_by is null`
})

it('reports coins that another holder of the keys spent', async () => {
  const { signer, market: keys } = market.server.context
  const [tail] = await market.sql<{ txid: string; vout: number; valueSats: number }[]>`
    select txid, vout, value_sats from market_coins where state = 'free' and value_sats > 10000 limit 1`
  const coin = coinOf(tail!, keys.coinScript)
  const spent = await signer.signCoins({ coins: [coin], outputSats: [coin.valueSats - 500], parents: [] })
  await market.regtest.call('sendrawtransaction', spent.hex)
  await market.mine()
  const run = pool()
  expect(run.status).toBe(1)
  expect(run.stdout).toContain(`${spent.txid}: -500 sats unexplained`)
  expect(run.stdout).toContain('the ledger does NOT explain all coins')
  expect(run.stdout).not.toContain('the ledger matches the coins')
  const found = []
  const config = testConfig({ DATA_DIR: market.dataDir, BITCOIN_RPC_URL: market.node.url })
  for await (const finding of examine(config, market.databaseUrl))
    if (finding.fault === 'ledger-unexplained') found.push(finding)
  expect(found).toMatchObject([{ state: 'fault', found: expect.stringContaining(spent.txid) }])
  expectInDoctor(['ledger-unexplained'], found)
  await expectInMetrics(['ledger-unexplained'], metricsAt(market.server.url))
  expect(await readMetrics()).toContain('ordbook_market_ledger_sats{purpose="unexplained"} -500')
  // A gain of the same amount does not hide the loss.
  const other = 'ab'.repeat(32)
  await market.sql`
    insert into market_ledger (height, txid, purpose, sats, booked_at) values (1, ${other}, 'unexplained', 500, now())`
  expect(await readMetrics()).toContain('ordbook_market_unexplained_transactions 2')
  await market.sql`delete from market_ledger where txid = ${other}`

  const explain = (...words: string[]) => pool('explain', ...words)
  expect(explain(spent.txid).stderr).toContain('expected --reason')
  expect(explain(spent.txid, other, '--reason', 'test').stderr).toContain(`${other}: not an unexplained`)
  expect(pool().status).toBe(1)
  expect(explain(spent.txid, '--reason', 'a second market').status).toBe(0)
  await expectExplained(spent.txid)
  // The reason also applies if the block is replaced.
  const [hash] = [await market.regtest.call<string>('getbestblockhash')]
  await market.regtest.call('invalidateblock', hash)
  await market.mine(2)
  await expectExplained(spent.txid)
})

const readMetrics = async () => (await fetch(`${market.server.url}/metrics`)).text()

/** Runs `ordbook market pool`. */
const pool = (...words: string[]) =>
  spawnSync(
    process.execPath,
    [join(import.meta.dirname, '../../scripts/market/operate.ts'), 'pool', ...words],
    {
      env: { ...process.env, DATABASE_URL: market.databaseUrl, DATA_DIR: market.dataDir },
      encoding: 'utf8',
      timeout: 60_000,
    },
  )

async function expectExplained(txid: string): Promise<void> {
  const { status, stdout } = pool()
  expect(stdout).toContain(`${txid}: -500 sats explained by the operator: a second market`)
  expect(stdout).toContain('the ledger matches the coins')
  expect(status).toBe(0)
  const metrics = await readMetrics()
  expect(metrics).toContain('ordbook_market_ledger_sats{purpose="explained"} -500')
  expect(metrics).not.toContain('ordbook_market_ledger_sats{purpose="unexplained"}')
  expect(metrics).toContain('ordbook_market_unexplained_transactions 0')
}
