import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { Node } from './node.ts'
import { Ord } from './ord.ts'

/** Takes connections and says nothing, or no more than `beginning`. */
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
  ['half an answer', HALF],
])('a node that sends %s is unavailable at the deadline', async (_, text) => {
  beginning = text
  const node = new Node(url).within({ milliseconds: 100 })
  await expect(node.blockchainInfo()).rejects.toEqual(UNAVAILABLE)
  await expect(node.areUnspent([{ txid: '00'.repeat(32), vout: 0 }])).rejects.toEqual(UNAVAILABLE)
  await expect(node.block('00'.repeat(32))).rejects.toEqual(UNAVAILABLE)
})

it('a call is abandoned with its signal', async () => {
  const abandoned = new AbortController()
  const asked = new Node(url).within({ signal: abandoned.signal }).block('00'.repeat(32))
  asked.catch(() => {})
  await once(server, 'connection')
  abandoned.abort()
  await expect(asked).rejects.toEqual(UNAVAILABLE)
})

it.each([
  ['nothing', ''],
  ['half an answer', HALF],
])('an ord server that sends %s is unavailable at the deadline', async (_, text) => {
  beginning = text
  const ord = new Ord(url).within({ milliseconds: 100 })
  await expect(ord.status()).rejects.toEqual(UNAVAILABLE)
  await expect(ord.content('x', 1000)).rejects.toEqual(UNAVAILABLE)
})
