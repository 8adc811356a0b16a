import { invalid } from '@ordbook/db/process/errors.ts'
import type { FastifyInstance } from 'fastify'

/** Headers of which a request has at most one. Node keeps the first, and a proxy may have read another. */
const SINGLE = ['authorization', 'content-type', 'host']
const LENGTHS = new Set(SINGLE.map((name) => name.length))

/** Rejects requests that repeat a header whose values cannot be combined (RFC 9110, 5.3; RFC 9112, 3.2). */
export function refuseRepeatedHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', ({ raw: { rawHeaders } }, _reply, done) => {
    const seen: string[] = []
    for (let at = 0; at < rawHeaders.length; at += 2) {
      if (!LENGTHS.has(rawHeaders[at]!.length)) continue
      const name = rawHeaders[at]!.toLowerCase()
      if (!SINGLE.includes(name)) continue
      if (seen.includes(name))
        throw invalid('request-invalid', `The request has more than one ${name} header. Send one.`)
      seen.push(name)
    }
    done()
  })
}
