import { docsPathOf, ERRORS, type ErrorCode } from '@ordbook/contract/errors.ts'
import { FORMATS } from '@ordbook/http/operations/operations.ts'
import type { ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'

/**
 * Validates every response in every suite against the server's OpenAPI document. A request fails if its status or body is not documented.
 */
interface Described {
  method: string
  pattern: RegExp
  /** Validators by status, compiled on first use. Null if no schema is documented. */
  answers: Map<number, (() => ValidateFunction) | null>
}

const SURFACES = ['/api/v1', '/web/v1']
/** Document of all routes outside the two APIs. */
const ROOT = '/openapi-public.json'
// Without test isolation, each file would wrap the previous file's fetch.
const globals = globalThis as typeof globalThis & { plainFetch?: typeof fetch }
const plainFetch = (globals.plainFetch ??= globalThis.fetch)
const documents = new Map<string, Promise<Described[] | null>>()

/** Many servers have the same document. */
const read = new Map<string, Described[]>()

/** Reads a server's operations. Returns null if it does not respond: some suites stop servers. */
async function readDocument(address: string): Promise<Described[] | null> {
  const served = await plainFetch(address).catch(() => null)
  if (!served?.ok) return null
  const text = await served.text()
  const key = `${new URL(address).pathname} ${text}`
  if (!read.has(key)) read.set(key, operationsOf(JSON.parse(text), address))
  return read.get(key)!
}

function operationsOf(document: any, address: string): Described[] {
  // Not strict, because the document has fields that are not JSON Schema keywords.
  const ajv = new Ajv2020({ strict: false, formats: FORMATS })
  ajv.addSchema(document, 'document')
  const pointer = (text: string) => text.replaceAll('~', '~0').replaceAll('/', '~1')
  // Literal paths first, as in the router.
  const parameters = (path: string) => path.split('{').length
  const paths = Object.entries<any>(document.paths).toSorted(([a], [b]) => parameters(a) - parameters(b))
  return paths.flatMap(([path, methods]) =>
    Object.entries<any>(methods)
      .filter(([method]) => method !== 'servers')
      .map(([method, operation]) => ({
        method: method.toUpperCase(),
        pattern: new RegExp(
          `^${baseOf(methods.servers?.[0].url, address)}${path.replace(/\{\w+\}/g, '[^/]+')}$`,
        ),
        answers: new Map(
          Object.entries<any>(operation.responses).map(([status, { content }]) => [
            Number(status),
            content?.['application/json']
              ? once(() =>
                  ajv.compile({
                    $ref: `document#/paths/${pointer(path)}/${method}/responses/${status}/content/application~1json/schema`,
                  }),
                )
              : null,
          ]),
        ),
      })),
  )
}

function once<T>(make: () => T): () => T {
  let cached: { value: T } | undefined
  return () => (cached ??= { value: make() }).value
}

function documentAt(address: string): Promise<Described[] | null> {
  if (!documents.has(address)) documents.set(address, readDocument(address))
  return documents.get(address)!
}

function baseOf(server: string | undefined, address: string): string {
  const path = server === undefined ? address.replace(/\/openapi\S*$/, '') : server
  return new URL(path, address).pathname.replace(/\/$/, '')
}

async function check(url: URL, method: string, response: Response): Promise<void> {
  const surface = SURFACES.find((each) => url.pathname.startsWith(`${each}/`))
  const address = `${url.origin}${surface ? `${surface}/openapi.json` : ROOT}`
  const described = await documentAt(address)
  if (!described) return void documents.delete(address)
  // Every GET route also accepts HEAD, which has no body.
  if (method === 'OPTIONS' || method === 'HEAD' || /\/(openapi\.json|llms\.txt|docs\/.*)$/.test(url.pathname))
    return
  const find = (all: readonly Described[]) =>
    all.find((each) => each.method === method && each.pattern.test(url.pathname))
  // The root document also describes unpublished API operations.
  const operation = find(described) ?? (surface && find((await documentAt(`${url.origin}${ROOT}`)) ?? []))
  const isKnown = operation !== undefined || surface !== undefined
  if (!isKnown) return
  const name = `${method} ${url.pathname}${url.search} answered ${response.status}`
  if (operation && operation.answers.get(response.status) === null) return
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  if (operation && !isJson)
    throw new Error(`${name} has the unexpected media type ${response.headers.get('content-type')}`)
  const body: unknown = await response.json()
  if (!operation) {
    if (![404, 405].includes(response.status)) throw new Error(`${name}: ${JSON.stringify(body)}`)
    return checkRefusal(name, response.status, body)
  }
  const validate = operation.answers.get(response.status)?.()
  if (!validate) throw new Error(`${name} is not documented: ${JSON.stringify(body)}`)
  if (!validate(body))
    throw new Error(
      `${name} does not match its schema: ${JSON.stringify(validate.errors)} ${JSON.stringify(body).slice(0, 500)}`,
    )
  if (response.status !== 200) checkRefusal(name, response.status, body)
}

/** Asserts that an error response matches the error table and has no other fields. */
function checkRefusal(name: string, status: number, body: any): void {
  const entry = ERRORS[body.code as ErrorCode]
  if (
    Object.keys(body).join() !== 'error,code,retryable,docsUrl' ||
    entry?.status !== status ||
    body.retryable !== entry.retryable ||
    !body.docsUrl.endsWith(docsPathOf(body.code))
  )
    throw new Error(`${name} does not match the error table: ${JSON.stringify(body)}`)
}

globalThis.fetch = async (input, init) => {
  const response = await plainFetch(input, init)
  const url = new URL(input instanceof Request ? input.url : input)
  const type = response.headers.get('content-type') ?? ''
  const ofNode = url.pathname === '/' || url.pathname.startsWith('/rest/')
  // Inscription content may have any media type.
  const isContent = /^\/(content\/|r\/(undelegated-content|sat)\/)/.test(url.pathname)
  if (
    !ofNode &&
    response.status !== 204 &&
    (isContent || !/^(text|image|video|application\/(manifest|atom))/.test(type))
  ) {
    if (!isContent && response.status !== 304 && !type.startsWith('application/json'))
      throw new Error(`${url} returned ${response.status} with media type ${type}`)
    await check(url, (init?.method ?? 'GET').toUpperCase(), response.clone())
  }
  return response
}
