import { FORMATS } from '@ordbook/server/http/operations.ts'
import type { ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'

/**
 * Every answer that any suite gets from a market, errors too, is held against the OpenAPI document which that very server
 * serves: a status that is not listed for the operation, or a body that is not as described, fails the request.
 */
interface Described {
  method: string
  pattern: RegExp
  /** Null: listed without a body schema. */
  answers: Map<number, ValidateFunction>
}

const SURFACES = ['/api/v1', '/web/v1']
const plainFetch = globalThis.fetch
const documents = new Map<string, Promise<Described[] | null>>()

/** The operations of a server; null where it does not answer: its end is what some suites are about. */
async function readDocument(base: string): Promise<Described[] | null> {
  const served = await plainFetch(`${base}/openapi.json`).catch(() => null)
  if (!served?.ok) return null
  const document = (await served.json()) as any
  // The document is more than schemas: its own members are no keywords.
  const ajv = new Ajv2020({ strict: false, formats: FORMATS })
  ajv.addSchema(document, 'document')
  const pointer = (text: string) => text.replaceAll('~', '~0').replaceAll('/', '~1')
  return Object.entries<any>(document.paths).flatMap(([path, methods]) =>
    Object.entries<any>(methods)
      .filter(([method]) => method !== 'servers')
      .map(([method, operation]) => ({
        method: method.toUpperCase(),
        pattern: new RegExp(
          `^${methods.servers ? '' : new URL(base).pathname}${path.replace(/\{\w+\}/g, '[^/]+')}$`,
        ),
        answers: new Map(
          Object.keys(operation.responses).map((status) => [
            Number(status),
            ajv.compile({
              $ref: `document#/paths/${pointer(path)}/${method}/responses/${status}/content/application~1json/schema`,
            }),
          ]),
        ),
      })),
  )
}

async function check(url: URL, method: string, response: Response): Promise<void> {
  const surface = SURFACES.find((each) => url.pathname.startsWith(`${each}/`)) ?? SURFACES[0]!
  const base = `${url.origin}${surface}`
  if (!documents.has(base)) documents.set(base, readDocument(base))
  const described = await documents.get(base)!
  if (!described) return void documents.delete(base)
  if (method === 'OPTIONS' || /\/(openapi\.json|llms\.txt|docs\/.*)$/.test(url.pathname)) return
  const operation = described.find((each) => each.method === method && each.pattern.test(url.pathname))
  const isKnown = operation !== undefined || SURFACES.some((each) => url.pathname.startsWith(`${each}/`))
  if (!isKnown) return
  const name = `${method} ${url.pathname}${url.search} answered ${response.status}`
  const body: unknown = await response.json()
  if (!operation) {
    const keys = Object.keys(body as object)
    if (![404, 405].includes(response.status) || keys.join() !== 'error')
      throw new Error(`${name}: ${JSON.stringify(body)}`)
    return
  }
  const validate = operation.answers.get(response.status)
  if (!validate) throw new Error(`${name}, which its document does not list: ${JSON.stringify(body)}`)
  if (!validate(body))
    throw new Error(
      `${name}, not as described: ${JSON.stringify(validate.errors)} ${JSON.stringify(body).slice(0, 500)}`,
    )
  if (response.status !== 200 && Object.keys(body as object).join() !== 'error')
    throw new Error(`${name} with more than an error: ${JSON.stringify(body)}`)
}

globalThis.fetch = async (input, init) => {
  const response = await plainFetch(input, init)
  const url = new URL(input instanceof Request ? input.url : input)
  const type = response.headers.get('content-type') ?? ''
  const ofNode = url.pathname === '/' || url.pathname.startsWith('/rest/')
  if (!ofNode && response.status !== 204 && !/^(text|image|video)/.test(type)) {
    if (!type.startsWith('application/json')) throw new Error(`${url} answered ${response.status} as ${type}`)
    await check(url, (init?.method ?? 'GET').toUpperCase(), response.clone())
  }
  return response
}
