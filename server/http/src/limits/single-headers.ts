import { invalid } from '@ordbook/db/process/errors.ts'
import type { FastifyInstance } from 'fastify'

/** Headers of which a request has at most one. Node keeps the first, and a proxy may have read another. */
const SINGLE = new Set(['authorization', 'content-type', 'host'])

/** Rejects requests that repeat a header whose values cannot be combined (RFC 9110, 5.3; RFC 9112, 3.2). */
export function refuseRepeatedHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ raw: { rawHeaders } }) => {
    const seen = new Set<string>()
    for (let at = 0; at < rawHeaders.length; at += 2) {
      const name = rawHeaders[at]!.toLowerCase()
      if (!SINGLE.has(name)) continue
      if (seen.has(name))
        throw invalid('request-invalid', `The request has more than one ${name} header. Send one.`)
      seen.add(name)
    }
  })
}
