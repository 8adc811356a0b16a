import type { Answer, Input, OperationId } from './operations.ts'
import type { Trader } from './trader.ts'
import { demand } from './verify/demand.ts'

/** A signed trade before its submit, with the market's preflight response. */
export type Prepared<Submit extends OperationId, Preflight extends OperationId> = Required<
  Pick<Input<Submit>, 'params' | 'body'>
> & { answer: Answer<Preflight> }

/**
 * Combines a `prepare…` function with its submit. Accepts the arguments of `prepare`, and returns the market's response with the prepared
 * costs or payouts.
 */
export const submitting =
  <
    Id extends OperationId,
    Asked extends [Trader, ...unknown[]],
    Made extends Pick<Input<Id>, 'params' | 'body'> & { answer: unknown },
  >(
    id: Id,
    prepare: (...asked: Asked) => Promise<Made>,
  ) =>
  async (...asked: Asked): Promise<Answer<Id> & Omit<Made, 'params' | 'body' | 'answer'>> => {
    const { params, body, answer, ...more } = await prepare(...asked)
    const result = await asked[0].client.call(id, { params, body })
    demandSigned(answer, result)
    return { ...result, ...more }
  }

/** Checks that the market returned the id of the signed transaction. Throws CheckFailed, after the submit. */
function demandSigned(answer: unknown, result: unknown): void {
  const { expectedSettlementTxid: signed } = answer as { expectedSettlementTxid?: unknown }
  const { settlementTxid: told } = result as { settlementTxid?: unknown }
  demand(
    signed === undefined || told === undefined || told === signed,
    `the market took what you signed, ${signed}, and names another transaction: ${told}. Look for the signed one on the chain`,
  )
}
