import { Check } from 'typebox/schema'
import { describe, expect, it } from 'vitest'
import { docsPathOf, ERRORS, type ErrorCode } from './errors.ts'
import { exampleOf } from './example.ts'
import { operations } from './index.ts'
import type { Operation } from './operation.ts'
import { publicReads } from './public.ts'
import { sharedOperations, visitorReads, webOperations } from './web.ts'

const all: readonly (readonly [string, Operation])[] = Object.entries<Operation>({
  ...operations,
  ...webOperations,
  ...publicReads,
})

/** Schema keywords that can limit the size of a value. */
interface Part {
  type?: string
  properties?: Record<string, Part>
  items?: Part
  anyOf?: Part[]
  maxItems?: number
  maxLength?: number
  pattern?: string
  format?: string
  enum?: unknown[]
  const?: unknown
}

/** Returns true if a pattern limits the length: it is anchored and has no open-ended quantifier. */
const isBounded = (pattern = '') =>
  /^\^.*\$$/.test(pattern) && !/[+*]|\{\d+,\}/.test(pattern.replaceAll(/\[[^\]]*\]/g, ''))

/** Returns paths of unlimited arrays and strings in a request schema. Excludes PSBTs, which the body size limits. */
function unboundedIn(part: Part, path: string): string[] {
  const inner = [
    ...Object.entries(part.properties ?? {}).flatMap(([name, property]) =>
      unboundedIn(property, `${path}.${name}`),
    ),
    ...(part.anyOf ?? []).flatMap((variant) => unboundedIn(variant, path)),
    ...(part.items ? unboundedIn(part.items, `${path}[]`) : []),
  ]
  if (part.type === 'array' && part.maxItems === undefined) inner.push(`${path}: array without maxItems`)
  const isFixed = part.enum !== undefined || part.const !== undefined || part.format !== undefined
  if (part.type === 'string' && part.maxLength === undefined && !isFixed && !isBounded(part.pattern))
    inner.push(`${path}: string without maxLength`)
  return inner
}

describe.each(all)('%s', (id, operation) => {
  it('has a unique id and route', () => {
    expect(operation.id).toBe(id)
    const routes = all.map(([, other]) => `${other.method} ${other.path} ${'root' in other}`)
    const ownRoute = `${operation.method} ${operation.path} ${'root' in operation}`
    expect(routes.filter((route) => route === ownRoute)).toHaveLength(1)
  })

  it('declares its path parameters', () => {
    const inPath = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
    expect(Object.keys(operation.params?.properties ?? {}).toSorted()).toEqual(inPath.toSorted())
  })

  it('declares a status for each check', () => {
    if (operation.method === 'GET') expect(operation.body).toBeUndefined()
    if (operation.token) expect(operation.statuses).toContain(401)
    // Each reference page is a separate route, so the server has no parameters to validate.
    const isChecked =
      operation.query ?? operation.body ?? (!operation.path.startsWith('/docs/') && operation.params)
    if (isChecked) expect(operation.statuses).toContain(400)
    for (const status of operation.statuses)
      expect(Object.values(ERRORS).some((entry) => entry.status === status) || status < 400).toBe(true)
  })

  it('limits all lists and strings of a request', () => {
    for (const [place, schema] of Object.entries({
      params: operation.params,
      query: operation.query,
      body: operation.body,
    }))
      if (schema)
        expect(
          unboundedIn(schema as Part, place).filter((each) => !/psbtBase64|transaction/i.test(each)),
        ).toEqual([])
  })
})

it('shares only existing operations', () => {
  const ids = new Set(all.map(([, { id }]) => id))
  for (const { id } of sharedOperations) expect(ids).toContain(id)
  for (const id of visitorReads) expect(ids).toContain(id)
})

