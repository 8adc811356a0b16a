import { spawnSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readCommand, refuse } from '../../scripts/command.ts'

/**
 * `npm run test:suite -- schemathesis [BASE]`: tests a running market (default http://127.0.0.1:4000, started with RATE_LIMITS=off) against
 * each of its OpenAPI documents. Requires schemathesis (`pipx install schemathesis`, or its path in SCHEMATHESIS). TOKEN and COOKIE
 * authenticate the requests; without them, only unauthenticated responses are tested.
 */
const USAGE =
  'usage: npm run test:suite -- schemathesis [BASE]   (a running market, default http://127.0.0.1:4000)'
const { positionals } = readCommand(USAGE, { allowPositionals: true })
const [base = 'http://127.0.0.1:4000'] = positionals
if (positionals.length > 1 || !URL.canParse(base)) refuse(USAGE, 'expected the address of one market')
const command = process.env.SCHEMATHESIS ?? 'schemathesis'
const { TOKEN, COOKIE } = process.env
const EXAMPLES = process.env.EXAMPLES ?? '40'

const documents: [path: string, credentials: string[]][] = [
  ['/api/v1/openapi.json', TOKEN ? ['--header', `Authorization: Bearer ${TOKEN}`] : []],
  [
    '/web/v1/openapi.json',
    ['--header', `Origin: ${base}`, ...(COOKIE ? ['--header', `Cookie: ${COOKIE}`] : [])],
  ],
  ['/openapi-public.json', []],
]
/** Operations that are not repeatable, or whose response never ends. */
const LEFT_OUT = ['endWebSession', 'endWalletSession', 'endWalletSessions', 'listenToEvents']
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_schema_conformance',
  'response_headers_conformance',
  'unsupported_method',
]

const failed = documents.filter(([path, credentials]) => {
  const { status, error } = spawnSync(
    command,
    [
      'run',
      `${base}${path}`,
      ...['--checks', CHECKS.join(',')],
      ...['--max-examples', EXAMPLES],
      ...['--request-timeout', '20'],
      ...['--generation-database', 'none'],
      ...LEFT_OUT.flatMap((id) => ['--exclude-operation-id', id]),
      ...credentials,
    ],
    { stdio: 'inherit', cwd: mkdtempSync(join(tmpdir(), 'ordbook-schemathesis-')) },
  )
  if (error)
    throw new Error(`Failed to start ${command}. Install schemathesis, or set SCHEMATHESIS to its path.`, {
      cause: error,
    })
  return status !== 0
})
for (const [path] of failed) console.error(`failed: ${path}`)
process.exit(failed.length > 0 ? 1 : 0)
