import type { AnswerOf, Operation } from '@ordbook/contract/operation.ts'
import type { CursorCodec } from '@ordbook/http/operations/cursor.ts'
import type { Call, SessionCall } from '@ordbook/http/operations/operations.ts'
import type { Context } from './context.ts'

export type UseCase<O extends Operation, C extends Context = Context> = (
  context: C,
  call: SessionCall<O>,
) => Promise<AnswerOf<O>>

/** A use case that returns a page of a list. */
export type PagedUseCase<O extends Operation> = (
  context: Context,
  cursors: CursorCodec,
  call: Pick<Call<O>, 'session' | 'params' | 'query'>,
) => Promise<AnswerOf<O> | Buffer>
