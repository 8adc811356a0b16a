import { get } from 'node:http'
import { connect, type Sql } from '@ordbook/db/driver/connect.ts'
import { readCommand } from '../command.ts'
import { type Machine, startMachine } from './market.ts'

readCommand(
  'usage: npm run bench:sizes   (BENCH_INSCRIPTIONS of the larger of its two markets, 100000 by default)',
  {},
)

/**
 * `npm run bench:sizes`: bytes of the database per row, by the slope between a market and one of ten times its size, so that what a
 * table takes when it is empty does not count. Triggers are passed by: these are the rows alone, without any that were updated.
 */
const INSCRIPTIONS = Number(process.env.BENCH_INSCRIPTIONS ?? 100_000)

/** The rows of fill.sql that one thing brings, by table; and rows of tables that it leaves empty. */
const THINGS: Record<string, string[]> = {
  'an inscription in the index': ['inscription_rows', 'inscribed_sats'],
  'a move of a coin with inscriptions': ['coin_moves'],
  'an item of a collection': ['collection_items', 'watched_inscriptions'],
  'a listing with its event': ['listings', 'order_events', 'book_entries'],
  'a sale': ['sales', 'collection_sales'],
  'an offer with its event and coin': ['offers', 'offer_events', 'backing_coins'],
  'a collection offer': ['collection_offers'],
  'a proposal of one for one': ['proposals', 'proposal_items', 'proposal_requests', 'proposal_collections'],
  'a change in the order log': ['order_log'],
  'a live event': ['live_events'],
  'a session': ['sessions'],
}

/** Rows like those that a follower, the jobs and visitors write, as many as there are inscriptions; a tenth of the sessions. */
const MORE = `
set local session_replication_role = replica;
insert into coin_moves (height, position, moved_by, from_txid, from_vout, from_script, from_offset, span, to_txid, to_vout, to_script,
    to_offset)
  select 800000 + n / 1000, n % 1000, encode(sha256(('mover' || n)::bytea), 'hex'), encode(sha256(('from' || n)::bytea), 'hex'), 0,
    '\\x5120'::bytea || sha256(('before' || n)::bytea), 0, 546, encode(sha256(('mover' || n)::bytea), 'hex'), 0,
    '\\x5120'::bytea || sha256(('after' || n)::bytea), 0
  from generate_series(0, :inscriptions - 1) n;
insert into order_log (position, change)
  select n, jsonb_build_object('kind', 'listing', 'listingId', md5('listing' || n), 'inscriptionId',
    encode(sha256(('reveal' || n)::bytea), 'hex') || 'i0', 'state', 'buyable', 'priceSats', 10000 + n, 'at', now(),
    'seller', encode(sha256(('seller' || n)::bytea), 'hex'))
  from generate_series(0, :inscriptions - 1) n;
insert into live_events (kind, data)
  select 'listing', jsonb_build_object('listingId', md5('listing' || n), 'inscriptionId',
    encode(sha256(('reveal' || n)::bytea), 'hex') || 'i0', 'state', 'buyable', 'priceSats', 10000 + n,
    'collections', jsonb_build_array('bench-' || n % 1000))
  from generate_series(0, :inscriptions - 1) n;
insert into sessions (token_sha256, profile_id, expires_at, client, client_hint)
  select sha256(('token' || n)::bytea), md5('profile' || n % 1000)::uuid, now() + interval '1 day', sha256(('address' || n)::bytea),
    'Mozilla/5.0 (X11; Linux x86_64) Firefox'
  from generate_series(0, :inscriptions / 10 - 1) n;`

interface Size {
  rows: number
  /** Without indexes, with what is stored out of line. */
  tableBytes: number
  indexBytes: number
}

async function sizesOf(sql: Sql): Promise<Map<string, Size>> {
  const sizes = new Map<string, Size>()
  for (const table of new Set(Object.values(THINGS).flat())) {
    const [found] = (await sql.unsafe(
      `select (select count(*) from ${table})::int8 as rows, pg_table_size('${table}')::int8 as table_bytes,
        pg_indexes_size('${table}')::int8 as index_bytes`,
    )) as Size[]
    sizes.set(table, found!)
  }
  return sizes
}

const PAGES = {
  'collection page of 48': '/web/v1/collection/bench-0/inscriptions?limit=48',
  'item grid of 48': '/web/v1/collections/bench-0/items?limit=48',
  'listings, 50': '/web/v1/listings?limit=50',
  'sales, 50': '/web/v1/sales?limit=50',
  'proposals, 50': '/web/v1/trading?limit=50',
  'the first page of the storefront': '/',
}

/** Bytes of an answer's body on the wire. */
function bytesOf(url: string, encoding: string): Promise<number> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false, headers: { 'accept-encoding': encoding } }, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`${url}: ${answer.statusCode}`))
      let bytes = 0
      answer.on('data', (part: Buffer) => (bytes += part.length)).on('end', () => resolve(bytes))
    }).on('error', reject)
  })
}

/** Prints the bytes of pages on the wire, and of the rows that the server renders for them and keeps. */
async function printPages(machine: Machine, url: string, sql: Sql): Promise<void> {
  const server = await machine.serve(url, 64)
  console.log('\n| answer | bytes | by brotli |\n| --- | ---: | ---: |')
  for (const [name, path] of Object.entries(PAGES)) {
    const plain = await bytesOf(server.url + path, 'identity')
    console.log(`| ${name} | ${plain} | ${await bytesOf(server.url + path, 'br')} |`)
  }
  for (const table of ['collection_items', 'listings', 'proposals']) {
    const [row] = (await sql.unsafe(
      `select avg(pg_column_size(rendered_row))::float8 as bytes from ${table} where rendered_row is not null`,
    )) as { bytes: number | null }[]
    console.log(`a rendered row of ${table}: ${row!.bytes?.toFixed(0)} bytes`)
  }
}

function print(small: Map<string, Size>, large: Map<string, Size>): void {
  const slope = (table: string, part: 'tableBytes' | 'indexBytes') => {
    const [one, other] = [small.get(table)!, large.get(table)!]
    return (other[part] - one[part]) / (other.rows - one.rows)
  }
  console.log('| one more | bytes | of them indexes | tables |\n| --- | ---: | ---: | --- |')
  for (const [thing, tables] of Object.entries(THINGS)) {
    const of = (part: 'tableBytes' | 'indexBytes') =>
      tables.map((table) => slope(table, part)).reduce((one, other) => one + other, 0)
    const [table, index] = [of('tableBytes'), of('indexBytes')]
    console.log(`| ${thing} | ${(table + index).toFixed(0)} | ${index.toFixed(0)} | ${tables.join(', ')} |`)
  }
}

const machine = await startMachine()
try {
  const sizes: Map<string, Size>[] = []
  for (const inscriptions of [INSCRIPTIONS / 10, INSCRIPTIONS]) {
    const url = await machine.fill(inscriptions, MORE.replaceAll(':inscriptions', String(inscriptions)))
    const sql = connect(url, { max: 1 })
    sizes.push(await sizesOf(sql))
    if (inscriptions === INSCRIPTIONS) {
      print(sizes[0]!, sizes[1]!)
      const [whole] = await sql<
        { bytes: number }[]
      >`select pg_database_size(current_database())::int8 as bytes`
      console.log(`\nthe whole database of ${inscriptions}: ${(whole!.bytes / 1e6).toFixed(0)} MB`)
      await printPages(machine, url, sql)
    }
    await sql.end()
  }
} finally {
  await machine.stop()
}
process.exit(0)
