import { operations } from '@ordbook/contract/index.ts'
import { webOperations } from '@ordbook/contract/web.ts'
import { Check, Errors } from 'typebox/schema'
import { CheckFailed } from './errors.ts'
import type { OperationId } from './operations.ts'

const defined = { ...operations, ...webOperations }

/** Checks a response against the contract's schema. Additional members are allowed. Throws CheckFailed. */
export function assertAnswerSchema(id: OperationId, answer: object): void {
  const { answer: schema } = defined[id]
  if (Check(schema, answer)) return
  const [, [fault]] = Errors(schema, answer)
  throw new CheckFailed(
    `the market's response to ${id} does not match the contract: ${fault?.instancePath || 'it'} ${fault?.message}`,
  )
}
