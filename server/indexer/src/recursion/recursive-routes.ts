import type { FastifyInstance, FastifyReply } from 'fastify'
import type { ContentOptions, ContentSender, LargeSource } from '../content/serve.ts'
import { AtOrd } from './at-ord.ts'

type Params = Record<string, string>

export type RecursiveRoutes = ReturnType<typeof recursiveRoutes>

export function recursiveRoutes(app: FastifyInstance, sender: ContentSender) {
  const send = (reply: FastifyReply, type: string, body: string, cache = 'no-store') =>
    reply
      .headers({
        'cache-control': cache,
        'x-content-type-options': 'nosniff',
      })
      .type(type)
      .send(body)
  const answer = (reply: FastifyReply, body: unknown, cache?: string) =>
    send(reply, 'application/json; charset=utf-8', JSON.stringify(body), cache)
  const answerText = (reply: FastifyReply, body: string | number) =>
    send(reply, 'text/plain; charset=utf-8', String(body))
  /** A handler that returns `AtOrd` passes the request on. */
  const get = (path: string, handle: (params: Params, reply: FastifyReply) => Promise<unknown>) =>
    app.get<{ Params: Params }>(path, async (request, reply) => {
      const answered = await handle(request.params, reply)
      return answered instanceof AtOrd ? sender.sendLarge(request, reply, answered) : answered
    })
  const getContent = (path: string, find: (params: Params) => Promise<{ id: string } & ContentOptions>) =>
    app.route<{ Params: Params }>({
      method: ['GET', 'HEAD'],
      url: path,
      config: { isRaw: true },
      handler: async (request, reply) => {
        const { id, ...options } = await find(request.params)
        return sender.send(request, reply, id, options)
      },
    })

  const getLarge = (
    path: string,
    mostBytes: number,
    find: (params: Params) => Promise<Omit<LargeSource, 'mostBytes'>>,
  ) =>
    app.route<{ Params: Params }>({
      method: ['GET', 'HEAD'],
      url: path,
      config: { isRaw: true },
      handler: async (request, reply) =>
        sender.sendLarge(request, reply, { mostBytes, ...(await find(request.params)) }),
    })
  return { get, getContent, getLarge, answer, answerText }
}
