import type { AnswerOf } from '@ordbook/contract/operation.ts'
import { publicReads } from '@ordbook/contract/public.ts'
import { serialize, validatorOf } from '@ordbook/http/operations/operations.ts'
import type { FastifyInstance } from 'fastify'

export interface LogPage {
  lines: Buffer
  /** Whether more lines follow. A finished page never changes. */
  isFinished: boolean
}

/** A public order log: the market's log, or a mirror's copy. */
export interface PublicLog {
  head(): Promise<AnswerOf<typeof publicReads.getOrderLogHead>>
  page(after: number): Promise<LogPage>
}

/** Maximum cached pages, 16 MiB in total. All new mirrors request the same pages. */
const MAX_PAGES = 64

/** Registers `GET /order-log` and `GET /order-log/head`. */
export function registerOrderLog(app: FastifyInstance, log: PublicLog): void {
  const { listOrderLog, getOrderLogHead } = publicReads
  const pages = new Map<number, Promise<LogPage>>()
  /** Concurrent requests for one page share one read. */
  const read = (after: number): Promise<LogPage> => {
    const page = pages.get(after) ?? log.page(after)
    pages.delete(after)
    pages.set(after, page)
    const forget = () => pages.get(after) === page && pages.delete(after)
    page.then(({ isFinished }) => isFinished || forget(), forget)
    if (pages.size > MAX_PAGES) pages.delete(pages.keys().next().value!)
    return page
  }
  app.setValidatorCompiler(({ schema }) => validatorOf(schema as object, 'text'))
  app.get<{ Querystring: { after?: number } }>(
    listOrderLog.path,
    { schema: { querystring: listOrderLog.query } },
    async ({ query }, reply) => {
      const { lines, isFinished } = await read(query.after ?? 0)
      return reply
        .header('cache-control', isFinished ? 'public, max-age=31536000, immutable' : 'no-cache')
        .header('x-content-type-options', 'nosniff')
        .type('text/plain; charset=utf-8')
        .send(lines)
    },
  )
  app.get(getOrderLogHead.path, async (_request, reply) =>
    reply
      .header('cache-control', 'no-cache')
      .type('application/json; charset=utf-8')
      .send(serialize(getOrderLogHead.answer, await log.head())),
  )
}
