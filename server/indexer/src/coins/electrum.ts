import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { parse } from '@ordbook/process/parse.ts'
import { Type } from 'typebox'
import { Count } from '../node/answers.ts'
import { type AddressIndex, Sats, Txid, Vout } from './address-index.ts'

const MAX_BYTES = 4 * 2 ** 20

/** A response or a notification, which has no id. */
const MESSAGE = Type.Object({
  id: Type.Optional(Type.Unknown()),
  result: Type.Optional(Type.Unknown()),
  error: Type.Optional(Type.Unknown()),
})
const HEADER = Type.Object({ height: Count })
/** Unconfirmed coins have height 0 or -1. */
const COINS = Type.Array(Type.Object({ tx_hash: Txid, tx_pos: Vout, height: Type.Integer(), value: Sats }))

/** What ElectrumX, Fulcrum and electrs say of an address with a history that is too long for them. */
const TOO_MANY = /too (large|many|big)|history|excessive/i

/** Client of Electrum servers (protocol 1.4). Opens a connection for each lookup. */
export function electrumIndex({ protocol, hostname, port }: URL): AddressIndex {
  return async (script, signal) => {
    const at = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) }
    const isSecure = protocol === 'electrum+tls:'
    const socket = isSecure
      ? connectTls({ ...at, ...(isIP(at.host) === 0 && { servername: at.host }) })
      : connectTcp(at)
    // After an abort nothing waits for the socket's error.
    socket.on('error', () => {})
    const stop = () => socket.destroy(signal.reason)
    signal.addEventListener('abort', stop)
    try {
      await once(socket, isSecure ? 'secureConnect' : 'connect', { signal })
      return await lookUp(socket, createHash('sha256').update(script).digest().reverse().toString('hex'))
    } finally {
      signal.removeEventListener('abort', stop)
      socket.destroy()
    }
  }
}

async function lookUp(socket: Socket, scriptHash: string) {
  const answers = await call(socket, [
    ['server.version', 'ordbook', '1.4'],
    ['blockchain.headers.subscribe'],
    ['blockchain.scripthash.listunspent', scriptHash],
  ])
  const [version, header, unspent] = answers
  if (!version || !header) throw new Error(`the response exceeds ${MAX_BYTES} bytes`)
  for (const { error } of [version, header]) if (error) throw new Error(`refused: ${JSON.stringify(error)}`)
  const { height: tipHeight } = parse(HEADER, header.result, 'header')
  if (!unspent) return { coins: [], isComplete: false, tipHeight }
  if (unspent.error) {
    const text = JSON.stringify(unspent.error)
    if (TOO_MANY.test(text)) return { coins: [], isComplete: false, tipHeight }
    throw new Error(`refused: ${text}`)
  }
  const confirmed = parse(COINS, unspent.result, 'coins').filter(({ height }) => height > 0)
  const coins = confirmed.map(({ tx_hash: txid, tx_pos: vout, value: valueSats }) => ({
    txid,
    vout,
    valueSats,
  }))
  return { coins, isComplete: true, tipHeight }
}

/** Sends requests, and returns the responses in order. Responses that exceed `MAX_BYTES` together are undefined. */
async function call(socket: Socket, requests: readonly [method: string, ...params: unknown[]][]) {
  for (const [id, [method, ...params]] of requests.entries())
    socket.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
  const answers = new Map<unknown, { result?: unknown; error?: unknown }>()
  const parts: Buffer[] = []
  let length = 0
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > MAX_BYTES) return requests.map((_, id) => answers.get(id))
    for (let from = 0; from < chunk.length; ) {
      const end = chunk.indexOf(10, from)
      parts.push(chunk.subarray(from, end === -1 ? undefined : end))
      if (end === -1) break
      const { id, ...answer } = parse(MESSAGE, JSON.parse(Buffer.concat(parts).toString()), 'message')
      parts.length = 0
      from = end + 1
      if (id !== undefined && !answers.has(id)) answers.set(id, answer)
    }
    const all = requests.map((_, id) => answers.get(id))
    if (all.every((answer) => answer !== undefined)) return all
  }
  throw new Error('the connection was closed')
}
