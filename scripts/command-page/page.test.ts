import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { withVerbs } from './page.ts'

it('docs/reference/command.md is up to date', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/reference/command.md'), 'utf8')
  expect(page, 'out of date: npm run generate -- command').toBe(withVerbs(page))
  expect(page).toContain('usage: ordbook accept ID OFFER --price AMOUNT')
})
