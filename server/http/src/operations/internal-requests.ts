import type { AnswerOf, Operation } from '@ordbook/contract/operation.ts'
import { Fault, missing } from '@ordbook/db/process/errors.ts'
import { countRequest, type RateLimiter } from '../limits/rate-limit.ts'
import { type Route, serialize, VISITOR, validatorOf } from './operations.ts'

/** The input of a read, as clients give it. */
export interface ReadInput {
  params?: Readonly<Record<string, string>>
  query?: Readonly<Record<string, string | number>>
}

/** The client for which a read is made, and when its answer is wanted no longer. */
export interface Reader {
  key: string
  userAgent: string
  signal: AbortSignal
}

/**
 * Reads of the API within the process, for the document of a page: the same handlers, validation and limits as over HTTP.
 * Only reads whose answer depends on no session, which a document does not know.
 */
export class InnerReads {
  private readonly routes: ReadonlyMap<string, Route>
  private readonly limiter: RateLimiter | null

  constructor(routes: readonly Route[], limiter: RateLimiter | null) {
    this.routes = new Map(routes.map((each) => [each.operation.id, each]))
    this.limiter = limiter
  }

  /**
   * The answer as JSON; null where the read is refused or fails: the page then makes it itself and gets the reason. Throws
   * missing for what is not known here, and for an id that can be none.
   */
  async read<O extends Operation>(operation: O, input: ReadInput, reader: Reader): Promise<JsonOf<O> | null> {
    const route = this.routes.get(operation.id)
    if (!route || operation.method !== 'GET' || (operation.token && !operation.sameForAll))
      throw new Error(`${operation.id} is no read of a document`)
    try {
      const { key, userAgent, signal } = reader
      await countRequest(this.limiter, operation.bucket, 'perIp', key)
      // Validation fills in what is left out.
      const { params = {}, query = {} } = structuredClone(input)
      if (!isValid(operation.params, params) || !isValid(operation.query, query))
        throw missing('path-unknown', 'Page not found')
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

/** A JSON text, with the type of its value. */
export type JsonOf<O extends Operation> = string & { readonly answers?: AnswerOf<O> }

/** The value of a JSON text. */
export const answerOf = <O extends Operation>(text: JsonOf<O>): AnswerOf<O> => JSON.parse(text)