describe('listListings query', () => {
  const { query } = operations.listListings
  it('rejects out-of-range parameters', () => {
    for (const good of [{}, { limit: 1 }, { limit: 100, sort: 'price', collectionSlug: 'Lamps' }])
      expect(Check(query, good), JSON.stringify(good)).toBe(true)
    for (const bad of [
      { limit: 0 },
      { limit: 101 },
      { limit: 1.5 },
      { sort: 'cheapest' },
      { inscriptionId: 'x' },
    ])
      expect(Check(query, bad), JSON.stringify(bad)).toBe(false)
  })
})

describe('preflightListing body', () => {
  const item = { inscriptionId: `${'ab'.repeat(32)}i0`, priceSats: 1000 }
  const body = {
    walletBindingId: '3f2b8c1e-5d74-4a09-9c1b-0e6f7a2d4b58',
    ordinalsPublicKey: 'ab'.repeat(32),
    items: [item],
  }
  it('accepts one to twenty items', () => {
    const schema = operations.preflightListing.body
    expect(Check(schema, body)).toBe(true)
    expect(Check(schema, { ...body, items: Array(20).fill(item) })).toBe(true)
    for (const wrong of [
      { items: [] },
      { items: Array(21).fill(item) },
      { items: [{ ...item, priceSats: 0 }] },
      { items: [{ ...item, priceSats: 1.5 }] },
      { items: [{ inscriptionId: item.inscriptionId }] },
      { walletBindingId: 'mine' },
      { ordinalsPublicKey: undefined },
      { escrowForm: 'other' },
    ])
      expect(Check(schema, { ...body, ...wrong }), JSON.stringify(wrong)).toBe(false)
  })
})

describe('error table', () => {
  it.each(Object.entries(ERRORS))('%s is documented', (code, entry) => {
    expect(code).toMatch(/^[a-z]+(-[a-z]+)*$/)
    expect(entry.about).toMatch(/^[A-Z/].*\.$/)
    expect(entry.mend).toMatch(/^[A-Z/].*\.$/)
    expect(docsPathOf(code as ErrorCode)).toBe(`/docs/errors#${code}`)
    if (entry.status === 429 || entry.status === 408) expect(entry.retryable).toBe(true)
    if (entry.status === 401 || entry.status === 404) expect(entry.retryable).toBe(false)
  })
})

it('declares 404 for operations with a path parameter', () => {
  const undeclared = all.filter(([, { params, statuses }]) => params && !statuses.includes(404))
  expect(undeclared.map(([id]) => id)).toEqual([])
})

/** Returns the paths of strings that equal the name of their member. */
function namesakesIn(example: unknown, name: string, path: string): string[] {
  if (typeof example === 'string') return example === name ? [path] : []
  if (typeof example !== 'object' || example === null) return []
  return Object.entries(example).flatMap(([member, value]) =>
    namesakesIn(value, Array.isArray(example) ? name : member, `${path}.${member}`),
  )
}

it.each(all)('%s has no example that only repeats the name of its member', (_, operation) => {
  const { params, query, body, answer } = operation
  for (const [place, schema] of Object.entries({ params, query, body, answer }))
    if (schema) expect(namesakesIn(exampleOf(schema), place, place)).toEqual([])
})

describe('example responses', () => {
  it('have a sign-in message with its address', () => {
    const { challenges } = exampleOf(operations.createAuthChallenge.answer) as any
    expect(challenges[0].message).toContain(`\nAddress: ${challenges[0].address}\n`)
  })

  it('have the size of their page', () => {
    const { items, pagination } = exampleOf(operations.listCollectionInscriptions.answer) as any
    expect(pagination.pageSize).toBe(items.length)
  })

  it('have the sighashes of a listing', () => {
    const { listings } = exampleOf(operations.preflightListing.answer) as any
    const steps: any[] = listings[0].psbts
    expect(steps.map(({ stepIndex, inputsToSign }) => [stepIndex, inputsToSign[0].sigHash])).toEqual([
      [0, 0],
      [1, 131],
    ])
  })
})
