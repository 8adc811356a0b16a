import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from '../run.ts'
import { printSchemaPage, printTables } from './tables-page.ts'

it('docs/reference/schema.md is up to date', () => {
  expect(readFileSync(join(ROOT, 'docs/reference/schema.md'), 'utf8')).toBe(printSchemaPage())
})

it('printTables omits dropped tables', () => {
  const text = printTables([
    '-- ## Book\n\n-- Listings,\n-- all of them. Sorted\n-- by time.\ncreate table listings (\n);\n-- Old.\ncreate table old (\n);\n',
    'drop table old;\n-- A | B.\ncreate unlogged table polls (\n);\n',
  ])
  expect(text).toContain(
    '## Book\n\n| Table | Contents |\n| --- | --- |\n| `listings` | Listings, all of them. |\n',
  )
  expect(text).toContain('| `polls` | A \\| B. |')
  expect(text).not.toContain('old')
})

it('printTables throws for a table without a comment', () => {
  expect(() => printTables(['\n-- Other.\n\ncreate table bare (\n);\n'])).toThrow('bare: no comment')
})
