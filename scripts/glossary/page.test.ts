import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { printGlossary } from './page.ts'

const squeezed = (text: string) => text.replaceAll(/ +|-{3,}/g, ' ')

it('docs/reference/glossary.md is up to date', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/reference/glossary.md'), 'utf8')
  expect(squeezed(page), 'out of date: npm run generate -- glossary').toBe(squeezed(printGlossary(page)))
})
