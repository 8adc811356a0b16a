import { checkSql } from './check-sql/check.ts'
import { NEVER_NULL } from './check-sql/never-null.ts'
import { readCommand } from './command.ts'
import { withSchema } from './schema/with-schema.ts'

readCommand('usage: npm run check -- sql', {})

await withSchema(async (_, databaseUrl) => {
  const { problems, neverNull, statements, variants } = await checkSql(
    databaseUrl,
    (path) => /^(server\/[a-z]+\/src|scripts)\//.test(path) && !path.endsWith('.test.ts'),
  )
  for (const entry of Object.keys(NEVER_NULL))
    if (!neverNull.has(entry)) problems.push(`scripts/check-sql/never-null.ts: the entry ${entry} is unused`)
  for (const problem of problems) console.error(problem)
  if (problems.length > 0) process.exitCode = 1
  else console.log(`sql: ${statements} statements in ${variants} variants match their types`)
})
