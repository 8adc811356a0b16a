import { type Client, freshKey } from './client.ts'
import { ApiError, CheckFailed, isRetryable, SubmitUncertain } from './errors.ts'
import type { Answer, Input, OperationId } from './operations.ts'
import type { Trader } from './trader.ts'
import { assert } from './verify/assert.ts'

/** A signed trade before its submission, with the market's preflight response. */
export type Prepared<Submit extends OperationId, Preflight extends OperationId> = Required<
  Pick<Input<Submit>, 'params' | 'body'>
> & { answer: Answer<Preflight> }

/** Submits a prepared trade. Returns the market's response with the prepared costs or payouts. Throws SubmitUncertain and ApiError. */
export async function submit<
  Id extends OperationId,
  Result extends Pick<Input<Id>, 'params' | 'body'> & { answer: unknown },
>(
  { client }: Trader,
  id: Id,
  preparing: Promise<Result>,
): Promise<Answer<Id> & Omit<Result, 'params' | 'body' | 'answer'>> {
  const { params, body, answer, ...more } = await preparing
  const result = await submitSigned(client, id, { params, body } as Input<Id>, answer)
  return { ...result, ...more }
}

/** Sends signed transactions. `preflight` is the response that names their txids. Throws SubmitUncertain and ApiError. */
export async function submitSigned<Id extends OperationId>(
  client: Client,
  operation: Id,
  input: Input<Id>,
  preflight: unknown,
): Promise<Answer<Id>> {
  const idempotencyKey = freshKey()
  try {
    const result = await client.call(operation, input, { idempotencyKey })
    demandSigned(preflight, result)
    return result
  } catch (error) {
    if (!isUncertain(error)) throw error
    const txids = [...new Set(txidsIn(preflight))]
    throw new SubmitUncertain(error, { txids, operation, input, idempotencyKey })
  }
}

/** Statuses of a server or proxy that may have processed the request. */
const UNCERTAIN_STATUSES = new Set([500, 502, 504])

const isUncertain = (error: unknown): boolean =>
  error instanceof ApiError
    ? UNCERTAIN_STATUSES.has(error.status)
    : error instanceof CheckFailed || isRetryable(error)

/** Returns the members of a response that are named like `expectedSettlementTxid`. */
function txidsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]: [string, unknown]) =>
    /^expected\w*Txids?$/.test(name)
      ? [member].flat().filter((txid) => typeof txid === 'string')
      : txidsIn(member),
  )
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
