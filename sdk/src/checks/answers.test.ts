import { operations } from '@ordbook/contract/index.ts'
import type { Operation } from '@ordbook/contract/operation.ts'
import { webOperations } from '@ordbook/contract/web.ts'
import fc from 'fast-check'
import { Check, Errors } from 'typebox/schema'
import { expect, it } from 'vitest'
import * as answers from './answers.ts'
import { altered, valuesOf } from './values-of.ts'

const checks = new Map(Object.entries(answers))
const defined = Object.values<Operation>({ ...operations, ...webOperations })

/** Choices for five calls of `altered`. */
const alterations = fc.array(fc.array(fc.nat(), { minLength: 24, maxLength: 24 }), {
  minLength: 5,
  maxLength: 5,
})

/** What typebox reports first, in the words of `Check`. */
function firstFault(schema: Operation['answer'], value: unknown): string | null {
  if (Check(schema, value)) return null
  const [, [first]] = Errors(schema, value)
  return `${first!.instancePath} ${first!.keyword === 'boolean' ? 'must not be present' : first!.message}`
}

it('has a check for each operation', () => {
  expect(Object.keys(answers).sort()).toEqual(defined.map(({ id }) => id).sort())
})

it.each(defined)('validates the response to $id like its schema', ({ id, answer }) => {
  const check = checks.get(id)!
  fc.assert(
    fc.property(valuesOf(answer), alterations, (value, places) => {
      expect(check(value)).toBeNull()
      expect(Check(answer, value)).toBe(true)
      for (const choices of places) {
        const wrong = altered(value, choices)
        expect(check(wrong)).toBe(firstFault(answer, wrong))
      }
    }),
    { numRuns: 8 },
  )
})
