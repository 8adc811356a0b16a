import * as answers from './checks/answers.ts'
import type { Check } from './checks/check.ts'
import { demandAnswer } from './checks/demand-answer.ts'
import type { OperationId } from './operations.ts'

const checks: Readonly<Record<OperationId, Check>> = answers

/** Validates a response against the contract, which allows additional members. Throws CheckFailed. */
export const demandForm = (id: OperationId, answer: object): void =>
  demandAnswer(checks[id], answer, `response to ${id}`)
