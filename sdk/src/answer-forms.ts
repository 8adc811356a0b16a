import { operations } from '@ordbook/contract/index.ts'
import { webOperations } from '@ordbook/contract/web.ts'
import type { OperationId } from './operations.ts'
import { demandAnswer } from './verify/verifier.ts'

const defined = { ...operations, ...webOperations }

/** Holds the answer of an operation to the schema of the contract, which allows more members than it names. Throws CheckFailed. */
export const demandForm = (id: OperationId, answer: object): void => demandAnswer(defined[id].answer, answer)
