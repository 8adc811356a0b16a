import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'

/**
 * Who may import whom, as data; ARCHITECTURE.md prints the same table. Tests and scripts may import anything. A room of
 * the server may import itself, `errors.ts`, `config.ts` (from main and db), `context.ts`, and the rooms named here.
 */
const PACKAGES: Record<string, string[]> = {
  bitcoin: [],
  contract: [],
  devnet: ['bitcoin'],
  sdk: ['bitcoin', 'contract'],
  server: ['bitcoin', 'contract', 'signer'],
  signer: ['bitcoin'],
  web: ['sdk', 'bitcoin', 'contract'],
}

const FEATURE = [
  'derived',
  'engine',
  'preflight',
  'market-coins',
  'escrows',
  'backing',
  'chain',
  'db',
  'http',
]
const ROOMS: Record<string, string[]> = {
  db: [],
  chain: ['db'],
  backing: ['chain', 'db'],
  keys: ['chain', 'db'],
  engine: ['chain', 'db'],
  preflight: ['chain', 'db', 'engine'],
  'market-coins': ['chain', 'db', 'engine'],
  escrows: ['chain', 'db'],
  content: ['chain', 'db'],
  http: ['chain', 'db', 'content'],
  auth: FEATURE,
  collections: FEATURE,
  listings: [...FEATURE, 'auth', 'collections'],
  sales: [...FEATURE, 'auth', 'collections', 'listings'],
  settlements: [...FEATURE, 'auth', 'collections', 'listings', 'sales'],
  'from-escrow': [...FEATURE, 'auth', 'collections', 'listings', 'sales', 'settlements'],
  purchases: [...FEATURE, 'auth', 'collections', 'listings', 'sales', 'settlements'],
  offers: [...FEATURE, 'auth', 'collections', 'listings', 'sales', 'settlements'],
  'collection-offers': [...FEATURE, 'auth', 'collections', 'listings', 'sales', 'settlements', 'offers'],
  // An acceptance of a proposal is an offer, made to the proposer: its states are an offer's.
  proposals: [...FEATURE, 'auth', 'collections', 'listings', 'sales', 'settlements', 'offers'],
  status: ['chain', 'db', 'market-coins'],
  record: [...FEATURE, 'status', 'listings', 'settlements', 'purchases', 'collection-offers'],
  storefront: [...FEATURE, 'auth', 'collections', 'settlements', 'proposals'],
  derived: [...FEATURE, 'collections', 'listings', 'sales', 'proposals'],
}

/** Only these may name Fastify at run time, and only these may hold SQL. */
const KNOWS_FASTIFY = /^server\/src\/(http\/|app\.ts|auth\/sessions\.ts)/
const HOLDS_SQL = /^server\/src\/(db\/|.*queries\.ts$|main\.ts$)/

const root = join(import.meta.dirname, '..')
const problems: string[] = []
for (const name of Object.keys(PACKAGES))
  for (const entry of readdirSync(join(root, name, 'src'), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.tsx?$/.test(entry.name) || entry.name.endsWith('.test.ts')) continue
    check(name, relative(root, join(entry.parentPath, entry.name)))
  }
for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exit(1)
console.log('imports: every arrow points the right way')

function check(name: string, file: string): void {
  const text = readFileSync(join(root, file), 'utf8')
  for (const [, types, target] of text.matchAll(/^(?:import|export)\s+(type\s)?[^;]*?from\s+'([^']+)'/gm)) {
    const own = /^@ordbook\/([a-z]+)\//.exec(target!)?.[1]
    if (own && !PACKAGES[name]!.includes(own)) problems.push(`${file}: ${name} may not import ${own}`)
    if (own === 'contract' && name === 'web' && !types)
      problems.push(`${file}: web may import contract as types only`)
    if (target === 'fastify' && !types && !KNOWS_FASTIFY.test(file))
      problems.push(`${file}: only http/ and routes know Fastify`)
    if (name === 'server' && target!.startsWith('.')) checkRoom(file, normalize(join(dirname(file), target!)))
  }
  if (name === 'server' && !HOLDS_SQL.test(file) && /\b(sql|tx)(<[^`]*>)?`/.test(text))
    problems.push(`${file}: only queries.ts and db/ hold SQL`)
}

function checkRoom(from: string, to: string): void {
  const [, , room] = from.split('/')
  const [, , other] = to.split('/')
  if (room!.endsWith('.ts') || other!.endsWith('.ts') || room === other) return
  if (!ROOMS[room!]!.includes(other!)) problems.push(`${from}: ${room} may not import ${other}`)
}
