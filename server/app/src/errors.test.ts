import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { BitcoinError } from '@ordbook/bitcoin/errors.ts'
import { ERRORS, type ErrorCode } from '@ordbook/contract/errors.ts'
import { conflict, Fault, throttled } from '@ordbook/db/process/errors.ts'
import { printErrorsPage } from '@ordbook/http/documents/errors-page.ts'
import { htmlOf } from '@ordbook/http/documents/markdown.ts'
import { printPageDates } from '@ordbook/http/documents/page-digests.ts'
import { toFault } from '@ordbook/market/preflight/refuse.ts'
import { expect, it } from 'vitest'

const codes = Object.keys(ERRORS) as ErrorCode[]
const root = join(import.meta.dirname, '../../..')
const sources = readdirSync(join(root, 'server'), { recursive: true, withFileTypes: true })
  .filter(
    (entry) => entry.isFile() && /\/src(\/|$)/.test(entry.parentPath) && /(?<!\.test)\.ts$/.test(entry.name),
  )
  .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))

it.each(codes)('error code %s is used', (code) => {
  expect(sources.some((text) => text.includes(`'${code}'`))).toBe(true)
})

it('error codes are in kebab case', () => {
  for (const code of codes) {
    expect(code).toMatch(/^[a-z]+(-[a-z]+)*$/)
    expect(ERRORS[code].about).toMatch(/^[A-Z].*\.$/)
    expect(ERRORS[code].mend).toMatch(/^[A-Z].*\.$/)
  }
})

/** Never runs. tsc reports an error if one of these calls compiles. */
export const refusedByTypes = () => [
  // @ts-expect-error missing code
  conflict('The listing is gone'),
  // @ts-expect-error code with a different status
  conflict('listing-unknown', 'The listing is gone'),
  // @ts-expect-error unknown code
  new Fault('listing-eaten', 'The listing is gone'),
]

it('conflict() creates a Fault', () => {
  expect(conflict('listing-ended', 'The listing is gone')).toMatchObject({
    kind: 'conflict',
    code: 'listing-ended',
  })
})

it('throttled() names the wait in its message', () => {
  expect(throttled('rate-limited', 'Too many requests', 7)).toMatchObject({
    message: 'Too many requests. Retry-After: 7',
    retryAfterSeconds: 7,
  })
})

it('toFault maps BitcoinError codes', () => {
  const found = new BitcoinError('escrow-finalised', 'input 0 is final')
  const check = () => {
    throw found
  }
  expect(() => toFault(check, 'signedSteps')).toThrow(
    expect.objectContaining({
      kind: 'invalid',
      code: 'escrow-finalised',
      message: 'signedSteps: input 0 is final',
      cause: found,
    }),
  )
})

it('docs/reference/errors.md is up to date', () => {
  expect(readFileSync(join(root, 'docs/reference/errors.md'), 'utf8')).toBe(printErrorsPage())
})

it('page-dates.ts is up to date', () => {
  const file = readFileSync(join(root, 'server/http/src/documents/page-dates.ts'), 'utf8')
  expect(printPageDates('2999-01-01'), 'run npm run generate -- dates').toBe(file)
})

it('the errors page has an anchor for each error code', () => {
  const html = htmlOf(printErrorsPage())
  for (const code of codes) {
    expect(html).toContain(`<li><a id="${code}"></a>`)
    expect(html).toContain(`<a href="#${code}">`)
  }
  expect(html).not.toMatch(/^\||\]\(|\*\*/m)
})
