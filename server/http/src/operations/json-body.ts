import { Fault, invalid } from '@ordbook/db/process/errors.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'

/** JSON is UTF-8 (RFC 8259, 8.1), and ASCII is a part of it. */
const CHARSETS = new Set(['utf-8', 'utf8', 'us-ascii'])

/** Replaces Fastify's body parsers with one for JSON, whose errors say why a body is not accepted. */
export function parseJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async ({ headers }: FastifyRequest, body: Buffer) =>
      parseBody(body, headers['content-encoding'], headers['content-type']),
  )
}

/** Throws invalid, or a Fault with `encoding-unsupported`. */
export function parseBody(body: Buffer, encoding: string | undefined, type = ''): unknown {
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity')
    throw new Fault(
      'encoding-unsupported',
      `The body has Content-Encoding: ${encoding.slice(0, 40)}. Send it without compression.`,
    )
  const charset = /;\s*charset\s*=\s*"?([^\s";]*)/i.exec(type)?.[1]
  if (charset !== undefined && !CHARSETS.has(charset.toLowerCase()))
    throw notJson(`The body has charset=${charset.slice(0, 40)}. Send JSON in UTF-8.`)
  if (body.length === 0) throw notJson('The body is empty. Send JSON.')
  const form = formOf(body)
  if (form) throw notJson(`The body is ${form}. Send JSON in UTF-8, without compression.`)
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch (error) {
    throw notJson(
      error instanceof SyntaxError ? 'The body is not valid JSON.' : 'The body is not valid UTF-8.',
    )
  }
  refuseUnsafe(value)
  return value
}

const notJson = (message: string) => invalid('body-not-json', message)

/** Returns the form of a body that is neither UTF-8 nor JSON; null if unknown. */
function formOf([first, second]: Buffer): string | null {
  if (first === 0x1f && second === 0x8b) return 'compressed with gzip'
  const isUtf16 =
    (first === 0xff && second === 0xfe) ||
    (first === 0xfe && second === 0xff) ||
    first === 0 ||
    (second === 0 && first !== undefined)
  return isUtf16 ? 'UTF-16' : null
}

/** Rejects values that PostgreSQL cannot store, and fields that would change the prototype of a copy. */
function refuseUnsafe(body: unknown): void {
  const pending = [body]
  while (pending.length > 0) {
    const next = pending.pop()
    if (typeof next === 'string' && !next.isWellFormed())
      throw invalid('request-invalid', 'The body has an unpaired surrogate. Send well-formed Unicode.')
    if (typeof next !== 'object' || next === null) continue
    if (Object.hasOwn(next, '__proto__'))
      throw invalid('request-invalid', 'The body has a field __proto__, which is not accepted. Remove it.')
    for (const member of Object.values(next)) pending.push(member)
  }
}
