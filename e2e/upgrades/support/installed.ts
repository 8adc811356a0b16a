import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { scriptOfAddress } from '@ordbook/bitcoin/address.ts'
import { connect } from '@ordbook/db/driver/connect.ts'
import { freePort } from '@ordbook/db/process/free-port.ts'
import { TestAuthority } from '../../signer/support/certificates.ts'
import { coinIn, freeCoins } from '../../support/coins.ts'
import {
  enter,
  freshDatabase,
  freshWallet,
  type TestMarket,
  type TestTrader,
  until,
} from '../../support/market.ts'
import { startNode, type TestNode } from '../../support/node.ts'
import { InstalledProgram, runMarket } from './installed-program.ts'

type Settings = Record<string, string>
type Holder = 'signer' | 'guardian'
/** Key files to copy from the first host of a pair to the second. */
const KEYS = { signer: ['cosign.key', 'coins.key'], guardian: ['guardian.key'] }

/** Two servers from a bundle behind the shipped HAProxy. Signer and guardian each run on one host or on a pair. */
export interface InstalledMarket
  extends Pick<TestMarket, 'regtest' | 'sql' | 'coinOf' | 'collection' | 'mine'> {
  url: string
  settings: Settings
  signers: InstalledProgram[]
  guardians: InstalledProgram[]
  servers: InstalledProgram[]
  /** Creates a wallet with `coins` payment coins and signs it in through the load balancer. */
  trader(coins: number): Promise<TestTrader>
  /** Returns false if a pair has no standby. */
  isWhole(): Promise<boolean>
  stop(): Promise<void>
}

/** Existing parts of the market. Missing parts are created. */
export interface Installation {
  hosts: 1 | 2
  node?: TestNode
  databaseUrl?: string
  keys?: Record<Holder, string>
  more?: Settings
}

