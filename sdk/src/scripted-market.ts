import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exampleOf } from '@ordbook/contract/example.ts'
import { operations } from '@ordbook/contract/index.ts'
import type { Operation } from '@ordbook/contract/operation.ts'
import { type SignInFacts, signInMessage } from '@ordbook/contract/sign-in-message.ts'
import { webOperations } from '@ordbook/contract/web.ts'
import type { TSchema } from 'typebox'
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
  /**
   * Sent as JSON, with the contract's examples for the members that it leaves out; a text is sent as it is. Undefined: the connection is
   * closed without an answer.
   */
  body: unknown
  /** The request is never answered. */
  isHanging?: boolean
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

const defined: Operation[] = Object.values<Operation>({ ...operations, ...webOperations })

/** A value with the examples of a schema for the members that it leaves out. */
function completed(
  value: any,
  schema: TSchema & { items?: TSchema; properties?: Record<string, TSchema> },
): unknown {
  if (Array.isArray(value)) return value.map((each) => completed(each, schema.items ?? {}))
  if (typeof value !== 'object' || value === null || !schema.properties) return value
  const given = Object.entries(value).map(([name, each]) => [
    name,
    completed(each, schema.properties![name] ?? {}),
  ])
  return { ...(exampleOf(schema) as object), ...Object.fromEntries(given) }
}

function answerTo({ method, path }: Asked, { status = 200, body }: Said): string {
  if (typeof body === 'string') return body
  const called = path.replace(/^\/(api|web)\/v1/, '').replace(/\?.*/, '')
  const operation = defined.find(
    (each) =>
      each.method === method && new RegExp(`^${each.path.replace(/\{\w+\}/g, '[^/]+')}$`).test(called),
  )
  return JSON.stringify(status === 200 && operation ? completed(body, operation.answer) : body)
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
    if (said.isHanging) return
    if (said.body === undefined) return response.destroy()
    response.writeHead(said.status ?? 200, { 'content-type': 'application/json', ...said.headers })
    response.end(answerTo(one, said))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}
