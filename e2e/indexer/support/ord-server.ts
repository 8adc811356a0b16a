import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer, get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startServer } from '@ordbook/app/server.ts'
import { freePort } from '@ordbook/db/process/free-port.ts'
import { findSatRanges } from '@ordbook/indexer/sats/sat-queries.ts'
import { startMarket, type TestMarket, testConfig, until } from '../../support/market.ts'
import { ordInscriptions } from '../../support/ord/ord-inscriptions.ts'
import { RuneLedger } from './runes.ts'

export interface OrdServer {
  url: string
  /** False for the fake. */
  isReal: boolean
  /** Paths of content and recursion that the fake was asked for. */
  requests: string[]
  /** Waits until it has indexed the node's tip. */
  sync(): Promise<void>
  stop(): Promise<void>
}

/**
 * Starts an ord server for a market's chain: the real ord at ORDBOOK_TEST_ORD if the node is a bitcoind, otherwise a fake that serves the
 * market's index in the format of ord 0.29.
 */
export function startOrd(market: TestMarket): Promise<OrdServer> {
  const binary = process.env.ORDBOOK_TEST_ORD
  if (binary && !existsSync(binary)) throw new Error(`ORDBOOK_TEST_ORD: not found: ${binary}`)
  return binary && market.node.kind === 'bitcoind' ? startReal(market, binary) : startOwn(market)
}

/** Starts a market with an ord server. Its `mine` waits for that server. */
export async function startMarketWithOrd(
  env: Record<string, string> = {},
): Promise<{ market: TestMarket; ord: OrdServer }> {
  const market = await startMarket(env)
  const ord = await startOrd(market)
  await market.server.close()
  market.server = await startServer({
    ...testConfig({ ...env, DATA_DIR: market.dataDir, ORD_URL: ord.url }),
    databaseUrl: market.databaseUrl,
    bitcoinRpcUrl: market.node.url,
  })
  market.base = `${market.server.url}/api/v1`
  const mineAlone = market.mine
  market.mine = async (count) => {
    await mineAlone(count)
    await ord.sync()
  }
  await market.mine()
  return { market, ord }
}

