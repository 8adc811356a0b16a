import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { connect } from '@ordbook/db/driver/connect.ts'
import { migrate } from '@ordbook/db/schema/migrate.ts'
import { ConfigError } from '@ordbook/db/settings/config.ts'
import { listUnexplained } from '@ordbook/market/listings/log-queries.ts'
import { checkRollups } from '@ordbook/operations/audit/check.ts'
import { backUp } from '@ordbook/operations/backup/backup.ts'
import { restore } from '@ordbook/operations/backup/restore.ts'
import {
  acceptOffer,
  acceptProposal,
  bid,
  buy,
  cancelBid,
  cancelOffer,
  delist,
  offer,
  propose,
  settle,
} from '@ordbook/sdk/index.ts'
import { afterAll, expect, it } from 'vitest'
import { readCatalog } from '../support/catalog.ts'
import {
  agreementFor,
  enter,
  freshDatabase,
  listAll,
  serveAgain,
  setUpMarket,
  until,
} from '../support/market.ts'
import { coinsOf, offering, selling } from '../support/offers.ts'
import { traderAtStorefront } from '../support/storefront.ts'

const market = setUpMarket({ LOG_LEVEL: 'silent' })
const folder = mkdtempSync(join(tmpdir(), 'ordbook-backup-'))
const archive = join(folder, 'market.backup')
const KEPT = { areJournalsKept: true }
afterAll(() => rmSync(folder, { recursive: true }))

/** Returns all rows as text, except tables that are not backed up or that a restore changes. */
async function contentsOf(databaseUrl: string): Promise<Record<string, string[]>> {
  const sql = connect(databaseUrl, { max: 1 })
  const tables = await sql<{ name: string }[]>`
    select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' and relpersistence = 'p'
      and relname not in ('leases', 'live_events', 'auth_requests', 'sessions') order by 1`
  const contents: Record<string, string[]> = {}
  for (const { name } of tables) {
    const rows =
      name === 'migrations'
        ? await sql<{ row: string }[]>`select name || checksum as row from migrations order by 1`
        : await sql<
            { row: string }[]
          >`select t::text as row from ${sql(name)} t where t::text not like '("restored at",%' order by 1`
    contents[name] = rows.map(({ row }) => row)
  }
  await sql.end()
  return contents
}

async function catalogOfMigrations(): Promise<string[]> {
  const sql = connect(await freshDatabase(), { max: 1 })
  await migrate(sql)
  const catalog = await readCatalog(sql)
  await sql.end()
  return catalog
}

async function isEmpty(databaseUrl: string): Promise<boolean> {
  const sql = connect(databaseUrl, { max: 1 })
  const found = await sql`select 1 from pg_class where relnamespace = 'public'::regnamespace`
  await sql.end()
  return found.length === 0
}

