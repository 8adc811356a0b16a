import type { AnswerOf, Operation } from '@ordbook/contract/operation.ts'
import { Fault, missing } from '@ordbook/db/process/errors.ts'
import { countRequest, type RateLimiter } from '../limits/rate-limit.ts'
import { type Route, serialize, VISITOR, validatorOf } from './operations.ts'

export interface ReadInput {
  params?: Readonly<Record<string, string>>
  query?: Readonly<Record<string, string | number>>
}

/** `signal` aborts when the response is no longer needed. */
export interface Reader {
  key: string
  userAgent: string
  signal: AbortSignal
}

/**
 * Runs API reads for server-rendered pages, with validation and rate limits but without HTTP. Reads must not
 * depend on a session, because page requests have none.
 */
export class InnerReads {
  private readonly routes: ReadonlyMap<string, Route>
  private readonly limiter: RateLimiter | null

  constructor(routes: readonly Route[], limiter: RateLimiter | null) {
    this.routes = new Map(routes.map((route) => [route.operation.id, route]))
    this.limiter = limiter
  }

  /**
   * Returns the response as JSON, or null if the read fails, so that the page retries it. Throws `missing` for
   * unknown and invalid ids.
   */
  async read<O extends Operation>(operation: O, input: ReadInput, reader: Reader): Promise<JsonOf<O> | null> {
    const route = this.routes.get(operation.id)
    if (!route || operation.method !== 'GET' || (operation.token && !operation.sameForAll))
      throw new Error(`${operation.id} cannot be used as an internal read`)
    try {
      const { key, userAgent, signal } = reader
      await countRequest(this.limiter, operation.bucket, 'perIp', key)
      const { params = {}, query = {} } = structuredClone(input)
      if (!isValid(operation.params, params) || !isValid(operation.query, query))
        throw missing('path-unknown', 'Page not found.')
      const session = operation.token ? VISITOR : null
      const call = { params, query, body: undefined, session, caller: { key, userAgent }, signal }
      const answer = await route.handle(call)
      return (Buffer.isBuffer(answer) ? answer.toString() : serialize(operation.answer, answer)) as JsonOf<O>
    } catch (error) {
      if (error instanceof Fault && error.kind === 'missing') throw error
      return null
    }
  }
}

const isValid = (schema: object | undefined, value: unknown) => !schema || validatorOf(schema, 'text')(value)

export type JsonOf<O extends Operation> = string & { readonly answers?: AnswerOf<O> }

export const answerOf = <O extends Operation>(text: JsonOf<O>): AnswerOf<O> => JSON.parse(text)
