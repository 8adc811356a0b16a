import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { dumpSchema } from './schema/dump.ts'
import { withSchema } from './schema/with-schema.ts'

/** Prints what the migrations make: server/src/db/schema.sql. */
const root = join(import.meta.dirname, '..')
await withSchema(async (sql) => {
  writeFileSync(join(root, 'server/src/db/schema.sql'), await dumpSchema(sql))
})
