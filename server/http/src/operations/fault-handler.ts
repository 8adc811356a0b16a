import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { STATUS_OF_KIND } from '@ordbook/contract/errors/entry.ts'
import { docsPathOf, ERRORS, type ErrorCode } from '@ordbook/contract/errors.ts'
import type { BaseContext } from '@ordbook/db/context.ts'
import { Fault, invalid } from '@ordbook/db/process/errors.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { describeIssues, type Issue } from './describe-issues.ts'

/** Default `Retry-After` of a 503, in seconds. */
const RETRY_SECONDS = 5

export const bodyTooLarge = 'The body is larger than 4 MiB.'

interface FrameworkError extends Error {
  statusCode?: number
  /** A string for Fastify's errors. Other libraries may use numbers. */
  code?: unknown
  validation?: Issue[]
}

/** Creates the error handler. Logs unexpected errors and hides their details from the client. */
export const faultHandler =
  (context: Pick<BaseContext, 'publicUrl'>) =>
  (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const fault = faultOf(error)
    if (fault.kind === 'unexpected') request.log.error({ err: error }, 'unexpected')
    if (fault.kind === 'unavailable' && fault.cause) request.log.warn({ err: fault.cause }, fault.message)
    // Errors of cacheable operations must not be cached.
    if (!String(reply.getHeader('cache-control')).includes('no-store'))
      reply.header('cache-control', 'no-store')
    const wait = fault.retryAfterSeconds ?? (fault.kind === 'unavailable' ? RETRY_SECONDS : undefined)
    if (wait !== undefined) reply.header('retry-after', wait)
    if (fault.kind === 'unauthenticated') reply.header('www-authenticate', challengeOf(request))
    if (fault.kind === 'unsupported-encoding') reply.header('accept-encoding', 'identity')
    // Fastify would close the connection, and the reset could overtake the response while the client still
    // sends. Node reads and discards the rest of the body, until the request timeout.
    if (fault.kind === 'too-large') reply.removeHeader('connection')
    return reply
      .code(STATUS_OF_KIND[fault.kind])
      .header('x-request-id', request.id)
      .send(bodyOf(fault, context.publicUrl))
  }

/** Returns the WWW-Authenticate of a 401 (RFC 9110, 11.6.1; RFC 6750, 3). */
function challengeOf({ url, headers }: FastifyRequest): string {
  if (url.startsWith('/web/')) return 'Cookie realm="ordbook"'
  const isRejected = /^bearer\b/i.test(headers.authorization ?? '')
  return `Bearer realm="ordbook"${isRejected ? ', error="invalid_token"' : ''}`
}

export function bodyOf({ message, code }: Fault, publicUrl: string): object {
  return {
    error: message,
    code,
    retryable: ERRORS[code].retryable,
    docsUrl: `${publicUrl}${docsPathOf(code)}`,
  }
}

export function faultOf(error: unknown): Fault {
  if (error instanceof Fault) return error
  const { statusCode = 500, code, validation, message } = error as FrameworkError
  if (validation) return invalid('request-invalid', describeIssues(validation))
  if (statusCode === 413) return new Fault('body-too-large', bodyTooLarge)
  if (statusCode === 415) return invalid('body-not-json', 'Send the body as Content-Type: application/json.')
  if (String(code).startsWith('FST_ERR_CTP') || (error instanceof SyntaxError && statusCode === 400))
    return invalid('body-not-json', 'The body is not valid JSON.')
  if (statusCode >= 400 && statusCode < 500) return invalid('request-invalid', message)
  return new Fault('internal-error', 'Unexpected server error. Retry once.')
}

/** By Node's error code. */
const BROKEN: Record<string, [code: ErrorCode, text: string]> = {
  HPE_HEADER_OVERFLOW: ['headers-too-large', 'The request line and headers are larger than 64 KiB.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['request-timeout', 'The request was not received in time. Send it again.'],
}

/**
 * Creates the handler for malformed, oversized and slow requests. Sends an error and closes the connection.
 */
export const brokenRequestHandler =
  (context: Pick<BaseContext, 'publicUrl'>) =>
  (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) return
    const [code, text] = BROKEN[error.code ?? ''] ?? ['request-invalid', 'The request is not valid HTTP.']
    endWithFault(socket, new Fault(code, text), context.publicUrl)
  }

/** Sends an error on a connection that has no Fastify reply, and closes the connection. */
export function endWithFault(socket: Duplex, fault: Fault, publicUrl: string, headers = ''): void {
  const status = STATUS_OF_KIND[fault.kind]
  const body = JSON.stringify(bodyOf(fault, publicUrl))
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headers}content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  )
}