export async function installMarket(
  bundle: string,
  { hosts, node: given, databaseUrl, keys, more = {} }: Installation,
): Promise<InstalledMarket> {
  const folder = mkdtempSync(join(tmpdir(), 'ordbook-installed-'))
  const node = given ?? (await startNode())
  const authority = hosts === 2 ? new TestAuthority() : null
  const place = (holder: Holder) => keys?.[holder] ?? join(folder, holder)
  const [signer, guardian] = [
    await prepare('signer', place('signer'), { hosts, authority, folder, more }),
    await prepare('guardian', place('guardian'), {
      hosts,
      authority,
      folder,
      more: { ...more, BITCOIN_RPC_URL: node.url },
    }),
  ]
  for (const pair of [signer, guardian]) await startHosts(pair, bundle)
  const [balancerPort, ...ports] = [await freePort(), await freePort(), await freePort()]
  const url = `http://127.0.0.1:${balancerPort}`
  const settings = {
    ...signer.settings,
    ...guardian.settings,
    ...authority?.settings('server'),
    DATABASE_URL: databaseUrl ?? (await freshDatabase()),
    BITCOIN_RPC_URL: node.url,
    CHAIN: 'regtest',
    DATA_DIR: join(folder, 'server'),
    HOST: '127.0.0.1',
    PUBLIC_URL: url,
    TRUST_PROXY: '1',
    // Exceeds the load balancer's check interval, even on a busy machine.
    DRAIN_SECONDS: '5',
    RATE_LIMITS: 'off',
    ANCHOR_POOL: '60',
    ...more,
  }
  const servers = ports.map(
    (port, n) =>
      new InstalledProgram('server', join(folder, `server-${n}`), { ...settings, PORT: String(port) }),
  )
  for (const server of servers) await server.start(bundle)
  const balancer = await startBalancer(balancerPort!, ports)
  const sql = connect(settings.DATABASE_URL, { max: 2 })
  const market: InstalledMarket = {
    regtest: node.regtest,
    sql,
    url,
    settings,
    signers: signer.programs,
    guardians: guardian.programs,
    servers,
    coinOf: (id) => coinIn(sql, id),
    mine: (count = 1) => mine(market, count),
    collection: (owners, count) => inscribe(market, { bundle, folder }, [owners].flat()[0]!, count),
    trader: (coins) => makeTrader(market, coins),
    isWhole: async () => [signer, guardian].every(isPaired),
    async stop() {
      balancer.kill('SIGKILL')
      for (const program of [...servers, ...signer.programs, ...guardian.programs]) program.kill()
      await sql.end()
      if (!given) await node.stop()
      authority?.remove()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  return market
}

/** One host, or a pair with the same keys. */
interface Hosts {
  holder: Holder
  programs: InstalledProgram[]
  settings: Settings
}

async function prepare(
  holder: Holder,
  place: string,
  {
    hosts,
    authority,
    folder,
    more,
  }: { hosts: 1 | 2; authority: TestAuthority | null; folder: string; more: Settings },
): Promise<Hosts> {
  const prefix = holder.toUpperCase()
  if (!authority) {
    const settings = {
      [`${prefix}_SOCKET`]: join(folder, `${holder}.sock`),
      [`${prefix}_SECRET_FILE`]: join(folder, `${holder}.secret`),
    }
    return { holder, programs: [new InstalledProgram(holder, place, { ...settings, ...more })], settings }
  }
  const addresses: string[] = []
  for (let n = 0; n < 2 * hosts; n++) addresses.push(`tls://127.0.0.1:${await freePort()}`)
  const [one, two, pairOne, pairTwo] = addresses as [string, string, string, string]
  const programs = [
    [place, 'one', one, pairOne, pairTwo] as const,
    [`${place}-two`, 'two', two, pairTwo, pairOne] as const,
  ].map(
    ([own, name, socket, pair, peer]) =>
      new InstalledProgram(holder, own, {
        [`${prefix}_SOCKET`]: socket,
        [`${prefix}_HOST`]: name,
        [`${prefix}_PAIR_SOCKET`]: pair,
        [`${prefix}_PEER_SOCKET`]: peer,
        ...authority.settings(holder),
        ...more,
      }),
  )
  return { holder, programs, settings: { [`${prefix}_SOCKET`]: `${one},${two}` } }
}

/** Starts hosts as in the guide: the first alone, then both with copies of its keys and journal. */
async function startHosts(hosts: Hosts, bundle: string): Promise<void> {
  const { holder, programs } = hosts
  const [one, two] = programs as [InstalledProgram, InstalledProgram?]
  if (!two) return one.start(bundle)
  const prefix = holder.toUpperCase()
  await one.start(bundle, { [`${prefix}_FORCE_TERM`]: '0' })
  await until('the first term', async () => standingOf(one, holder) !== undefined)
  await one.stop()
  for (const name of [...KEYS[holder], `${holder}.journal`])
    copyFileSync(join(one.folder, name), join(two.folder, name))
  await Promise.all([one.start(bundle), two.start(bundle)])
  await until(`a pair of ${holder}s`, async () => isPaired(hosts), 60)
}

const standingOf = ({ folder }: InstalledProgram, holder: Holder) =>
  readFileSync(join(folder, `${holder}.journal`), 'latin1')
    .split('\n')
    .findLast((line) => line.startsWith('term '))

function isPaired({ holder, programs }: Hosts): boolean {
  if (programs.length === 1) return true
  const [one, two] = programs.map((program) => standingOf(program, holder))
  return one === two && one!.endsWith('paired')
}

async function startBalancer(port: number, servers: readonly number[]): Promise<ChildProcess> {
  const child = spawn('haproxy', ['-f', join(import.meta.dirname, '../../../deploy/haproxy.cfg')], {
    env: {
      ...process.env,
      LISTEN: `127.0.0.1:${port}`,
      SERVER_ONE: `127.0.0.1:${servers[0]}`,
      SERVER_TWO: `127.0.0.1:${servers[1]}`,
    },
    stdio: 'ignore',
  })
  process.once('exit', () => child.kill('SIGKILL'))
  const failed = once(child, 'error').then(([cause]) => {
    throw new Error('haproxy not found: scripts/suites/scale installs it', { cause })
  })
  const isUp = async () => (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null))?.ok
  await Promise.race([failed, until('the load balancer', isUp)])
  return child
}

async function mine({ regtest, url }: InstalledMarket, count: number): Promise<void> {
  await regtest.mine(count)
  await until('the index', async () => {
    const { indexHeight } = (await (await fetch(`${url}/status`)).json()) as { indexHeight: number | null }
    return indexHeight === (await regtest.call<number>('getblockcount'))
  })
}

let collections = 0

async function inscribe(
  market: InstalledMarket,
  { bundle, folder }: { bundle: string; folder: string },
  owner: { ordinalsScript: Uint8Array },
  count: number,
) {
  const slug = `installed-${++collections}`
  const ids = await market.regtest.inscribe(
    Array.from({ length: count }, (_, n) => ({
      inscription: { contentType: 'text/plain', body: new TextEncoder().encode(`${slug} ${n}`) },
      owner: owner.ordinalsScript,
      postageSats: 10_000,
    })),
  )
  const imported = join(folder, `import-${slug}`)
  mkdirSync(join(imported, slug), { recursive: true })
  writeFileSync(join(imported, slug, 'meta.json'), JSON.stringify({ name: slug, slug }))
  const items = ids.map((id, n) => ({ id, meta: { name: `${slug} #${n}`, attributes: [] } }))
  writeFileSync(join(imported, slug, 'inscriptions.json'), JSON.stringify(items))
  const { code, said } = await runMarket(bundle, market.settings, 'import', imported)
  if (code !== 0) throw new Error(`the import exited with ${code}: ${said}`)
  await mine(market, 1)
  return { slug, ids }
}

async function makeTrader(market: InstalledMarket, coins: number): Promise<TestTrader> {
  const wallet = freshWallet()
  await market.regtest.pay(
    Array.from({ length: coins }, () => ({ valueSats: 1_000_000, script: wallet.paymentScript })),
  )
  await mine(market, 1)
  return enter(`${market.url}/api/v1`, wallet)
}

/** Funds a new market and waits for anchors and tail coins. */
export async function fund(market: InstalledMarket): Promise<void> {
  const { marketAddress } = (await (await fetch(`${market.url}/keys`)).json()) as { marketAddress: string }
  await market.regtest.mine(120)
  await market.regtest.pay([{ valueSats: 500_000_000, script: scriptOfAddress(marketAddress, 'regtest')! }])
  await market.mine()
  await until(
    'coins of the market',
    async () => {
      const { anchors, tails } = await freeCoins(market.sql)
      if (anchors >= 60 && tails >= 20) return true
      if ((await market.regtest.call<string[]>('getrawmempool')).length > 0) await market.mine()
      return false
    },
    120,
  )
}
