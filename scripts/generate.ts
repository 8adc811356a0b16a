import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { printErrorsPage } from '@ordbook/http/documents/errors-page.ts'
import { openapiDocument } from '@ordbook/http/documents/openapi.ts'
import { withBeliefs } from './beliefs/table.ts'
import { readCommand, refuse } from './command.ts'
import { printMetricsPage } from './metrics/page.ts'
import { ROOT } from './run.ts'
import { printOrderEvents } from './schema/order-events.ts'
import { withSchema } from './schema/with-schema.ts'
import { printSettingsPage } from './settings/page.ts'
import { printWalletsPage } from './wallets/page.ts'

const write = (path: string, text: string) => writeFileSync(join(ROOT, path), text)

const GUIDE = 'docs/how-to/verify-in-a-wallet.md'

/** The generated files of the repository, by the name of what they show. Tests compare each with its source. */
const FILES: Readonly<Record<string, () => void | Promise<void>>> = {
  errors: () => write('docs/reference/errors.md', printErrorsPage()),
  metrics: () => write('docs/reference/metrics.md', printMetricsPage()),
  settings: () => write('docs/reference/settings.md', printSettingsPage()),
  wallets: () => write('docs/reference/wallets.md', printWalletsPage()),
  beliefs: () => write(GUIDE, withBeliefs(readFileSync(join(ROOT, GUIDE), 'utf8'))),
  'order-events': () =>
    withSchema(async (sql) => write('docs/reference/order-events.md', await printOrderEvents(sql))),
}

/** `npm run generate`: writes all generated files again, or the one that is named. */
const USAGE = `usage: npm run generate [-- NAME]

writes the generated files again: ${Object.keys(FILES).join(', ')}. NAME writes one of them alone; \`openapi\` prints the OpenAPI document
of a server at PUBLIC_URL instead`
const { positionals } = readCommand(USAGE, { allowPositionals: true })
const [name, ...more] = positionals
if (more.length > 0) refuse(USAGE, 'expected one name')
if (name === 'openapi')
  console.log(JSON.stringify(openapiDocument(process.env.PUBLIC_URL ?? 'http://127.0.0.1:4000'), null, 2))
else if (name === undefined) for (const generate of Object.values(FILES)) await generate()
else if (Object.hasOwn(FILES, name)) await FILES[name]!()
else refuse(USAGE, `${name}: unknown`)
