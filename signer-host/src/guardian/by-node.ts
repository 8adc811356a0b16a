import { BitcoinError } from '@ordbook/bitcoin/errors.ts'
import { satsOfBtc } from '@ordbook/bitcoin/sats.ts'
import { traceBack } from '@ordbook/bitcoin/trace.ts'
import { decodeTransaction } from '@ordbook/bitcoin/transaction.ts'
import { splitCredentials } from '@ordbook/process/http.ts'
import { parse } from '@ordbook/process/parse.ts'
import type { IsIn } from '@ordbook/signer/guardian/guardian.ts'
import { SignerRefusal } from '@ordbook/signer/requests.ts'
import { type Static, type TSchema, Type } from 'typebox'

/** Timeout per call to the node. */
const TIMEOUT_MILLISECONDS = 5000

/** Limits of one check. With a last call to the node, the deadline is within the timeout of a call to the guardian. */
const LIMITS = { mostTransactions: 20_000, mostMilliseconds: 9000 }

/**
 * Checks inscriptions by tracing the sat back to the reveal. Requires only a node with a transaction index, so a guardian need not trust
 * the server's index. `url` contains user and password. Throws if the node is unavailable or lacks a transaction, and SignerRefusal beyond
 * the limits.
 */
export function byNode(url: string, limits: Partial<typeof LIMITS> = {}): IsIn {
  const { mostTransactions, mostMilliseconds } = { ...LIMITS, ...limits }
  return async (inscriptionId, coin, satOffset) => {
    const until = performance.now() + mostMilliseconds
    const unspent = await call(url, UnspentOutput, 'gettxout', coin.txid, coin.vout, false)
    if (!unspent || satsOfBtc(unspent.value) !== coin.valueSats) return false
    try {
      const read = async (txid: string) =>
        decodeTransaction(await call(url, Type.String(), 'getrawtransaction', txid))
      await traceBack(inscriptionId, coin, satOffset, read, { mostTransactions, until })
      return true
    } catch (error) {
      if (!(error instanceof BitcoinError)) throw error
      if (error.code === 'trace-too-long') throw new SignerRefusal(error.message)
      return false
    }
  }
}

/** Minimum interval between checks of the node. */
const CHECK_MILLISECONDS = 5000

/** Returns a function that throws if a call that the guardian depends on fails. Caches the result for a few seconds. */
export function checkedNode(url: string): () => Promise<void> {
  let check: Promise<unknown> | null = null
  let until = 0
  return async () => {
    if (performance.now() > until) check = null
    if (!check) {
      until = performance.now() + CHECK_MILLISECONDS
      check = call(url, UnspentOutput, 'gettxout', '00'.repeat(32), 0, false)
    }
    await check.catch((error: Error) => {
      throw new Error(`the guardian’s node is unavailable: ${reasonOf(error)}`, { cause: error })
    })
  }
}

/** Returns the innermost message. The message of fetch is not useful. */
const reasonOf = (error: Error): string =>
  error.cause instanceof Error ? reasonOf(error.cause) : error.message

const UnspentOutput = Type.Union([Type.Object({ value: Type.Number({ minimum: 0 }) }), Type.Null()])
const Envelope = Type.Object({
  result: Type.Optional(Type.Unknown()),
  error: Type.Optional(Type.Union([Type.Object({ message: Type.String() }), Type.Null()])),
})

/** Sends a JSON-RPC call and validates the result. */
async function call<S extends TSchema>(
  url: string,
  answer: S,
  method: string,
  ...params: unknown[]
): Promise<Static<S>> {
  const { url: bare, authorization } = splitCredentials(url)
  const response = await fetch(bare, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(authorization ? { authorization } : {}),
    },
    body: JSON.stringify({ jsonrpc: '1.0', id: 0, method, params }),
    signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS),
  })
  if (response.status === 401 || response.status === 403)
    throw new Error('the guardian’s node rejected the credentials')
  const { result, error } = parse(
    Envelope,
    await response.json(),
    `the response of the guardian’s node to ${method}`,
  )
  // Most likely cause: without a transaction index, a node cannot find confirmed transactions.
  if (error) throw new Error(`the guardian’s node rejected ${method}: ${error.message} (is txindex=1 set?)`)
  return parse(answer, result, `the guardian’s node: result of ${method}`)
}
