import type { Answer, Input, OperationId } from './operations.ts'
import type { Trader } from './trader.ts'
import { assert } from './verify/assert.ts'

/** A signed trade before its submission, with the market's preflight response. */
export type Prepared<Submit extends OperationId, Preflight extends OperationId> = Required<
  Pick<Input<Submit>, 'params' | 'body'>
> & { answer: Answer<Preflight> }

/** Submits a prepared trade. Returns the market's response with the prepared costs or payouts. */
export async function submit<
  Id extends OperationId,
  Result extends Pick<Input<Id>, 'params' | 'body'> & { answer: unknown },
>(
  { client }: Trader,
  id: Id,
  preparing: Promise<Result>,
): Promise<Answer<Id> & Omit<Result, 'params' | 'body' | 'answer'>> {
  const { params, body, answer, ...more } = await preparing
  const result = await client.call(id, { params, body })
  demandSigned(answer, result)
  return { ...result, ...more }
}

/** Checks that the market returned the id of the signed transaction. Throws CheckFailed. */
function demandSigned(answer: unknown, result: unknown): void {
  const { expectedSettlementTxid: signed } = answer as { expectedSettlementTxid?: unknown }
  const { settlementTxid: reported } = result as { settlementTxid?: unknown }
  assert(
    signed === undefined || reported === undefined || reported === signed,
    `you signed the settlement ${signed}, but the market reported ${reported}: look for ${signed} on the chain`,
  )
}
