import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readCommand } from './command.ts'
import { printOrderEvents } from './schema/order-events.ts'
import { withSchema } from './schema/with-schema.ts'

readCommand('usage: npm run order-events', {})

/** Prints the page about the triggers of the database. */
const page = join(import.meta.dirname, '../docs/reference/order-events.md')
await withSchema(async (sql) => writeFileSync(page, await printOrderEvents(sql)))
