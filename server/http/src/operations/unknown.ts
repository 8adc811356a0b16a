import { operations } from '@ordbook/contract/index.ts'
import type { Operation } from '@ordbook/contract/operation.ts'
import { publicReads } from '@ordbook/contract/public.ts'
import { sharedOperations, webOperations } from '@ordbook/contract/web.ts'
import { Fault, missing } from '@ordbook/db/process/errors.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/**
 * Handles requests without a route: 405 if the path supports other methods, otherwise a page or 404. Runs
 * before the body is parsed, because parsing could fail first.
 */
export function answerUnknown(
  app: FastifyInstance,
  { base, webBase }: { base: string; webBase: string },
  answerPage: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply> | null,
): void {
  const endpoints = [
    ...Object.values<Operation>({ ...operations, ...publicReads }).map((operation) => ({
      ...operation,
      base: operation.root ? '' : base,
    })),
    ...[...Object.values<Operation>(webOperations), ...sharedOperations].map((operation) => ({
      ...operation,
      base: webBase,
    })),
  ].map(({ method, base, path }) => ({ method, pattern: patternOf(`${base}${path}`) }))
  const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const path = request.url.split('?')[0]!
    const methods = endpoints.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method)
    // If a route supports the method, its handler sent the 404.
    if (methods.length === 0 || methods.includes(request.method as Operation['method']))
      // Do not await the page: a reply is a promise of nothing, which resolves when it is sent.
      return (
        answerPage(request, reply) ??
        reply.send(missing('path-unknown', `No route matches ${path}. See /openapi.json.`))
      )
    return reply
      .header('allow', [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', '))
      .send(
        new Fault('method-not-allowed', `${path} supports ${methods.join(' and ')}, not ${request.method}.`),
      )
  }
  app.addHook('onRequest', async (request, reply) => (request.is404 ? answer(request, reply) : undefined))
  app.setNotFoundHandler(answer)
}

/** Compiles a path template such as `/orders/{listingId}`. */
const patternOf = (template: string) => new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`)
