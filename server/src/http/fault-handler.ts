import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Fault, type FaultKind } from '../errors.ts'

/** The one place that maps refusals to statuses. */
const STATUS: Record<FaultKind, number> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  missing: 404,
  unacceptable: 406,
  conflict: 409,
  expired: 410,
  throttled: 429,
  unavailable: 503,
}

/** When to ask again what is unavailable, where nothing better is known: most outages are restarts. */
const RETRY_SECONDS = 5

/** Node's codes of requests that never become one, with what they are answered. */
const BROKEN: Record<string, [status: string, text: string]> = {
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    'The request line and headers are larger than 64 KiB',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not arrive in time; send it again'],
}

interface FastifyIssue extends Error {
  statusCode?: number
  /** Ours and other people's errors carry numbers here too. */
  code?: unknown
  validation?: { instancePath: string; message?: string; params?: Record<string, unknown> }[]
  validationContext?: string
}

/** Answers a refusal with its status and `{"error": ...}`; anything unexpected is logged and says nothing. */
export function answerFault(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  // No cache may keep a refusal, whatever the answer would have said of itself.
  if (!String(reply.getHeader('cache-control')).includes('no-store'))
    reply.header('cache-control', 'no-store')
  if (error instanceof Fault) {
    if (error.cause && error.kind === 'unavailable') request.log.warn({ err: error.cause }, error.message)
    const wait = error.retryAfterSeconds ?? (error.kind === 'unavailable' ? RETRY_SECONDS : undefined)
    if (wait !== undefined) reply.header('retry-after', wait)
    return reply
      .code(STATUS[error.kind])
      .send({ error: error.message, ...(error.code ? { code: error.code } : {}) })
  }
  const issue = error as FastifyIssue
  if (issue.validation) return reply.code(400).send({ error: describeIssue(issue) })
  if (issue.statusCode === 413) return reply.code(413).send({ error: 'The body is larger than 4 MiB' })
  if (issue.statusCode === 415)
    return reply.code(400).send({ error: 'Send the body as Content-Type: application/json' })
  if (
    String(issue.code).startsWith('FST_ERR_CTP') ||
    (issue instanceof SyntaxError && issue.statusCode === 400)
  )
    return reply.code(400).send({ error: 'The body is not valid JSON' })
  if (issue.statusCode && issue.statusCode >= 400 && issue.statusCode < 500)
    return reply.code(issue.statusCode).send({ error: issue.message })
  request.log.error({ err: error }, 'unexpected')
  return reply.code(500).send({ error: 'Something went wrong on our side; retry once' })
}

/** Where and what: `body.items[0].priceSats must be >= 1`. */
function describeIssue({ validation, validationContext }: FastifyIssue): string {
  const [first] = validation!
  const path = first!.instancePath.replace(/\/(\d+)/g, '[$1]').replaceAll('/', '.')
  const { additionalProperty, allowedValues } = first!.params ?? {}
  const detail = additionalProperty
    ? `: ${additionalProperty}`
    : Array.isArray(allowedValues)
      ? `: ${allowedValues.join(', ')}`
      : ''
  return `${validationContext ?? 'request'}${path} ${first!.message ?? 'is not valid'}${detail}`
}

/** Answers a request that is broken, too large or too slow for HTTP, with the usual body, and closes the connection. */
export function answerBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) return
  const [status, text] = BROKEN[error.code ?? ''] ?? ['400 Bad Request', 'This is not an HTTP request']
  const body = JSON.stringify({ error: text })
  socket.end(
    `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  )
}