async function startReal(market: TestMarket, binary: string): Promise<OrdServer> {
  const directory = mkdtempSync(join(tmpdir(), 'ordbook-ord-'))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const { host } = new URL(market.node.url)
  const child: ChildProcess = spawn(
    binary,
    [
      '--regtest',
      '--index-sats',
      '--index-addresses',
      '--index-runes',
      `--data-dir=${directory}`,
      `--bitcoin-rpc-url=${host}`,
      '--bitcoin-rpc-username=test',
      '--bitcoin-rpc-password=test',
      'server',
      '--http',
      `--http-port=${port}`,
      '--address=127.0.0.1',
      '--polling-interval=100ms',
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  )
  return {
    url,
    isReal: true,
    requests: [],
    async sync() {
      const best = await market.regtest.call<string>('getbestblockhash')
      await until('ord to index the tip', async () => {
        const answer = await fetch(`${url}/r/blockhash`, { headers: { accept: 'application/json' } }).catch(
          () => null,
        )
        return answer?.ok && (await answer.json()) === best
      })
    },
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        const exited = new Promise((done) => child.once('exit', done))
        child.kill('SIGKILL')
        await exited
      }
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

async function startOwn(market: TestMarket): Promise<OrdServer> {
  const { sql } = market
  const requests: string[] = []
  const ledger = new RuneLedger(market.regtest)
  const inscription = async (id: string) => (await ordInscriptions(sql, [id]))[0] ?? null
  const output = async (outpoint: string) => {
    const [txid, vout] = [outpoint.slice(0, 64), Number(outpoint.slice(65))]
    const tx = await market.regtest.call<any>('getrawtransaction', txid, true).catch(() => null)
    const out = tx?.vout[vout]
    if (!out) return null
    const ranges = await findSatRanges(sql, { txid, vout })
    const inside = await sql<{ inscriptionId: string }[]>`
      select inscription_id from inscriptions where txid = ${txid} and vout = ${vout} order by sequence`
    return {
      address: out.scriptPubKey.address ?? null,
      confirmations: tx.confirmations ?? 0,
      indexed: (tx.confirmations ?? 0) > 0,
      inscriptions: inside.map((row) => row.inscriptionId),
      outpoint,
      runes: await ledger.at(outpoint),
      sat_ranges: ranges,
      script_pubkey: out.scriptPubKey.hex,
      spent: (await market.regtest.call('gettxout', txid, vout, false)) === null,
      transaction: txid,
      value: Math.round(out.value * 1e8),
    }
  }
  /** Returns null if an entry is missing, like ord. */
  const each = async <T>(keys: string[], find: (key: string) => Promise<T | null>): Promise<T[] | null> => {
    const found: T[] = []
    for (const key of keys) {
      const one = await find(key)
      if (one === null) return null
      found.push(one)
    }
    return found
  }
  const answer = async (path: string, body: string): Promise<unknown> => {
    const [, kind, ...rest] = path.split('/')
    if (kind === 'status') {
      const [tip] = await sql`
        select height, next_sequence, blessed_count, cursed_count, lost_sats from blocks order by height desc limit 1`
      return {
        height: tip!.height,
        inscriptions: tip!.nextSequence,
        blessed_inscriptions: tip!.blessedCount,
        cursed_inscriptions: tip!.cursedCount,
        lost_sats: tip!.lostSats,
        inscription_index: true,
        sat_index: true,
        address_index: true,
        rune_index: true,
        unrecoverably_reorged: false,
      }
    }
    if (kind === 'r' && rest[0] === 'blockheight')
      return (await sql`select max(height) as height from blocks`)[0]!.height
    if (kind === 'r' && rest[0] === 'blockhash') {
      const [row] = await sql`select block_hash from blocks where height = ${Number(rest[1])}`
      return row?.blockHash ?? null
    }
    if (kind === 'inscriptions') return each(JSON.parse(body), inscription)
    if (kind === 'outputs' && rest[0]) {
      // ord returns only unspent outputs.
      const found = await market.regtest.call<any>('scantxoutset', 'start', [`addr(${rest[0]})`])
      return each(
        found.unspents.map((coin: any) => `${coin.txid}:${coin.vout}`),
        output,
      )
    }
    if (kind === 'outputs') return each(JSON.parse(body), output)
    return null
  }
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    // Of these, a full index has the answers of ord (recursion.test.ts).
    if (/^\/(content|r\/(?!block(height|hash)))/.test(request.url!)) {
      requests.push(request.url!)
      // ord decodes nothing by default.
      const [encoded] = await sql<{ contentEncoding: string }[]>`
        select content_encoding from inscription_rows
        where inscription_id = ${request.url!.split('/').at(-1)!} and content_encoding is not null`
      if (request.url!.includes('content') && encoded)
        if (!request.headers['accept-encoding']?.includes(encoded.contentEncoding))
          return void response.writeHead(406, { 'content-type': 'text/plain' }).end('not acceptable')
      const headers = { 'accept-encoding': request.headers['accept-encoding'] ?? '' }
      return void get(`${market.server.url}${request.url}`, { headers }, (found) => {
        const { 'content-type': type, 'content-encoding': encoding } = found.headers
        response.writeHead(found.statusCode!, {
          'content-type': type ?? 'text/plain',
          ...(encoding ? { 'content-encoding': encoding } : {}),
        })
        found.pipe(response)
      })
    }
    const found = await answer(request.url!, body).catch((error: unknown) => {
      console.error(error)
      return null
    })
    response
      .writeHead(found === null ? 404 : 200, {
        'content-type': found === null ? 'text/plain' : 'application/json',
      })
      .end(found === null ? 'not found' : JSON.stringify(found))
  })
  const port = await freePort()
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${port}`,
    isReal: false,
    requests,
    sync: async () => void (await market.server.sync()),
    async stop() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}
