import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { startServer } from '@ordbook/app/server.ts'
import { unavailable } from '@ordbook/db/process/errors.ts'
import { freePort } from '@ordbook/db/process/free-port.ts'
import { preparePurchase } from '@ordbook/sdk/index.ts'
import { afterEach, beforeAll, expect, it } from 'vitest'
import { sampled } from '../support/effort.ts'
import { agreementFor, listAll, setUpMarket, testConfig, until } from '../support/market.ts'
import { type ServerProcess, spawnServer } from '../support/server.ts'

/** Two server processes on one database. The leader is suspended, the second process takes over, and the first resumes. */
const port = await freePort()
const market = setUpMarket({ PORT: String(port) })
const servers: ServerProcess[] = []
beforeAll(async () => {
  await market.sql.unsafe(`
    create table looks (position bigint generated always as identity, by text, at timestamptz default clock_timestamp());
    create function note_look() returns trigger language plpgsql as $$
    begin
      insert into looks (by) values (current_setting('application_name'));
      return null;
    end $$;
    create trigger look_noted after insert or update on mempool_poll for each row execute function note_look();`)
})
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.child.kill('SIGCONT')
    await server.kill('SIGKILL')
  }
})

const holder = async (role: string): Promise<string | null> => {
  const [row] = await market.sql<{ holder: string | null }[]>`
    select left(holder::text, 8) as holder from leases where role = ${role} and expires_at > now()
      and exists (select from pg_stat_activity where pid = backend)`
  return row?.holder ?? null
}

const atTip = async (): Promise<boolean> => {
  const best = await market.regtest.call<string>('getbestblockhash')
  return (await market.sql`select 1 from blocks where block_hash = ${best}`).length > 0
}

/** Starts a server and waits until it leads as follower and jobs. Returns its lease holder names. */
async function startLeader(environment: Record<string, string> = {}): Promise<{
  server: ServerProcess
  follower: string
  jobs: string
}> {
  const before = [await holder('follower'), await holder('jobs')]
  const server = spawnServer(market, await freePort(), environment)
  servers.push(server)
  await server.ready()
  const [follower, jobs] = await until('its leases', async () => {
    const now = [await holder('follower'), await holder('jobs')]
    return now.every((each, n) => each !== null && each !== before[n]) ? (now as [string, string]) : null
  })
  return { server, follower, jobs }
}

