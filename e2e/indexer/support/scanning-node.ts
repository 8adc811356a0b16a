import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A node proxy that delays each scan until the test releases it. */
export interface ScanningNode {
  url: string
  begun: string[]
  aborted: number
  isScanning(): boolean
  release(): void
  stop(): void
}

interface Call {
  method: string
  params: [string, string[]?]
  id: number
}

/** `nodeUrl` contains the node's credentials. */
export async function startScanningNode(nodeUrl: string): Promise<ScanningNode> {
  const { username, password, origin } = new URL(nodeUrl)
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
  let running: PromiseWithResolvers<'ended' | 'aborted'> | null = null

  const forward = async (body: string) => {
    const answer = await fetch(`${origin}/`, { method: 'POST', headers: { authorization }, body })
    return answer.text()
  }
  const scan = async (call: Call, body: string): Promise<string> => {
    const answer = (result: unknown) => JSON.stringify({ id: call.id, result, error: null })
    const [action, descriptors] = call.params
    if (action === 'abort') {
      relay.aborted++
      running?.resolve('aborted')
      return answer(running !== null)
    }
    if (running)
      return JSON.stringify({
        id: call.id,
        result: null,
        error: { code: -8, message: 'Scan already in progress, use action "abort" or "status"' },
      })
    relay.begun.push(descriptors![0]!)
    running = Promise.withResolvers()
    const how = await running.promise
    running = null
    return how === 'ended' ? forward(body) : answer({ success: false, bestblock: '', unspents: [] })
  }
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const call = JSON.parse(body) as Call
    response.end(call.method === 'scantxoutset' ? await scan(call, body) : await forward(body))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')

  const relay: ScanningNode = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    begun: [],
    aborted: 0,
    isScanning: () => running !== null,
    release: () => running!.resolve('ended'),
    stop() {
      server.close()
      server.closeAllConnections()
    },
  }
  return relay
}
