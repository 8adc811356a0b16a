import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from '../run.ts'
import { printChecks } from './print.ts'
import { schemaOf } from './schema.ts'

it('the checks of the SDK match the contract', () => {
  const checks = readFileSync(join(ROOT, 'sdk/src/checks/answers.ts'), 'utf8')
  expect(checks, 'out of date: npm run generate -- checks').toBe(printChecks())
})

it('schemaOf rejects a keyword that is not printed', () => {
  expect(() => schemaOf({ type: 'string', minimum: 1 })).toThrow('cannot print minimum')
  expect(() => schemaOf({ type: 'object', patternProperties: {} })).toThrow('cannot print patternProperties')
})
