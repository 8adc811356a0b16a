import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exampleOf } from '@ordbook/contract/example.ts'
import { operations } from '@ordbook/contract/index.ts'
import type { Operation } from '@ordbook/contract/operation.ts'
import { type SignInFacts, signInMessage } from '@ordbook/contract/sign-in-message.ts'
import { webOperations } from '@ordbook/contract/web.ts'
import { onTestFinished } from 'vitest'

export interface Asked {
  method: string
  path: string
  headers: Record<string, string | string[] | undefined>
  body: any
}

interface ScriptedResponse {
  status?: number
  headers?: Record<string, string>
  /** JSON, completed with the contract's examples; strings are sent unchanged. Undefined closes the connection. */
  body: unknown
  isHanging?: boolean
}

/** Returns the challenges of an honest market, except for `changes`. */
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
    authRequestId: '00000000-0000-4000-8000-000000000009',
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

type Schema = Operation['answer']

const defined: Operation[] = Object.values<Operation>({ ...operations, ...webOperations })

function completed(
  value: any,
  schema: Schema & { items?: Schema; properties?: Record<string, Schema> },
): unknown {
  if (Array.isArray(value)) return value.map((item) => completed(item, schema.items ?? {}))
  if (typeof value !== 'object' || value === null || !schema.properties) return value
  const members = Object.entries(value).map(([name, member]) => [
    name,
    completed(member, schema.properties![name] ?? {}),
  ])
  return { ...(exampleOf(schema) as object), ...Object.fromEntries(members) }
}

function answerTo({ method, path }: Asked, { status = 200, body }: ScriptedResponse): string {
  if (typeof body === 'string') return body
  const called = path.replace(/^\/(api|web)\/v1/, '').replace(/\?.*/, '')
  const operation = defined.find(
    (candidate) =>
      candidate.method === method &&
      new RegExp(`^${candidate.path.replace(/\{\w+\}/g, '[^/]+')}$`).test(called),
  )
  return JSON.stringify(status === 200 && operation ? completed(body, operation.answer) : body)
}

/** Starts an HTTP server that responds with `script` and records each request. Closes it after the test. */
export async function scriptedMarket(
  script: (request: Asked) => ScriptedResponse,
): Promise<{ origin: string; requests: Asked[] }> {
  const requests: Asked[] = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const { method = '', url = '', headers } = request
    const received: Asked = { method, path: url, headers, body: text ? JSON.parse(text) : null }
    requests.push(received)
    const scripted = script(received)
    if (scripted.isHanging) return
    if (scripted.body === undefined) return response.destroy()
    response.writeHead(scripted.status ?? 200, { 'content-type': 'application/json', ...scripted.headers })
    response.end(answerTo(received, scripted))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests }
}
