import { expect, it } from 'vitest'
import { codeLines, kindOf, packageOf } from './count.ts'

it('codeLines ignores comments and blank lines', () => {
  const text = `// one
import a from 'a' // two

/**
 * three
 */
const url = 'https://x' /* four
five */
const text = \`// code

/* code */\`
`
  expect(codeLines('a.ts', text)).toBe(4)
  expect(codeLines('a.tsx', '{/* no TypeScript */}\n')).toBe(1)
})

it('codeLines parses SQL and shell', () => {
  expect(codeLines('a.sql', "select '-- code' -- comment\n  -- comment\n/* a\nb */ from x\n\n")).toBe(2)
  expect(codeLines('.ci/run', '#!/bin/sh\n# comment\n\necho "# code"\n')).toBe(1)
})

it('kindOf and packageOf classify paths', () => {
  expect(kindOf('server/db/src/a.sql')).toBe('SQL')
  expect(kindOf('scripts/suites/image')).toBe('shell')
  expect(kindOf('e2e/support/a.ts')).toBe('tests')
  expect(kindOf('web/test/a.ts')).toBe('tests')
  expect(kindOf('README.md')).toBe(null)
  expect(packageOf('server/db/src/a.ts', ['server', 'server/db'])).toBe('server/db')
  expect(packageOf('scripts/a.ts', ['server'])).toBe('scripts')
})