/** Starts a node proxy that holds back broadcasts until `open` is called. */
async function startGate(
  target: string,
): Promise<{ url: string; waiting(): number; open(): void; close(): void }> {
  const gate = Promise.withResolvers<void>()
  let waiting = 0
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray())
    if (/"(sendrawtransaction|submitpackage)"/.test(body.toString())) {
      waiting++
      await gate.promise
    }
    const url = new URL(request.url!, target)
    const authorization = request.headers.authorization ?? ''
    url.username = url.password = ''
    const answer = await fetch(url, {
      method: request.method!,
      headers: { authorization, 'content-type': 'application/json' },
      ...(body.length > 0 ? { body } : {}),
    }).catch(() => null)
    if (!answer) return void response.destroy()
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
    response.end(Buffer.from(await answer.arrayBuffer()))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const url = new URL(target)
  url.port = String((server.address() as { port: number }).port)
  return {
    url: url.href,
    waiting: () => waiting,
    open: () => gate.resolve(),
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

it('ignores a late broadcast of a former leader', async () => {
  const { databaseUrl, node } = market
  const seller = await market.trader()
  const buyer = await market.trader()
  const { slug, ids } = await market.collection(seller.wallet, 1)
  await listAll(market, seller, slug, ids, 30_000)
  const { body, answer } = await preparePurchase(buyer, slug, await agreementFor(market, buyer, ids))
  // Without follower and jobs, the market stores the purchase but cannot broadcast it.
  await market.server.close()
  const config = testConfig({ DATA_DIR: market.dataDir, PORT: String(port), ROLES: 'api' })
  market.server = await startServer({ ...config, databaseUrl, bitcoinRpcUrl: node.url })
  market.server.context.node.submitPackage = async () => {
    throw unavailable('node-unavailable', 'the node does not answer')
  }
  const gate = await startGate(node.url)
  const first = await startLeader({ BITCOIN_RPC_URL: gate.url })
  await expect(buyer.client.call('submitPurchase', { params: { slug }, body })).rejects.toMatchObject({
    status: 503,
  })
  // Suspend the first leader while it broadcasts. The second leader finds the stored purchase and broadcasts it.
  await until('a pending broadcast', async () => gate.waiting() > 0)
  first.server.child.kill('SIGSTOP')
  await startLeader()
  await until('the package to reach the mempool', async () =>
    (await market.regtest.call<string[]>('getrawmempool')).includes(answer.expectedSettlementTxid),
  )
  await market.regtest.mine()
  const state = async () => {
    const rows = await market.sql<
      { state: string }[]
    >`select state from settlements where settlement_id = ${body.purchaseAnchorUtxoId}`
    return rows.map((row) => row.state).join()
  }
  await until('the settlement', async () => (await state()) === 'confirmed')
  first.server.child.kill('SIGCONT')
  gate.open()
  await sleep(2500)
  await market.regtest.mine()
  await until('the next block', atTip)
  expect(first.server.child.exitCode).toBe(null)
  expect(await holder('jobs')).not.toBe(first.jobs)
  expect(await state()).toBe('confirmed')
  const sales = await market.sql`select txid from sales where inscription_id = ${ids[0]!}`
  expect(sales).toEqual([{ txid: answer.expectedSettlementTxid }])
  const coin = await market.coinOf(ids[0]!)
  expect(coin).toMatchObject({ txid: answer.expectedSettlementTxid, script: buyer.wallet.ordinalsScript })
  expect(await market.regtest.call('gettxout', coin.txid, coin.vout)).not.toBeNull()
  const repeated = await buyer.client.call('submitPurchase', { params: { slug }, body })
  expect(repeated.settlementTxid).toBe(answer.expectedSettlementTxid)
  gate.close()
})

it('replaces a paused leader within ten seconds', async () => {
  await market.server.close()
  for (let round = 0; round < sampled(2, 20, 1); round++) {
    const first = await startLeader()
    const second = spawnServer(market, await freePort())
    servers.push(second)
    await second.ready()
    await until(
      'a poll',
      async () => (await market.sql`select 1 from looks where by like ${`%${first.follower}`}`).length > 0,
    )
    await sleep(Math.random() * 300)
    first.server.child.kill('SIGSTOP')
    const stopped = performance.now()
    await market.regtest.mine()
    const takeoverSeconds = { follower: Number.NaN, jobs: Number.NaN, block: Number.NaN }
    await until('another leader', async () => {
      const seconds = (performance.now() - stopped) / 1000
      for (const role of ['follower', 'jobs'] as const) {
        const now = await holder(role)
        if (Number.isNaN(takeoverSeconds[role]) && now !== null && now !== first[role])
          takeoverSeconds[role] = seconds
      }
      if (Number.isNaN(takeoverSeconds.block) && (await atTip())) takeoverSeconds.block = seconds
      return Object.values(takeoverSeconds).every((takeoverSecond) => !Number.isNaN(takeoverSecond))
    })
    console.log(`replaced after ${JSON.stringify(takeoverSeconds)} s`)
    // The documented limit is ten seconds. A loaded machine may need more.
    expect(Math.max(takeoverSeconds.follower, takeoverSeconds.jobs)).toBeLessThan(15)
    first.server.child.kill('SIGCONT')
    await sleep(2500)
    await market.regtest.mine()
    await until('the next block', atTip)
    // The first leader must write nothing after the second leader's first write.
    const writes = await market.sql<{ by: string }[]>`select by from looks order by position`
    const mine = (by: string) => by.endsWith(first.follower)
    const others = writes.findIndex(
      ({ by }, n) => n > writes.findIndex((write) => mine(write.by)) && !mine(by),
    )
    expect(others).toBeGreaterThan(0)
    expect(writes.slice(others).filter(({ by }) => mine(by))).toEqual([])
    expect(first.server.child.exitCode).toBe(null)
    for (const server of servers.splice(0)) await server.kill('SIGKILL')
  }
})