it('restores a backup taken during trading', async () => {
  const [seller, buyer] = [await market.trader(), await market.trader()]
  const { slug, ids } = await market.collection(seller.wallet, 12)
  const [gone, sold, kept, ...others] = ids as [string, string, string, ...string[]]
  const listed = await listAll(market, seller, slug, [gone, sold, kept], 123_000)

  const bids = await bid(buyer, slug, {
    target: { kind: 'all' },
    priceSats: 40_000,
    coins: await coinsOf(market, buyer),
  })

  let trades = 0
  let isOver = false
  const trading = (async () => {
    while (!isOver) {
      const placed = await listAll(market, seller, slug, [others[trades % others.length]!], 200_000)
      const [[inscriptionId, listingId]] = [...placed] as [[string, string]]
      await delist(seller, slug, [{ inscriptionId, listingId }])
      trades++
    }
  })()
  await until('some trades', async () => trades > 0)
  const report = await backUp(market.databaseUrl, archive, new Date())
  const [{ last }] = await market.sql<
    [{ last: number }]
  >`select coalesce(max(inbox_id), 0) as last from inbox`
  isOver = true
  await trading
  expect(report.rows).toBeGreaterThan(100)
  expect(statSync(archive).mode & 0o777).toBe(0o600)
  await expect(backUp(market.databaseUrl, archive, new Date())).rejects.toThrow('already exists')

  await delist(seller, slug, [{ inscriptionId: gone, listingId: listed.get(gone)! }])
  await cancelBid(buyer, slug, bids.offers[0]!.offerId)
  await buy(buyer, slug, await agreementFor(market, buyer, [sold]))
  await market.mine()
  await market.sql.end()
  await market.server.close()

  const databaseUrl = await freshDatabase()
  expect(await restore(databaseUrl, archive, KEPT)).toMatchObject({ rows: report.rows, migrated: [] })
  // The devnet's blocks are a second apart, so a quickly mined chain is ahead of the clock.
  const restored = connect(databaseUrl, { max: 1 })
  await restored`
    update settings set value = (value::timestamptz + interval '10 minutes')::text where name = 'restored at'`
  await restored.end()
  await serveAgain(market, databaseUrl, { LOG_LEVEL: 'silent' })
  await market.server.sync()

  const stateOf = async (id: string) =>
    (
      await market.sql<{ state: string }[]>`select state from listings where listing_id = ${listed.get(id)!}`
    )[0]!.state
  await until('the cancelled listing to end', async () => (await stateOf(gone)) === 'cancelled')
  await until('the cancelled offer to end', async () => {
    const [offer] = await market.sql<{ state: string }[]>`select state from collection_offers`
    return offer!.state === 'cancelled'
  })
  await until('the sold listing to end', async () => (await stateOf(sold)) !== 'buyable')
  expect(await stateOf(kept)).toBe('buyable')
  // The sale and the end of its listing are old: nobody is notified.
  const old = () => market.sql<{ kind: string; isRead: boolean }[]>`
    select kind, is_read from inbox where inbox_id > ${last} and at < (select value::timestamptz from settings where name = 'restored at')`
  await until('the event of the sold item', async () => (await old()).length > 0)
  expect((await old()).filter(({ isRead }) => !isRead)).toEqual([])
  const restoredSession = await enter(market.base, buyer.wallet)
  const bought = await buy(restoredSession, slug, await agreementFor(market, restoredSession, [kept]))
  expect(bought.settlementTxid).toMatch(/^[0-9a-f]{64}$/)
  await market.mine()
  const owner = await enter(market.base, seller.wallet)
  await listAll(market, owner, slug, [gone], 150_000)

  expect(await listUnexplained(market.sql)).toEqual([])
  expect(await checkRollups(market.server.context, () => {})).toEqual([])

  // The purchase after the backup is not in the restored ledger until the operator explains it.
  const pool = (...words: string[]) =>
    spawnSync(
      process.execPath,
      [join(import.meta.dirname, '../../scripts/market/operate.ts'), 'pool', ...words],
      { env: { ...process.env, DATABASE_URL: databaseUrl, DATA_DIR: market.dataDir }, encoding: 'utf8' },
    )
  expect(pool()).toMatchObject({ status: 1, stdout: expect.stringContaining('sats unexplained') })
  expect(pool('explain', 'all', '--reason', 'trade after the backup').status).toBe(0)
  expect(pool()).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('sats explained by the operator: trade after the backup'),
  })
})

