import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Lets the node write a dump to a path. */
type Dump = (path: string) => Promise<unknown>

export interface DumpGate {
  /** URL of the node through the gate. */
  url: string
  /** Called for each `dumptxoutset`, with the path that was requested. Returns the result; if it throws, the connection ends. */
  onDump: (path: string, dump: Dump) => Promise<unknown>
  close(): void
}

/** An error of the node, which the gate passes on. */
class NodeError extends Error {}

/** Forwards calls and REST to a node, except dumps of its UTXO set. */
export async function openDumpGate(nodeUrl: string): Promise<DumpGate> {
  const { origin, username, password } = new URL(nodeUrl)
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
  const send = (body: Buffer | string) => fetch(origin, { method: 'POST', body, headers: { authorization } })
  const dump: Dump = async (path) => {
    const body = JSON.stringify({ jsonrpc: '1.0', id: 0, method: 'dumptxoutset', params: [path, 'latest'] })
    const { result, error } = (await (await send(body)).json()) as { result: unknown; error: unknown }
    if (error) throw new NodeError(JSON.stringify(error))
    return result
  }
  const answerOf = async (request: IncomingMessage): Promise<[status: number, body: Buffer | string]> => {
    const body = Buffer.concat(await Array.fromAsync(request))
    const call = body.length > 0 ? JSON.parse(body.toString()) : null
    if (call?.method !== 'dumptxoutset') {
      const answer = call ? await send(body) : await fetch(new URL(request.url!, origin))
      return [answer.status, Buffer.from(await answer.arrayBuffer())]
    }
    try {
      return [
        200,
        JSON.stringify({ id: call.id, result: await gate.onDump(call.params[0], dump), error: null }),
      ]
    } catch (error) {
      if (!(error instanceof NodeError)) throw error
      return [500, JSON.stringify({ id: call.id, result: null, error: JSON.parse(error.message) })]
    }
  }
  const server = createServer((request, response) =>
    answerOf(request).then(
      ([status, body]) => response.writeHead(status).end(body),
      () => request.socket.destroy(),
    ),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const gate: DumpGate = {
    url: `http://${username}:${password}@127.0.0.1:${(server.address() as AddressInfo).port}`,
    onDump: (path, dump) => dump(path),
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
  return gate
}
