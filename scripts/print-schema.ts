import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readCommand } from './command.ts'
import { dumpSchema } from './schema/dump.ts'
import { printOrderEvents } from './schema/order-events.ts'
import { withSchema } from './schema/with-schema.ts'

readCommand('usage: npm run schema', {})

/** Prints the schema that the migrations make, and the page about its triggers. */
const root = join(import.meta.dirname, '..')
await withSchema(async (sql) => {
  writeFileSync(join(root, 'server/src/db/schema.sql'), await dumpSchema(sql))
  writeFileSync(join(root, 'docs/reference/order-events.md'), await printOrderEvents(sql))
})
