import { beforeAll, expect, it } from 'vitest'
import { setUpMarket } from '../../../e2e/support/market.ts'

/** Paths outside the reference that its pages link to. */
const OTHER_PATHS = [
  '/',
  '/openapi.json',
  '/web/v1/openapi.json',
  '/openapi-public.json',
  '/llms.txt',
  '/docs/signing-vectors.json',
]

/** Compares the HTML reference with the OpenAPI documents. */
const market = setUpMarket()
const pages = new Map<string, string>()
let entries: Map<string, string[]>
beforeAll(async () => {
  const index = await read('/docs')
  for (const [, path] of index.matchAll(/<li><a href="(\/docs\/[a-z-]+)">/g)) await read(path!)
  const parts = [...pages].flatMap(([path, text]) => (path === '/docs' ? [] : text.split('<h2 ').slice(1)))
  entries = Map.groupBy(parts, (part) => /^id="([^"]*)"/.exec(part)![1]!)
})

async function read(path: string): Promise<string> {
  const response = await fetch(`${market.server.url}${path}`)
  expect([response.status, response.headers.get('content-type')], path).toEqual([
    200,
    'text/html; charset=utf-8',
  ])
  expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'none'/)
  const text = await response.text()
  pages.set(path, text)
  return text
}

/** Returns the section of an operation. */
function entryOf(id: string): string {
  const sections = entries.get(id)
  expect(sections, id).toHaveLength(1)
  return sections![0]!
}

/** Returns all property names in a schema, including nested ones. */
function namesOf(schema: any, document: any): Set<string> {
  const names = new Set<string>()
  const seen = new Set<string>()
  const visit = (node: any) => {
    if (!node || typeof node !== 'object') return
    if (node.$ref) {
      if (seen.has(node.$ref)) return
      seen.add(node.$ref)
      return visit(document.components.schemas[node.$ref.split('/').at(-1)])
    }
    for (const [name, member] of Object.entries(node.properties ?? {})) {
      names.add(name)
      visit(member)
    }
    for (const part of [...(node.anyOf ?? []), ...(node.allOf ?? []), node.items]) visit(part)
  }
  visit(schema)
  return names
}

it('the reference documents every operation', async () => {
  let operations = 0
  for (const path of ['/openapi.json', '/web/v1/openapi.json', '/openapi-public.json']) {
    const document: any = await (await fetch(`${market.server.url}${path}`)).json()
    for (const [place, methods] of Object.entries<any>(document.paths))
      for (const [method, operation] of Object.entries<any>(methods)) {
        if (method === 'servers') continue
        operations++
        const entry = entryOf(operation.operationId)
        expect(entry).toContain(`${method.toUpperCase()} `)
        expect(entry).toContain(place)
        expect(pages.get('/docs')).toContain(`#${operation.operationId}"`)
        const { 200: success, ...errors } = operation.responses
        const [[type, { schema, example }]] = Object.entries<any>(success.content) as [[string, any]]
        const body = operation.requestBody?.content['application/json']
        const rows = new Set(
          [...entry.matchAll(/<td><code>(?:[^<]*\.)?([^<.?]+)\??<\/code><\/td>/g)].map(([, name]) => name!),
        )
        const names = [
          ...operation.parameters.map((parameter: any) => parameter.name),
          ...namesOf(body?.schema, document),
          ...(type === 'application/json' ? namesOf(schema, document) : []),
        ]
        expect(
          names.filter((name) => !rows.has(name)),
          operation.operationId,
        ).toEqual([])
        if (type === 'application/json') expect(entry).toContain('<strong>Example response</strong>')
        else expect(entry).toContain(`<code>${type}</code>`)
        expect(example).toBeDefined()
        for (const status of Object.keys(errors)) expect(entry).toContain(`<td>${status}</td>`)
      }
  }
  expect(operations).toBeGreaterThan(100)
})

it.each([
  ['listCollectionFloorStats', 'Unknown slugs are omitted', 'Case-insensitive'],
  ['listListings', 'An unknown collectionSlug returns an empty page'],
  ['listCollectionInscriptions', 'priceSats in BTC', 'Price of the last confirmed sale, in BTC'],
  ['listSales', 'An unknown collectionSlug returns an empty page'],
  ['listTradeProposals', 'All amounts are in sats', 'unknown slug returns an empty page'],
  ['createAuthChallenge', 'verifyAuthChallenge requires confirmed funding'],
  ['beginWebSignIn', 'a storefront session does not'],
])('the section of %s states its rules', (id, ...rules) => {
  expect(rules.filter((rule) => !entryOf(id).includes(rule))).toEqual([])
})

it('the reference has no dead links', async () => {
  for (const [path, text] of pages) {
    expect(text).not.toMatch(/<(script|img|link|iframe|object)|url\(|@import|javascript:/i)
    for (const [, href] of text.matchAll(/href="([^"]+)"/g)) {
      const { pathname, hash, origin } = new URL(href!, `${market.server.url}${path}`)
      if (origin !== market.server.url || OTHER_PATHS.includes(pathname)) continue
      const target = pages.get(pathname)
      expect(target, `${path} links to ${href}`).toBeDefined()
      if (hash) expect(target!.includes(`id="${hash.slice(1)}"`), `${path} links to ${href}`).toBe(true)
    }
  }
})

it('serves the signing page with its vectors', async () => {
  const page = await (await fetch(`${market.server.url}/docs/signing.md`)).text()
  for (const member of [
    'sigHash',
    'signingIndexes',
    'publicKey',
    'disableTweakSigner',
    'signerAddress',
    'stepIndex',
  ])
    expect(page).toMatch(new RegExp(`^\\| \`(\\w+\\[\\]\\.)?${member}\\??\` \\| [^|]+ \\| \\w`, 'm'))
  expect(page).not.toMatch(/<!--|\.\.\//)
  const { trades }: any = await (await fetch(`${market.server.url}/docs/signing-vectors.json`)).json()
  expect(trades.map(({ trade }: { trade: string }) => trade)).toContain('list')
})
