import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { satsOfBtc } from '@ordbook/bitcoin/sats.ts'
import { freePort } from '@ordbook/db/process/free-port.ts'
import type { Regtest } from '@ordbook/devnet/regtest.ts'

interface Block {
  hash: string
  height: number
  time: number
  tx: Transaction[]
}
interface Transaction {
  txid: string
  vin: { txid?: string; vout?: number }[]
  vout: { n: number; value: number; scriptPubKey: { hex: string } }[]
}
interface Utxo {
  scriptHash: string
  txid: string
  vout: number
  status: { confirmed: boolean; block_height?: number; block_hash?: string; block_time?: number }
  value: number
}

export interface EsploraServer {
  url: string
  stop(): void
}

/** Default of `--utxos-limit`. */
const MAX_UTXOS = 500

/**
 * Serves the two endpoints of Esplora's API (Blockstream/esplora, API.md) that list coins, from a node: with unconfirmed coins, and without
 * those that the mempool spends.
 */
export async function startEsplora(regtest: Regtest): Promise<EsploraServer> {
  const server = createServer(async (request, response) => {
    const { status, text } = await answer(regtest, request.url!).catch((error: Error) => ({
      status: 500,
      text: error.message,
    }))
    response
      .writeHead(status, { 'content-type': status === 200 ? 'application/json' : 'text/plain' })
      .end(text)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `esplora+http://127.0.0.1:${(server.address() as AddressInfo).port}/api`,
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

async function answer(regtest: Regtest, path: string): Promise<{ status: number; text: string }> {
  if (path === '/api/blocks/tip/height')
    return { status: 200, text: String(await regtest.call<number>('getblockcount')) }
  const [, hash] = /^\/api\/scripthash\/([0-9a-f]{64})\/utxo$/.exec(path) ?? []
  if (!hash) return { status: 404, text: 'endpoint does not exist' }
  const utxos = (await utxosOf(regtest)).filter(({ scriptHash }) => scriptHash === hash)
  if (utxos.length > MAX_UTXOS)
    return {
      status: 400,
      text: `Too many unspent transaction outputs (>${MAX_UTXOS}). Contact support to raise limits.`,
    }
  return { status: 200, text: JSON.stringify(utxos.map(({ scriptHash: _, ...utxo }) => utxo)) }
}

async function utxosOf(regtest: Regtest): Promise<Utxo[]> {
  const utxos = new Map<string, Utxo>()
  const apply = ({ txid, vin, vout }: Transaction, status: Utxo['status']) => {
    for (const input of vin) utxos.delete(`${input.txid}:${input.vout}`)
    for (const { n, value, scriptPubKey } of vout) {
      const scriptHash = createHash('sha256').update(scriptPubKey.hex, 'hex').digest('hex')
      utxos.set(`${txid}:${n}`, { scriptHash, txid, vout: n, status, value: satsOfBtc(value) })
    }
  }
  const tip = await regtest.call<number>('getblockcount')
  for (let height = 1; height <= tip; height++) {
    const hash = await regtest.call<string>('getblockhash', height)
    const { tx, time } = await regtest.call<Block>('getblock', hash, 2)
    for (const each of tx)
      apply(each, { confirmed: true, block_height: height, block_hash: hash, block_time: time })
  }
  for (const txid of await regtest.call<string[]>('getrawmempool'))
    apply(await regtest.call<Transaction>('getrawtransaction', txid, true), { confirmed: false })
  return [...utxos.values()]
}

/** Starts an electrs, which serves Esplora's API without the prefix `/api`. */
export async function startElectrs(binary: string, nodeUrl: string): Promise<EsploraServer> {
  const { username, password, host } = new URL(nodeUrl)
  const directory = mkdtempSync(join(tmpdir(), 'ordbook-electrs-'))
  const addresses = await Promise.all(
    ['http', 'electrum-rpc', 'monitoring'].map(async (name) => [
      `--${name}-addr`,
      `127.0.0.1:${await freePort()}`,
    ]),
  )
  const flags = ['--network', 'regtest', '--daemon-rpc-addr', host, '--cookie', `${username}:${password}`]
  const electrs = spawn(
    binary,
    [
      ...flags,
      ...addresses.flat(),
      '--jsonrpc-import',
      '--db-dir',
      join(directory, 'db'),
      '--daemon-dir',
      directory,
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  )
  return {
    url: `esplora+http://${addresses[0]![1]}`,
    stop() {
      electrs.kill('SIGKILL')
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
