import { timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { BitcoinError } from '@ordbook/bitcoin/errors.ts'
import { encodeSpent } from '@ordbook/bitcoin/raw-block.ts'
import { encodeBlock } from '../block.ts'
import { RejectError } from '../chain.ts'
import type { Node } from '../node.ts'
import { type Methods, RpcError } from './arguments.ts'
import { blockMethods } from './blocks.ts'
import { coinMethods } from './coins.ts'
import { miningMethods } from './mining.ts'
import { mempoolMethods, transactionMethods } from './transactions.ts'

/** The subset of Bitcoin Core's JSON-RPC that ordbook uses. */
const methodsOf = (node: Node): Methods => ({
  ...blockMethods(node),
  ...coinMethods(node),
  ...transactionMethods(node),
  ...mempoolMethods(node),
  ...miningMethods(node),
})

/**
 * Serves a node's RPC over HTTP. `credentials` is `user:password`. Emits `error` if the store cannot be written. The chain in memory is
 * then ahead of the store, so the process must exit.
 */
export function serveRpc(node: Node, credentials: string): Server {
  const methods = methodsOf(node)
  const expected = Buffer.from(`Basic ${Buffer.from(credentials).toString('base64')}`)
  const answerOne = (call: any) => {
    const { id = null, method, params = [] } = call ?? {}
    try {
      if (!Object.hasOwn(methods, method)) throw new RpcError(-32601, 'Method not found')
      return { result: methods[method]!(params) ?? null, error: null, id }
    } catch (error) {
      if (error instanceof RpcError)
        return { result: null, error: { code: error.code, message: error.message }, id }
      if (error instanceof RejectError)
        return { result: null, error: { code: -26, message: error.details ?? error.message }, id }
      if (error instanceof BitcoinError)
        return { result: null, error: { code: -5, message: error.message }, id }
      throw error
    }
  }
  // Clients may reuse a connection after a long pause.
  const server = createServer({ keepAliveTimeout: 120_000 }, async (request, response) => {
    const file = request.url && restOf(node, request.url)
    if (file !== undefined)
      return void response
        .writeHead(file ? 200 : 404, { 'content-type': 'application/octet-stream' })
        .end(file ?? 'not found')
    const authorization = Buffer.from(request.headers.authorization ?? '')
    if (authorization.length !== expected.length || !timingSafeEqual(authorization, expected))
      return void response.writeHead(401).end()
    let status = 200
    let body: unknown
    try {
      const call = JSON.parse(await textOf(request))
      body = Array.isArray(call) ? call.map(answerOne) : answerOne(call)
      if (!Array.isArray(body) && (body as { error: unknown }).error) status = 500
    } catch (error) {
      if (error instanceof Error && 'syscall' in error) return void server.emit('error', error)
      status = 500
      body = {
        result: null,
        error: { code: -32700, message: error instanceof Error ? error.message : 'Parse error' },
        id: null,
      }
    }
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  return server
}

/** Handles the REST paths that ordbook uses. Returns undefined for other paths. */
function restOf({ chain }: Node, path: string): Uint8Array | null | undefined {
  const [, kind, hash] = /^\/rest\/(block|spenttxouts)\/([0-9a-f]{64})\.bin$/.exec(path) ?? []
  if (!kind || !hash) return path.startsWith('/rest/') ? null : undefined
  const block = chain.blocks.get(hash)
  if (!block) return null
  if (kind === 'block') return encodeBlock(block)
  const spent = chain.spentBy(block)
  return spent ? encodeSpent(spent) : null
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}
