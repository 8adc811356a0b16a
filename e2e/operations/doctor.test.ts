import { execFile, spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { connect } from '@ordbook/db/driver/connect.ts'
import { migrate } from '@ordbook/db/schema/migrate.ts'
import { deleteCheckpoints } from '@ordbook/market/keys/checkpoint-queries.ts'
import { examine } from '@ordbook/operations/doctor/examine.ts'
import type { Finding } from '@ordbook/operations/doctor/finding.ts'
import { buy } from '@ordbook/sdk/index.ts'
import { afterAll, expect, it } from 'vitest'
import { TestAuthority } from '../signer/support/certificates.ts'
import { KeyProcess } from '../signer/support/key-process.ts'
import { expectInDoctor, expectInMetrics, metricsAt } from '../support/faults/fault-places.ts'
import { agreementFor, freshDatabase, listAll, setUpMarket, testConfig } from '../support/market.ts'
import { startNode } from '../support/node.ts'
import { startAnswering, startDelay, startPatchedNode } from './support/altered.ts'

const market = setUpMarket()
const folder = mkdtempSync(join(tmpdir(), 'ordbook-doctor-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Runs the doctor with changed settings. Returns findings by component, and the healthy components. */
async function diagnosis(settings: Record<string, string> = {}, databaseUrl = market.databaseUrl) {
  const config = testConfig({
    DATA_DIR: market.dataDir,
    BITCOIN_RPC_URL: market.node.url,
    RATE_LIMITS: 'on',
    ...settings,
  })
  const well: string[] = []
  const findings: Finding[] = []
  /** By component and by fault. */
  const faults: Record<string, Finding> = {}
  const all: Record<string, Finding> = {}
  for await (const finding of examine(config, databaseUrl)) {
    findings.push(finding)
    if (finding.state === 'ok') well.push(finding.about)
    // The test PostgreSQL runs without fsync.
    else if (finding.found !== 'fsync is off') {
      faults[finding.about] = finding
      all[finding.fault!] = finding
    }
  }
  return { well, ill: faults, all, findings }
}

/** Parses the output of `ordbook market doctor --json`. */
const parseFindings = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Finding)

/** Returns the ids of the faults with changed settings. */
const faultsOf = async (settings?: Record<string, string>) =>
  Object.keys((await diagnosis(settings)).all).toSorted()

const faultOf = (found: RegExp) => ({ state: 'fault', found: expect.stringMatching(found) })
const warningOf = (found: RegExp) => ({ state: 'warning', found: expect.stringMatching(found) })

it('reports no faults for a healthy market', async () => {
  const { well, ill, findings } = await diagnosis()
  expect(ill).toEqual({})
  expect(findings.filter(({ about }) => about === 'ord')).toMatchObject([
    { found: 'ORD_URL is not set, and not required: balances of runes are unknown' },
  ])
  expect(well).toEqual(
    expect.arrayContaining(['settings', 'clock', 'node', 'index', 'signer', 'guardian', 'disk', 'processes']),
  )
})

it('reports an unsafe, unreachable or empty database', async () => {
  const unsafe = await freshDatabase()
  const sql = connect(unsafe, { max: 1 })
  await sql.unsafe(`alter database ${new URL(unsafe).pathname.slice(1)} set synchronous_commit = off`)
  await sql.end()
  const { findings } = await diagnosis({}, unsafe)
  expectInDoctor(['database-unsafe'], findings)
  expect(findings).toContainEqual(expect.objectContaining(faultOf(/synchronous_commit is off/)))

  const unreachable = await diagnosis({}, 'postgres://owner:hush@127.0.0.1:1/none')
  expect(unreachable.ill).toMatchObject({
    database: { state: 'fault', mend: expect.stringContaining('DATABASE_URL') },
  })
  expect(JSON.stringify(unreachable)).not.toContain('hush')
  // The doctor still checks the other components, except keys that only the database identifies.
  expect(unreachable.well).toContain('node')
  expect([...unreachable.well, ...Object.keys(unreachable.ill)]).not.toContain('signer')

  const empty = await diagnosis({}, await freshDatabase())
  expect(empty.ill).toMatchObject({ database: warningOf(/empty/), index: warningOf(/no blocks yet/) })
  expect(empty.well).toContain('ord')
  expectInDoctor(['database-empty', 'index-empty'], empty.findings)
})

it('reports a missing DATABASE_URL', async () => {
  const dataDir = join(folder, 'none')
  const { DATABASE_URL, BITCOIN_RPC_URL, ...env } = process.env
  const script = join(import.meta.dirname, '../../scripts/market/doctor.ts')
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [script, ...args], {
      cwd: '/',
      env: { ...env, DATA_DIR: dataDir },
      encoding: 'utf8',
    })
  const { status, stdout, stderr } = run()
  expect(stderr).toBe('')
  expect(status).toBe(1)
  expect(stdout).toContain(
    `FAULT   database: DATABASE_URL is not set, and no embedded database runs in ${dataDir}`,
  )
  expect(stdout).toContain('WARNING node: BITCOIN_RPC_URL is not set')
  expectInDoctor(['database-unset', 'node-unset'], parseFindings(run('--json').stdout))
  expect(readdirSync(folder)).toEqual([])
})

it('reports missing, foreign and readable keys', async () => {
  const lost = join(folder, 'lost')
  const { ill, findings } = await diagnosis({ DATA_DIR: lost })
  expectInDoctor(['signer-keys', 'guardian-keys'], findings)
  expect(ill).toMatchObject({
    signer: faultOf(/cannot find .*cosign\.key/),
    guardian: faultOf(/cannot find .*guardian\.key/),
  })
  const remote = await diagnosis({ DATA_DIR: lost, SIGNER_SOCKET: join(lost, 'socket') })
  expect(remote.ill.signer).toMatchObject(faultOf(/signer\.secret does not exist/))
  expect(readdirSync(folder)).toEqual([])

  const keyFolder = join(folder, 'own')
  cpSync(market.dataDir, keyFolder, { recursive: true })
  rmSync(join(keyFolder, 'signer.journal'))
  chmodSync(join(keyFolder, 'guardian.key'), 0o644)
  const incomplete = await diagnosis({ DATA_DIR: keyFolder, RESET_JOURNAL: 'on' })
  expectInDoctor(['signer-journal', 'keys-readable'], incomplete.findings)
  expect(incomplete.ill).toMatchObject({
    signer: faultOf(/no .*signer\.journal/),
    keys: faultOf(/other users can read .*guardian\.key/),
  })
  expect(readdirSync(keyFolder)).not.toContain('signer.journal')
  rmSync(join(keyFolder, 'guardian.journal'))
  expectInDoctor(['guardian-journal'], (await diagnosis({ DATA_DIR: keyFolder })).findings)

  const swapped = join(folder, 'swapped')
  cpSync(market.dataDir, swapped, { recursive: true })
  cpSync(join(market.dataDir, 'coins.key'), join(swapped, 'cosign.key'))
  cpSync(join(market.dataDir, 'cosign.key'), join(swapped, 'coins.key'))
  expect((await diagnosis({ DATA_DIR: swapped })).ill.signer).toMatchObject(
    faultOf(/belongs to the market key/),
  )
})

it('reports a folder of data that cannot be used', async () => {
  const file = join(folder, 'file')
  writeFileSync(file, '')
  for (const dataDir of [file, join(file, 'data')])
    expectInDoctor(['disk-unreadable'], (await diagnosis({ DATA_DIR: dataDir })).findings)
  rmSync(file)
  expect((await diagnosis({ DATA_DIR: join(folder, 'new', 'data') })).well).toContain('disk')
})

it('reports an old PostgreSQL', async () => {
  const { hostname, port } = new URL(market.databaseUrl)
  const [row] = await market.sql<{ version: string }[]>`select current_setting('server_version') as version`
  const old = await startDelay(Number(port), 0, (bytes) =>
    Buffer.from(bytes.toString('latin1').replaceAll(row!.version, `14${row!.version.slice(2)}`), 'latin1'),
  )
  try {
    const url = market.databaseUrl.replace(`${hostname}:${port}`, `127.0.0.1:${old.port}`)
    const { findings, ill } = await diagnosis({}, url)
    expectInDoctor(['database-version'], findings)
    expect(ill.database).toMatchObject(faultOf(/^PostgreSQL 14/))
  } finally {
    old.close()
  }
})

it('reports an invalid setting', async () => {
  const env = { ...process.env, SELLER_FEE_BPS: '9999', DATA_DIR: folder }
  const { status, stdout } = spawnSync(process.execPath, ['scripts/market/doctor.ts', '--json'], {
    env,
    encoding: 'utf8',
  })
  expect(status).toBe(1)
  expectInDoctor(['settings-invalid'], parseFindings(stdout))
  expect(stdout).toContain('SELLER_FEE_BPS: found')
})

it('reports a node that is down or on another chain', async () => {
  const unreachable = await diagnosis({ BITCOIN_RPC_URL: 'http://operator:hush@127.0.0.1:1' })
  expect(unreachable.ill).toMatchObject({
    node: { state: 'fault', mend: expect.stringContaining('BITCOIN_RPC_URL') },
  })
  expect(JSON.stringify(unreachable)).not.toContain('hush')
  const signet = await diagnosis({ CHAIN: 'signet' })
  expect(signet.ill.node).toMatchObject(faultOf(/on regtest, but CHAIN is signet/))
  expectInDoctor(['node-wrong-network'], signet.findings)
})

it('reports a node on another chain, and a new node', async () => {
  const other = await startNode('devnet')
  try {
    // An empty chain under the same CHAIN.
    const { ill, findings } = await diagnosis({ BITCOIN_RPC_URL: other.url })
    expectInDoctor(['node-other-chain'], findings)
    expect(ill.node).toMatchObject(
      faultOf(/knows of 0, but the index has \d+: it is on another chain, or new/),
    )
    const height = await market.regtest.call<number>('getblockcount')
    await other.regtest.mine(height + 5)
    const longer = (await diagnosis({ BITCOIN_RPC_URL: other.url })).ill.node
    expect(longer).toMatchObject({ ...faultOf(/differs from block/), fault: 'node-other-chain' })
  } finally {
    await other.stop()
  }
  await market.sql`
    insert into index_fault (height, block_hash, reason, since)
    select height, block_hash, 'the chain was reorganized', now() from blocks order by height desc limit 1`
  try {
    expect((await diagnosis()).ill.node).toMatchObject({
      ...faultOf(/^the follower stopped at block \d+ .*: the chain was reorganized$/),
      fault: 'node-other-chain',
    })
  } finally {
    await market.sql`delete from index_fault`
  }
})

it('reports an old node, a syncing node, and a syncing transaction index', async () => {
  const node = await startPatchedNode(market.node.url, {
    getnetworkinfo: (info) => ({ ...info, version: 270100, subversion: '/Satoshi:27.1.0/' }),
    getblockchaininfo: (info) => ({ ...info, headers: 9000, initialblockdownload: true }),
    getindexinfo: (info) => ({ ...info, txindex: { synced: false, best_block_height: 12 } }),
  })
  try {
    const { findings, all } = await diagnosis({ BITCOIN_RPC_URL: node.url })
    expectInDoctor(['node-txindex-syncing', 'node-version'], findings)
    expect(Object.keys(all).toSorted()).toEqual(['node-syncing', 'node-txindex-syncing', 'node-version'])
  } finally {
    await node.close()
  }
})

it('reports an index that is behind, an old block and an old mempool', async () => {
  const node = await startPatchedNode(market.node.url, {
    getblockchaininfo: (info) => ({ ...info, blocks: 9000, headers: 9000 }),
  })
  try {
    expect((await diagnosis({ BITCOIN_RPC_URL: node.url })).ill.index).toMatchObject({
      ...faultOf(/blocks behind the node: trading is paused/),
      fault: 'index-behind',
    })
  } finally {
    await node.close()
  }
  const syncing = await startPatchedNode(market.node.url, {
    getblockchaininfo: (info) => ({ ...info, blocks: info.blocks - 1 }),
  })
  try {
    const { findings, ill } = await diagnosis({ BITCOIN_RPC_URL: syncing.url })
    expectInDoctor(['node-behind'], findings)
    expect(ill.index).toMatchObject(faultOf(/^the node is at block \d+, the index at block \d+/))
  } finally {
    await syncing.close()
  }
  await market.sql`update blocks set mined_at = mined_at - interval '3 hours'`
  try {
    const { findings, ill } = await diagnosis({ CHAIN: 'signet' })
    expectInDoctor(['chain-stale'], findings)
    expect(ill.index).toMatchObject(warningOf(/3\.\d hours old/))
  } finally {
    await market.sql`update blocks set mined_at = mined_at + interval '3 hours'`
  }
})

it('names the setting of a wrong or missing secret', async () => {
  const signer = new KeyProcess('signer')
  const guardian = new KeyProcess('guardian')
  const wrong = join(folder, 'wrong.secret')
  writeFileSync(wrong, `${'ab'.repeat(32)}\n`)
  try {
    await signer.start()
    await guardian.start({ BITCOIN_RPC_URL: market.node.url })
    const { ill, findings } = await diagnosis({
      SIGNER_SOCKET: signer.socket,
      SIGNER_SECRET_FILE: wrong,
      GUARDIAN_SOCKET: guardian.socket,
      GUARDIAN_SECRET_FILE: wrong,
    })
    expectInDoctor(['signer-secret', 'guardian-secret'], findings)
    expect(ill).toMatchObject({
      signer: faultOf(/has another secret than .*wrong/),
      guardian: faultOf(/has another secret than .*wrong/),
    })
    expect(ill.signer!.mend).toContain('SIGNER_SECRET_FILE')
    expect(ill.guardian!.mend).toContain('GUARDIAN_SECRET_FILE')
    expect(JSON.stringify(ill)).not.toMatch(/abab|EPROTO/)
  } finally {
    await signer.remove()
    await guardian.remove()
  }
})

it('reports that signer and guardian are down', async () => {
  const secret = join(folder, 'any.secret')
  writeFileSync(secret, `${'cd'.repeat(32)}\n`)
  const { findings, all } = await diagnosis({
    SIGNER_SOCKET: join(folder, 'no-signer'),
    SIGNER_SECRET_FILE: secret,
    GUARDIAN_SOCKET: join(folder, 'no-guardian'),
    GUARDIAN_SECRET_FILE: secret,
  })
  expectInDoctor(['guardian-down', 'signer-down'], findings)
  expect(Object.keys(all).toSorted()).toEqual(['guardian-down', 'signer-down'])
}, 60_000)

it('reports a pool that is filling up', async () => {
  const { all, findings } = await diagnosis({ ANCHOR_POOL: '1000' })
  expectInDoctor(['coins-low'], findings)
  expect(all['coins-low']).toMatchObject(warningOf(/^\d+ of 1000 anchors/))
})

it('reports the schema of another release', async () => {
  const url = await freshDatabase()
  const sql = connect(url, { max: 1 })
  try {
    await migrate(sql)
    await sql`delete from migrations where name = (select max(name) from migrations)`
    expectInDoctor(['schema-old'], (await diagnosis({}, url)).findings)
    await sql`update migrations set checksum = 'other' where name = (select min(name) from migrations)`
    expectInDoctor(['schema-foreign'], (await diagnosis({}, url)).findings)
  } finally {
    await sql.end()
  }
})

it('reports a slow database and too few connections', async () => {
  const { hostname, port } = new URL(market.databaseUrl)
  const slow = await startDelay(Number(port), 300)
  try {
    const url = market.databaseUrl.replace(`${hostname}:${port}`, `127.0.0.1:${slow.port}`)
    expect((await diagnosis({}, url)).ill.database).toMatchObject(warningOf(/a query takes \d+ ms/))
  } finally {
    slow.close()
  }
  expectInDoctor(['database-connections'], (await diagnosis({ DATABASE_CONNECTIONS: '100' })).findings)
}, 120_000)

it('reports a stuck settlement and a stalled renderer', async () => {
  const socket = join(folder, 'open-previews')
  const listener = createServer().listen(socket)
  const [seller, buyer] = [await market.trader(), await market.trader()]
  const { slug, ids } = await market.collection(seller.wallet, 1)
  await listAll(market, seller, slug, ids, 50_000)
  await buy(buyer, slug, await agreementFor(market, buyer, ids))
  await market.sql`update settlements set created_at = created_at - interval '7 hours'`
  await market.sql`
    insert into previews (content_key, inscription_id, kind, state, due_at)
    values ('\\x01', 'a', 'raster', 'waiting', now() - interval '11 minutes')`
  try {
    expect(await faultsOf({ PREVIEW_SOCKET: socket })).toEqual(['previews-stalled', 'settlement-stuck'])
    expectInDoctor(['settlement-stuck'], (await diagnosis()).findings)
    await expectInMetrics(['settlement-stuck'], metricsAt(market.server.url))
  } finally {
    listener.close()
    await market.sql`delete from previews`
  }
  await market.mine()
  expect(await faultsOf()).toEqual([])
})

it('reports a certificate of PUBLIC_URL that clients reject', async () => {
  const authority = new TestAuthority()
  const server = createHttpsServer(authority.texts('server'), (_request, response) => response.end())
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const publicUrl = `https://localhost:${(server.address() as AddressInfo).port}`
  try {
    const { all, findings } = await diagnosis({ PUBLIC_URL: publicUrl })
    expectInDoctor(['public-certificate'], findings)
    expect(all['public-certificate']).toMatchObject(faultOf(/clients reject the certificate of localhost/))
    expect((await diagnosis({ PUBLIC_URL: 'https://127.0.0.1:1' })).all['public-certificate']).toMatchObject(
      faultOf(/ECONNREFUSED/),
    )
  } finally {
    server.close()
    authority.remove()
  }
})

it('reports contradictory settings', async () => {
  const proxies = await diagnosis({ PUBLIC_URL: 'http://market.example' })
  expectInDoctor(['proxy-untrusted', 'proxy-unencrypted', 'content-same-origin'], proxies.findings)
  const unlimited = await diagnosis({ RATE_LIMITS: 'off' })
  expectInDoctor(['settings-risky'], unlimited.findings)
  expect(unlimited.ill.settings).toMatchObject(warningOf(/RATE_LIMITS/))
  const mainnet = await diagnosis({ CHAIN: 'main' })
  expectInDoctor(['ord-unset', 'keys-in-server'], mainnet.findings)
  expect(mainnet.ill).toMatchObject({
    ord: faultOf(/neither ORD_URL nor ADDRESS_INDEX_URL is set/),
    keys: warningOf(/holds the keys/),
  })
})

it('reports unreachable Redis and ord servers', async () => {
  const { findings } = await diagnosis({
    REDIS_URL: 'redis://127.0.0.1:1',
    ORD_URL: 'http://127.0.0.1:1',
    PREVIEW_SOCKET: join(folder, 'previews'),
  })
  expectInDoctor(['redis-down', 'ord-down', 'previews-unreachable'], findings)
})

it('reports an ord server without indexes or after a deep reorg', async () => {
  // As in ord 0.29, which omits the indexes that are off.
  const status = {
    height: 0,
    inscriptions: 0,
    blessed_inscriptions: 0,
    cursed_inscriptions: 0,
    lost_sats: 0,
    inscription_index: true,
    unrecoverably_reorged: true,
  }
  const ord = await startAnswering(status)
  try {
    // In another process, because this one compares responses of /status with the contract.
    const env = {
      ...process.env,
      DATABASE_URL: market.databaseUrl,
      DATA_DIR: market.dataDir,
      BITCOIN_RPC_URL: market.node.url,
      ORD_URL: ord.url,
    }
    const { stdout } = await promisify(execFile)(process.execPath, ['scripts/market/doctor.ts', '--json'], {
      env,
    }).catch((error: { stdout: string }) => error)
    const findings = parseFindings(stdout)
    expectInDoctor(['ord-behind', 'ord-indexes', 'ord-reorged'], findings)
    const found = findings.flatMap(({ about, fault }) => (about === 'ord' ? [fault] : [])).toSorted()
    expect(found).toEqual(['ord-behind', 'ord-indexes', 'ord-indexes', 'ord-reorged'])
  } finally {
    await ord.close()
  }
})

it('reports stopped processes and mismatched journals', async () => {
  await market.server.close()
  const databaseUrl = market.databaseUrl
  expect((await diagnosis()).ill.processes).toMatchObject(faultOf(/no process has the role follower or jobs/))
  await market.sql`update mempool_poll set polled_at = polled_at - interval '2 minutes'`
  expect((await diagnosis()).ill.index).toMatchObject({
    ...faultOf(/the mempool was last read 1\d\d seconds ago/),
    fault: 'mempool-stale',
  })
  await deleteCheckpoints(market.sql)
  const restored = await diagnosis()
  expectInDoctor(['journals-reset'], restored.findings)
  expect(restored.ill).toMatchObject({ keys: faultOf(/restored from a backup/) })

  const run = spawnSync(process.execPath, ['scripts/market/doctor.ts', '--json'], {
    env: {
      ...process.env,
      DATABASE_URL: databaseUrl,
      DATA_DIR: market.dataDir,
      BITCOIN_RPC_URL: market.node.url,
    },
    encoding: 'utf8',
  })
  expect(run.status).toBe(1)
  const lines = run.stdout.trim().split('\n')
  expect(lines.map((line) => JSON.parse(line).state)).toContain('fault')
})
