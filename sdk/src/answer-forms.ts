import * as answers from './checks/answers.ts'
import { assertAnswer } from './checks/assert-answer.ts'
import type { Check } from './checks/check.ts'
import type { OperationId } from './operations.ts'

const checks: Readonly<Record<OperationId, Check>> = answers

/** Checks a response against the contract. Additional members are allowed. Throws CheckFailed. */
export const assertAnswerSchema = (id: OperationId, answer: object): void =>
  assertAnswer(checks[id], answer, `response to ${id}`)
