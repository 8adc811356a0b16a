import { operations } from '@ordbook/contract/index.ts'
import { webOperations } from '@ordbook/contract/web.ts'
import { Check, Errors } from 'typebox/schema'
import { CheckFailed } from './errors.ts'
import type { OperationId } from './operations.ts'

const defined = { ...operations, ...webOperations }

/** Holds the answer of an operation to the schema of the contract, which allows more members than it names. Throws CheckFailed. */
export function demandForm(id: OperationId, answer: object): void {
  const { answer: schema } = defined[id]
  if (Check(schema, answer)) return
  const [, [fault]] = Errors(schema, answer)
  throw new CheckFailed(
    `the answer of the market to ${id} is not of the form that the contract states: ${fault?.instancePath || 'it'} ${fault?.message}`,
  )
}
