import type { AnswerOf, Operation } from '@ordbook/contract/operation.ts'
import type { TSchema } from 'typebox'
import { Check } from 'typebox/schema'
import { assert } from './assert.ts'
import type { MarketKeys, Owner } from './owner.ts'
import type { Plan } from './plan.ts'

/** Checks a response against the contract, which rejects extra steps. Throws CheckFailed. */
export function assertAnswer(schema: TSchema, answer: unknown): void {
  assert(Check(schema, answer), "the market's response does not match the contract")
}

/** Returns a verifier that checks a preflight response against the contract, then calls `verify`. Throws CheckFailed. */
export const verifier =
  <O extends Operation, Agreement, Result extends Plan>(
    operation: O,
    verify: (owner: Owner, keys: MarketKeys, agreement: Agreement, answer: AnswerOf<O>) => Result,
  ) =>
  (owner: Owner, keys: MarketKeys, agreement: Agreement, answer: AnswerOf<O>): Result => {
    assertAnswer(operation.answer, answer)
    return verify(owner, keys, agreement, answer)
  }