it('ends offers that may have been cancelled after the backup', async () => {
  const [seller, buyer] = [await market.trader(), await market.trader('p2wpkh', 40_000_000)]
  const { slug, ids } = await market.collection(seller.wallet, 2)
  const [wanted, swapped] = ids as [string, string]
  const { items } = await offer(buyer, slug, await offering(market, buyer, [wanted], 90_000))
  const offerId = items[0]!.offerId
  const proposer = await traderAtStorefront(market.server.url, buyer.wallet)
  const acceptor = await traderAtStorefront(market.server.url, seller.wallet)
  const proposed = {
    visibility: 'public' as const,
    offeredInscriptionIds: [],
    offeredBtcSats: 70_000,
    wantedLegs: [{ collectionSlug: slug, quantity: 1, target: { kind: 'all' as const } }],
    requestedBtcSats: 0,
  }
  const proposal = await propose(proposer, proposed, await coinsOf(market, proposer))
  const item = { inscriptionId: swapped, coin: await market.coinOf(swapped) }
  const fills = [{ legId: proposal.wantedLegs[0]!.id, inscriptionId: swapped }]
  const { acceptanceId } = await acceptProposal(acceptor, proposal.id, fills, {
    gives: [item],
    gets: [],
    netSats: 70_000,
    coins: await coinsOf(market, acceptor),
    maxMarketSats: 100_000,
    maxNetworkSats: 100_000,
  })
  const file = join(folder, 'offers.backup')
  await backUp(market.databaseUrl, file, new Date())
  await cancelOffer(buyer, { id: wanted, offerId })
  await acceptor.client.call('cancelAcceptance', { params: { acceptanceId } })
  await market.sql.end()
  await market.server.close()

  const databaseUrl = await freshDatabase()
  await restore(databaseUrl, file, KEPT)
  await serveAgain(market, databaseUrl, { LOG_LEVEL: 'silent' })
  await market.server.sync()
  const owner = await enter(market.base, seller.wallet)
  await expect(acceptOffer(owner, offerId, await selling(market, wanted, 90_000))).rejects.toMatchObject({
    status: 409,
    code: 'offer-not-active',
  })
  const swapper = await traderAtStorefront(market.server.url, buyer.wallet)
  const gets = {
    gives: [],
    gets: [item],
    netSats: -70_000,
    coins: await coinsOf(market, swapper),
  }
  await expect(settle(swapper, acceptanceId, gets)).rejects.toMatchObject({
    status: 409,
    code: 'offer-not-active',
  })
  // Orders created after the restore survive the next start.
  const restoredSession = await enter(market.base, buyer.wallet)
  const created = await offer(
    restoredSession,
    slug,
    await offering(market, restoredSession, [wanted], 95_000),
  )
  await market.sql.end()
  await market.server.close()
  await serveAgain(market, databaseUrl, { LOG_LEVEL: 'silent' })
  await market.server.sync()
  const last = await enter(market.base, seller.wallet)
  await acceptOffer(last, created.items[0]!.offerId, await selling(market, wanted, 95_000))
})

it('copies every row unchanged', async () => {
  const [from, to] = [market.databaseUrl, await freshDatabase()]
  await market.sql`insert into settings (name, value) values ('note', ${'a\\line\twith\nbreaks'})`
  await market.sql.end()
  await market.server.close()
  const file = join(folder, 'still.backup')
  await backUp(from, file, new Date())
  await restore(to, file, KEPT)
  expect(await contentsOf(to)).toEqual(await contentsOf(from))
  const sql = connect(to, { max: 1 })
  expect(await readCatalog(sql)).toEqual(await catalogOfMigrations())
  await sql.end()
})

it('rejects a damaged, truncated or newer archive', async () => {
  const archiveBytes = readFileSync(archive)
  const raw = gunzipSync(archiveBytes)
  const to = await freshDatabase()
  const expectRejected = async (bytes: Buffer, reason: RegExp) => {
    const file = join(folder, 'damaged.backup')
    writeFileSync(file, bytes)
    await expect(restore(to, file, KEPT), `${reason}`).rejects.toThrow(reason)
    expect(await isEmpty(to), `${reason}`).toBe(true)
  }
  await expectRejected(archiveBytes.subarray(0, archiveBytes.length / 2), /damaged/)
  await expectRejected(Buffer.from('no archive'), /damaged/)
  await expectRejected(gzipSync(raw.subarray(0, raw.length - 69)), /unexpected end of file|missing frames/)
  await expectRejected(gzipSync(Buffer.concat([raw, raw])), /data after the last frame/)
  const changed = Buffer.from(raw)
  const at = changed.indexOf('123000')
  changed.write('923000', at)
  await expectRejected(gzipSync(changed), /checksum/)
  const newer = Buffer.from(raw)
  newer.write('0001-baseless.sql', newer.indexOf('0001-baseline.sql'))
  await expectRejected(gzipSync(newer), /migration 0001-baseless.sql/)
  await expect(restore(to, join(folder, 'none'), KEPT)).rejects.toThrow('no such file')
  await expect(restore(market.databaseUrl, archive, KEPT)).rejects.toThrow('is not empty')
})

it('leaves no file if the backup fails', async () => {
  const empty = await freshDatabase()
  const file = join(folder, 'empty.backup')
  await expect(backUp(empty, file, new Date())).rejects.toThrow('nothing to back up')
  expect(readdirSync(folder).filter((name) => name.startsWith('empty'))).toEqual([])
  const nowhere = join(folder, 'none', 'market.backup')
  await expect(backUp(market.databaseUrl, nowhere, new Date())).rejects.toThrow(
    new ConfigError(
      `${nowhere}: cannot be written (ENOENT: no such file or directory, open '${nowhere}.partial'). No partial file remains.`,
    ),
  )
})
