import { any, anything, type Check, integer, nothing, object, text } from './checks/check.ts'
import { asConnectionFailed, type ClientOptions, connected, jsonOf, withinDeadline } from './client.ts'
import { CheckFailed, OrdbookError } from './errors.ts'

/** Timeout of a call in milliseconds (default 60,000), and a signal that aborts calls. */
export type NodeOptions = Pick<ClientOptions, 'deadlineMilliseconds' | 'signal'>

interface RpcAnswer {
  result: unknown
  error: { code: number; message: string } | null
}
const checkRpcError: Check = (error) => object(error, { code: integer, message: text })
const isRpcAnswer = (value: unknown): value is RpcAnswer =>
  object(value, { result: anything, error: (error) => any(error, nothing, checkRpcError) }) === null

export class NodeRefused extends OrdbookError {
  override readonly name = 'NodeRefused'
  readonly code = 'node-refused'
  /** Bitcoin Core's error code, such as -5 for an unknown transaction. */
  readonly rpcCode: number

  constructor(rpcCode: number, message: string) {
    super(message)
    this.rpcCode = rpcCode
  }
}

/**
 * Calls Bitcoin Core by JSON-RPC. `url` contains user and password, and the path `/wallet/NAME` for wallet calls. Calls throw NodeRefused,
 * CheckFailed for a malformed response, a TimeoutError after the deadline, and the reason of the signal.
 */
export function coreRpc(url: string, { deadlineMilliseconds = 60_000, signal = null }: NodeOptions = {}) {
  const parsed = new URL(url)
  const credentials = `${decodeURIComponent(parsed.username)}:${decodeURIComponent(parsed.password)}`
  parsed.username = ''
  parsed.password = ''
  return async (method: string, ...params: unknown[]): Promise<unknown> => {
    const { status, body } = await withinDeadline(deadlineMilliseconds, signal, async (limit) => {
      const response = await connected(parsed.href, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa(credentials)}`, 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '1.0', id: 0, method, params }),
        signal: limit,
      })
      return { status: response.status, body: await response.text().catch(asConnectionFailed) }
    })
    const answer = jsonOf(body)
    if (!isRpcAnswer(answer))
      throw new CheckFailed(`the node's response (status ${status}) does not have Bitcoin Core's format`)
    if (answer.error) throw new NodeRefused(answer.error.code, `${method}: ${answer.error.message}`)
    return answer.result
  }
}
