import { docsPathOf, ERRORS, type ErrorCode } from '@ordbook/contract/errors.ts'
import { FORMATS } from '@ordbook/http/operations/operations.ts'
import type { ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'

/**
 * Every answer that any suite gets from a market, errors too, is held against the OpenAPI document which that very server
 * serves: a status that is not listed for the operation, or a body that is not as described, fails the request.
 */
interface Described {
  method: string
  pattern: RegExp
  /** Null: listed without a body schema. A schema is compiled when the first answer of its kind comes. */
  answers: Map<number, (() => ValidateFunction) | null>
}

const SURFACES = ['/api/v1', '/web/v1']
/** The document of everything else, at the root. */
const ROOT = '/openapi-public.json'
// Without isolation each file would wrap the fetch of the previous one.
const own = globalThis as typeof globalThis & { plainFetch?: typeof fetch }
const plainFetch = (own.plainFetch ??= globalThis.fetch)
const documents = new Map<string, Promise<Described[] | null>>()

/** Suites start many servers with one document. */
const read = new Map<string, Described[]>()

/** The operations of a server; null where it does not answer: its end is what some suites are about. */
async function readDocument(address: string): Promise<Described[] | null> {
  const served = await plainFetch(address).catch(() => null)
  if (!served?.ok) return null
  const text = await served.text()
  const key = `${new URL(address).pathname} ${text}`
  if (!read.has(key)) read.set(key, operationsOf(JSON.parse(text), address))
  return read.get(key)!
}

function operationsOf(document: any, address: string): Described[] {
  // The document is more than schemas: its own members are no keywords.
  const ajv = new Ajv2020({ strict: false, formats: FORMATS })
  ajv.addSchema(document, 'document')
  const pointer = (text: string) => text.replaceAll('~', '~0').replaceAll('/', '~1')
  // A path that is written out goes before one with a parameter in its place, as it does in the router.
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
  let made: { value: T } | undefined
  return () => (made ??= { value: make() }).value
}

function documentAt(address: string): Promise<Described[] | null> {
  if (!documents.has(address)) documents.set(address, readDocument(address))
  return documents.get(address)!
}

/** The path below which a document describes an operation. */
function baseOf(server: string | undefined, address: string): string {
  const path = server === undefined ? address.replace(/\/openapi\S*$/, '') : server
  return new URL(path, address).pathname.replace(/\/$/, '')
}

async function check(url: URL, method: string, response: Response): Promise<void> {
  const surface = SURFACES.find((each) => url.pathname.startsWith(`${each}/`))
  const address = `${url.origin}${surface ? `${surface}/openapi.json` : ROOT}`
  const described = await documentAt(address)
  if (!described) return void documents.delete(address)
  // HEAD is taken wherever GET is, and has no body.
  if (method === 'OPTIONS' || method === 'HEAD' || /\/(openapi\.json|llms\.txt|docs\/.*)$/.test(url.pathname))
    return
  const find = (all: readonly Described[]) =>
    all.find((each) => each.method === method && each.pattern.test(url.pathname))
  // The other document describes the operations of the API beside the published interface.
  const operation = find(described) ?? (surface && find((await documentAt(`${url.origin}${ROOT}`)) ?? []))
  const isKnown = operation !== undefined || surface !== undefined
  if (!isKnown) return
  const name = `${method} ${url.pathname}${url.search} answered ${response.status}`
  if (operation && operation.answers.get(response.status) === null) return
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  if (operation && !isJson) throw new Error(`${name} as ${response.headers.get('content-type')}`)
  const body: unknown = await response.json()
  if (!operation) {
    if (![404, 405].includes(response.status)) throw new Error(`${name}: ${JSON.stringify(body)}`)
    return checkRefusal(name, response.status, body)
  }
  const validate = operation.answers.get(response.status)?.()
  if (!validate) throw new Error(`${name}, which its document does not list: ${JSON.stringify(body)}`)
  if (!validate(body))
    throw new Error(
      `${name}, not as described: ${JSON.stringify(validate.errors)} ${JSON.stringify(body).slice(0, 500)}`,
    )
  if (response.status !== 200) checkRefusal(name, response.status, body)
}

/** A refusal is what the table of errors says of its code, and nothing more. */
function checkRefusal(name: string, status: number, body: any): void {
  const entry = ERRORS[body.code as ErrorCode]
  if (
    Object.keys(body).join() !== 'error,code,retryable,docsUrl' ||
    entry?.status !== status ||
    body.retryable !== entry.retryable ||
    !body.docsUrl.endsWith(docsPathOf(body.code))
  )
    throw new Error(`${name}, not as the table of errors says: ${JSON.stringify(body)}`)
}

globalThis.fetch = async (input, init) => {
  const response = await plainFetch(input, init)
  const url = new URL(input instanceof Request ? input.url : input)
  const type = response.headers.get('content-type') ?? ''
  const ofNode = url.pathname === '/' || url.pathname.startsWith('/rest/')
  // Inscribed content may have any media type.
  const isContent = /^\/(content\/|r\/(undelegated-content|sat)\/)/.test(url.pathname)
  if (
    !ofNode &&
    response.status !== 204 &&
    (isContent || !/^(text|image|video|application\/manifest)/.test(type))
  ) {
    if (!isContent && response.status !== 304 && !type.startsWith('application/json'))
      throw new Error(`${url} answered ${response.status} as ${type}`)
    await check(url, (init?.method ?? 'GET').toUpperCase(), response.clone())
  }
  return response
}
