import type { AnswerOf, Operation } from '@ordbook/contract/operation.ts'
import type { TSchema } from 'typebox'
import { Check } from 'typebox/schema'
import { demand } from './demand.ts'
import type { MarketKeys, Owner } from './owner.ts'
import type { Plan } from './plan.ts'

/** An answer is what the contract says, so that no step or member too many slips by. Throws CheckFailed. */
export function demandAnswer(schema: TSchema, answer: unknown): void {
  demand(Check(schema, answer), 'the answer of the market is not of the form that the contract states')
}

/**
 * A verifier of the preflight of an operation: it reads an answer once that has the form that the contract states. Throws
 * CheckFailed for any other answer, and so does `verify`.
 */
export const verifier =
  <O extends Operation, Agreement, Result extends Plan>(
    operation: O,
    verify: (owner: Owner, keys: MarketKeys, agreement: Agreement, answer: AnswerOf<O>) => Result,
  ) =>
  (owner: Owner, keys: MarketKeys, agreement: Agreement, answer: AnswerOf<O>): Result => {
    demandAnswer(operation.answer, answer)
    return verify(owner, keys, agreement, answer)
  }
