import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { printErrorsPage } from '@ordbook/http/documents/errors-page.ts'
import { openapiDocument } from '@ordbook/http/documents/openapi.ts'
import { printPageDates } from '@ordbook/http/documents/page-digests.ts'
import { printChecks } from './checks/print.ts'
import { printApiPage } from './clients/page.ts'
import { exitWithUsage, readCommand } from './command.ts'
import { withVerbs } from './command-page/page.ts'
import { printFaultsPage } from './faults/page.ts'
import { printGlossary } from './glossary/page.ts'
import { printMetricsPage } from './metrics/page.ts'
import { ROOT } from './run.ts'
import { printOrderEvents } from './schema/order-events.ts'
import { printSchemaPage } from './schema/tables-page.ts'
import { withSchema } from './schema/with-schema.ts'
import { printSettingsPage } from './settings/page.ts'
import { printSigningPage } from './signing/page.ts'
import { printWalletsPage } from './wallets/page.ts'

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const write = (path: string, text: string) => writeFileSync(join(ROOT, path), text)

const DATES = 'server/http/src/documents/page-dates.ts'
const SIGNING = 'docs/reference/signing.md'
const COMMAND = 'docs/reference/command.md'
const GLOSSARY = 'docs/reference/glossary.md'
const API = 'docs/reference/api.md'

/** Writers of the generated files. Tests compare each file with its source. */
const FILES: Readonly<Record<string, () => void | Promise<void>>> = {
  errors: () => write('docs/reference/errors.md', printErrorsPage()),
  faults: () => write('docs/reference/faults.md', printFaultsPage()),
  metrics: () => write('docs/reference/metrics.md', printMetricsPage()),
  settings: () => write('docs/reference/settings.md', printSettingsPage()),
  wallets: () => write('docs/reference/wallets.md', printWalletsPage()),
  command: () => write(COMMAND, withVerbs(read(COMMAND))),
  signing: () => write(SIGNING, printSigningPage(read(SIGNING))),
  glossary: () => write(GLOSSARY, printGlossary(read(GLOSSARY))),
  clients: () => write(API, printApiPage(read(API))),
  schema: () => write('docs/reference/schema.md', printSchemaPage()),
  checks: () => write('sdk/src/checks/answers.ts', printChecks()),
  // Last, because the served pages contain the others.
  dates: () => write(DATES, printPageDates(new Date().toISOString().slice(0, 10))),
}

const PRINTED: Readonly<Record<string, () => void | Promise<void>>> = {
  openapi: () =>
    console.log(JSON.stringify(openapiDocument(process.env.PUBLIC_URL ?? 'http://127.0.0.1:4000'), null, 2)),
  'order-events': () => withSchema(async (sql) => console.log(await printOrderEvents(sql))),
}

/** `npm run generate`: regenerates all files, or one of them. */
const USAGE = `usage: npm run generate [-- NAME]

Regenerate all files, or one of: ${Object.keys(FILES).join(', ')}. These print to the terminal instead:
openapi (for a server at PUBLIC_URL), order-events (the triggers that a state change of a listing fires)`
const { positionals } = readCommand(USAGE, { allowPositionals: true })
const [name, ...more] = positionals
if (more.length > 0) exitWithUsage(USAGE, 'expected one name')
if (name === undefined) for (const generate of Object.values(FILES)) await generate()
else {
  const all = { ...FILES, ...PRINTED }
  if (!Object.hasOwn(all, name)) exitWithUsage(USAGE, `${name}: unknown`)
  await all[name]!()
}
