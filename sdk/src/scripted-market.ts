import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type SignInFacts, signInMessage } from '@ordbook/contract/sign-in-message.ts'
import { onTestFinished } from 'vitest'

/** A request as a scripted market sees it. */
export interface Asked {
  method: string
  /** With its query. */
  path: string
  headers: Record<string, string | string[] | undefined>
  body: any
}

interface Said {
  status?: number
  headers?: Record<string, string>
  /** Sent as JSON; a text is sent as it is. Undefined: the connection is closed without an answer. */
  body: unknown
}

/** The answer to a request for challenges, each with other facts than a true market's where they are named. */
export function challengesFor(
  { body: { ordinalsAddress, paymentAddress } }: Pick<Asked, 'body'>,
  changes: Partial<SignInFacts> = {},
) {
  const issuedAt = new Date()
  const roles = [
    ['ordinals', ordinalsAddress],
    ['payment', paymentAddress],
  ] as const
  return {
    authRequestId: 'request',
    challenges: roles.map(([role, address], n) => {
      const challengeId = `00000000-0000-4000-8000-00000000000${n}`
      const expiresAt = new Date(issuedAt.getTime() + 600_000)
      const facts = {
        host: 'market.example',
        address,
        role,
        challengeId,
        nonce: '0'.repeat(32),
        issuedAt,
        expiresAt,
      }
      return { challengeId, address, role, message: signInMessage({ ...facts, ...changes }) }
    }),
  }
}

/** For tests: an HTTP server that answers as `script` says and records each request. It closes with the test that called it. */
export async function scriptedMarket(
  script: (asked: Asked) => Said,
): Promise<{ origin: string; asked: Asked[] }> {
  const asked: Asked[] = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const { method = '', url = '', headers } = request
    const one: Asked = { method, path: url, headers, body: text ? JSON.parse(text) : null }
    asked.push(one)
    const said = script(one)
    if (said.body === undefined) return response.destroy()
    response.writeHead(said.status ?? 200, { 'content-type': 'application/json', ...said.headers })
    response.end(typeof said.body === 'string' ? said.body : JSON.stringify(said.body))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}
