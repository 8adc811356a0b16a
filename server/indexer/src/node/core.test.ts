import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { hexOfTransaction } from '@ordbook/bitcoin/transaction.ts'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { Ord } from '../ord/ord.ts'
import { CoreSource } from './core.ts'

/** Accepts connections and sends nothing but `beginning`. */
let server: Server
let sockets: Socket[]
let beginning: string
let url: string
beforeEach(async () => {
  sockets = []
  beginning = ''
  server = createServer((socket) => {
    sockets.push(socket.on('error', () => {}))
    socket.once('data', () => socket.write(beginning))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
})
afterEach(() => {
  for (const socket of sockets) socket.destroy()
  server.close()
})

const UNAVAILABLE = expect.objectContaining({ name: 'Fault', kind: 'unavailable' })
const HALF = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"result":'

it.each([
  ['nothing', ''],
  ['half a response', HALF],
])('times out if the node sends %s', async (_, text) => {
  beginning = text
  const node = new CoreSource(url).within({ milliseconds: 100 })
  await expect(node.blockchainInfo()).rejects.toEqual(UNAVAILABLE)
  await expect(node.areUnspent([{ txid: '00'.repeat(32), vout: 0 }])).rejects.toEqual(UNAVAILABLE)
  await expect(node.block('00'.repeat(32))).rejects.toEqual(UNAVAILABLE)
})

it('aborts a call when its signal aborts', async () => {
  const controller = new AbortController()
  const call = new CoreSource(url).within({ signal: controller.signal }).block('00'.repeat(32))
  call.catch(() => {})
  await once(server, 'connection')
  controller.abort()
  await expect(call).rejects.toEqual(UNAVAILABLE)
})

it.each([
  ['nothing', ''],
  ['half a response', HALF],
])('times out if the ord server sends %s', async (_, text) => {
  beginning = text
  const ord = new Ord(url).within({ milliseconds: 100 })
  await expect(ord.status()).rejects.toEqual(UNAVAILABLE)
  await expect(ord.content('x', 1000)).rejects.toEqual(UNAVAILABLE)
})

/** Starts a node that responds to each call of a batch with `answerOf(txid)`. */
async function startNode(answerOf: (txid: string) => { result: unknown; error: unknown }) {
  const batches: number[] = []
  const http = createHttpServer(async (request, reply) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const calls: { id: number; params: [string] }[] = JSON.parse(text)
    batches.push(calls.length)
    reply.end(JSON.stringify(calls.map(({ id, params: [txid] }) => ({ id, ...answerOf(txid) }))))
  }).listen(0, '127.0.0.1')
  await once(http, 'listening')
  return { http, batches, node: new CoreSource(`http://127.0.0.1:${(http.address() as AddressInfo).port}/`) }
}

it('transactions() reads large transactions in small batches', async () => {
  // Nodes relay transactions up to 400 kB. Sixty are 48 MB in hex.
  const hex = hexOfTransaction({
    version: 2,
    locktime: 0,
    inputs: [{ txid: '00'.repeat(32), vout: 0, sequence: 0, scriptSig: new Uint8Array(), witness: [] }],
    outputs: [{ valueSats: 1, script: new Uint8Array(400_000) }],
  })
  const { http, batches, node } = await startNode((txid) =>
    txid === 'gone'
      ? { result: null, error: { code: -5, message: 'unknown' } }
      : { result: hex, error: null },
  )
  const txids = [...Array.from({ length: 60 }, (_, n) => String(n)), 'gone']
  const found: [string, boolean][] = []
  let largest = 0
  for await (const part of node.transactions(txids, 500)) {
    largest = Math.max(largest, part.length)
    for (const [txid, tx] of part) found.push([txid, tx !== null])
  }
  http.close()
  expect(found).toEqual(txids.map((txid) => [txid, txid !== 'gone']))
  expect(largest * hex.length).toBeLessThan(11_000_000)
  expect(batches.length).toBeLessThan(60)
})

it('areUnspent throws unavailable while the node is starting', async () => {
  const { http, node } = await startNode(() => ({
    result: null,
    error: { code: -28, message: 'Loading block index' },
  }))
  await expect(node.areUnspent([{ txid: '00'.repeat(32), vout: 0 }])).rejects.toEqual(UNAVAILABLE)
  http.close()
})

it.each([
  ['an object instead of a list', 'mempoolTxids', {}],
  [
    'a height that is not a number',
    'blockchainInfo',
    { chain: 'main', blocks: '7', bestblockhash: 'ab'.repeat(32) },
  ],
  ['fee rates as strings', 'leastRates', { mempoolminfee: '0.00001', minrelaytxfee: '0.00001' }],
  ['a negative fee rate', 'leastRates', { mempoolminfee: -1, minrelaytxfee: 0 }],
] as const)('throws unavailable if the node returns %s', async (_, method, result) => {
  const http = createHttpServer((_request, reply) =>
    reply.end(JSON.stringify({ id: 0, result, error: null })),
  ).listen(0, '127.0.0.1')
  await once(http, 'listening')
  const node = new CoreSource(`http://127.0.0.1:${(http.address() as AddressInfo).port}/`)
  await expect(node[method]()).rejects.toEqual(UNAVAILABLE)
  http.close()
})

it('throws unavailable if a batch response is incomplete', async () => {
  for (const ids of [[], [1], [-1]]) {
    const http = createHttpServer((_request, reply) =>
      reply.end(JSON.stringify(ids.map((id) => ({ id, result: null, error: null })))),
    ).listen(0, '127.0.0.1')
    await once(http, 'listening')
    const node = new CoreSource(`http://127.0.0.1:${(http.address() as AddressInfo).port}/`)
    await expect(node.areUnspent([{ txid: '00'.repeat(32), vout: 0 }])).rejects.toEqual(UNAVAILABLE)
    http.close()
  }
})

it.each([
  ['status', { height: '7' }],
  ['height', null],
  ['numbering', { height: 7, inscriptions: 1.5 }],
] as const)('throws unavailable for an invalid ord %s response', async (method, answer) => {
  const http = createHttpServer((_request, reply) => reply.end(JSON.stringify(answer))).listen(0, '127.0.0.1')
  await once(http, 'listening')
  const ord = new Ord(`http://127.0.0.1:${(http.address() as AddressInfo).port}/`)
  await expect(ord[method]()).rejects.toEqual(UNAVAILABLE)
  http.close()
})
