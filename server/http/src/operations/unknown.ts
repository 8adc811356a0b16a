import { operations } from '@ordbook/contract/index.ts'
import type { Operation } from '@ordbook/contract/operation.ts'
import { publicReads } from '@ordbook/contract/public.ts'
import { sharedOperations, webOperations } from '@ordbook/contract/web.ts'
import { Fault, missing } from '@ordbook/db/process/errors.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/**
 * Answers requests without a route: 405 with the allowed methods for a path that has some, else the answer of `answerPage`,
 * else 404. It runs before the body is read, which would be checked first.
 */
export function answerUnknown(
  app: FastifyInstance,
  { base, webBase }: { base: string; webBase: string },
  answerPage: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply> | null,
): void {
  const known = [
    ...Object.values<Operation>({ ...operations, ...publicReads }).map((each) => ({
      ...each,
      base: each.root ? '' : base,
    })),
    ...[...Object.values<Operation>(webOperations), ...sharedOperations].map((each) => ({
      ...each,
      base: webBase,
    })),
  ].map((each) => ({ method: each.method, pattern: patternOf(`${each.base}${each.path}`) }))
  const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const path = request.url.split('?')[0]!
    const methods = known.filter((each) => each.pattern.test(path)).map((each) => each.method)
    // A route that takes the method has answered 404 itself.
    if (methods.length === 0 || methods.includes(request.method as Operation['method']))
      return (
        (await answerPage(request, reply)) ??
        reply.send(missing('path-unknown', `No route matches ${path}. See /openapi.json`))
      )
    return reply
      .header('allow', [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', '))
      .send(new Fault('method-not-allowed', `${path} takes ${methods.join(' and ')}, not ${request.method}`))
  }
  app.addHook('onRequest', async (request, reply) => (request.is404 ? answer(request, reply) : undefined))
  app.setNotFoundHandler(answer)
}

/** A pattern of the paths of a template like `/orders/{listingId}`. */
const patternOf = (template: string) => new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`)
