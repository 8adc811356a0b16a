import { operations } from '@ordbook/contract/index.ts'
import type { Operation } from '@ordbook/contract/operation.ts'
import { publicReads } from '@ordbook/contract/public.ts'
import { sharedOperations, webOperations } from '@ordbook/contract/web.ts'
import { readConfig } from '@ordbook/db/settings/config.ts'
import { expect, it } from 'vitest'
import { llmsText } from './llms.ts'
import { openapiDocument, publicOpenapiDocument, webOpenapiDocument } from './openapi.ts'
import { datedPage, listPages } from './reference.ts'

const PUBLIC_URL = 'http://market.example'
const context = { publicUrl: PUBLIC_URL, config: readConfig({}) }
const SERVED = new Set([
  ...['docs', ...listPages()].map((page) => `${page}.md`),
  'openapi.json',
  'openapi-public.json',
  'signing-vectors.json',
])
const pathsOf = (base: string, all: Operation[]) =>
  all.map(({ method, path, root }) => `${method} ${root ? '' : base}${path}`)
const api = Object.values<Operation>({ ...operations, ...publicReads })
/** Paths of the API may be written without `/api/v1`. */
const ROUTES = ['', '/api/v1']
  .flatMap((base) => pathsOf(base, api))
  .concat(pathsOf('/web/v1', [...Object.values<Operation>(webOperations), ...sharedOperations]))
  .map((route) => new RegExp(`^${route.replaceAll(/\{\w+\}/g, '[^/ ]+').replaceAll('.', '\\.')}$`))

/** Returns what a text mentions although the server does not serve it: files, pages and operations. */
function deadMentionsIn(text: string): string[] {
  const own = text.replaceAll(/https?:\/\/(?!market\.example)[^\s)"]+/g, '')
  const files = [...own.matchAll(/[\w./{}-]+\.(?:md|tsx?|jsx?|json|sql|rs|py)\b/g)]
    .map(([name]) => name)
    .filter((name) => !/\{page\}\.md$/.test(name) && !SERVED.has(name.split('/').at(-1)!))
  const pages = [...own.matchAll(/(?<![\w{}.-])\/docs\/([\w-]+)(?![\w-]|\.\w)/g)]
    .filter(([, name]) => !listPages().includes(name!))
    .map(([path]) => path)
  const calls = [...own.matchAll(/\b(GET|POST) (\/[\w/{}.…-]*[\w}])/g)]
    .filter(([, , path]) => !path!.includes('…'))
    .map(([call]) => call)
    .filter((call) => !ROUTES.some((route) => route.test(call)))
  return [...files, ...pages, ...calls, ...(own.match(/of the repository/g) ?? [])]
}

it.each([
  ...[null, ...listPages()].map((page) => [`/docs/${page ?? ''}`, datedPage(page, context)!] as const),
  ['/llms.txt', llmsText(PUBLIC_URL)] as const,
  ...[openapiDocument, webOpenapiDocument, publicOpenapiDocument].map(
    (print) => [print.name, JSON.stringify(print(PUBLIC_URL))] as const,
  ),
])('%s names only what is served', (_, text) => {
  expect(deadMentionsIn(text)).toEqual([])
})

it.each([
  ['the list is `sdk/src/verify/beliefs.ts`.', 'sdk/src/verify/beliefs.ts'],
  ['[guide](../how-to/upgrade.md)', '../how-to/upgrade.md'],
  ['see /docs/nothing.', '/docs/nothing'],
  ['Read `GET /collections`.', 'GET /collections'],
  ['(events.md of the repository)', 'of the repository'],
])('finds a dead mention in: %s', (text, mention) => {
  expect(deadMentionsIn(text)).toEqual([mention])
})
