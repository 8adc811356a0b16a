import { operations } from '@ordbook/contract/index.ts'
import type { Operation } from '@ordbook/contract/operation.ts'
import { publicReads } from '@ordbook/contract/public.ts'
import { sharedOperations, webOperations } from '@ordbook/contract/web.ts'
import { Fault, missing } from '@ordbook/db/process/errors.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/**
 * Handles requests without a route: 405 with the allowed methods if the path has some, otherwise `answerPage`, otherwise 404. Runs before
 * the body is parsed, which could fail first.
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
    // A route that accepts the method sent the 404 itself.
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

/** Matches the paths of a template like `/orders/{listingId}`. */
const patternOf = (template: string) => new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`)
