import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from '../run.ts'
import { printSigningPage } from './page.ts'

it('the tables in docs/reference/signing.md are up to date', () => {
  const page = readFileSync(join(ROOT, 'docs/reference/signing.md'), 'utf8')
  expect(page, 'run npm run generate -- signing').toBe(printSigningPage(page))
})
