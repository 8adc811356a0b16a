import type { Static, TObject, TSchema } from 'typebox'

export type Area =
  | 'Authentication'
  | 'Session'
  | 'Profile'
  | 'Collections'
  | 'Listings'
  | 'Escrows'
  | 'Sales'
  | 'P2P proposals'
  | 'Buying'
  | 'Offers'
  | 'Public record'
  | 'Storefront'
  | 'Content'
  | 'Recursion'
  | 'Server'
  | 'Errors and rate limits'
/** Rate limit of a request. Storefront-only reads have a separate limit, because pages make many requests. */
export type Bucket =
  | 'auth-challenge'
  | 'auth-verify'
  | 'reads'
  | 'writes'
  | 'web-reads'
  | 'status'
  | 'content'
  | 'recursion'
  | 'events'
  | 'order-log'
  | 'documents'

/** Definition of an operation. Validation, rate limits, authentication, OpenAPI documents, llms.txt and the SDK derive from it. */
export interface Operation {
  id: string
  method: 'GET' | 'POST'
  /** Relative to the base path; parameters as `{name}`. */
  path: string
  /** At the server's root instead of below the API. */
  root?: boolean
  /** Part of the API but not of the published interface; in /openapi-public.json. */
  additive?: boolean
  area: Area
  summary: string
  description?: string
  params?: TObject
  query?: TObject
  body?: TObject
  answer: TSchema
  /** Media type of the response if it is not JSON. */
  type?: string
  /** Statuses other than 200. */
  statuses: readonly number[]
  /** Requires a session token. */
  token: boolean
  bucket: Bucket
  /** The response is the same for all callers, so clients can cache it and revalidate with its ETag. */
  sameForAll?: boolean
  /** The response contains a secret of the caller, so it is never compressed. */
  secret?: boolean
  /** Also available while trading is paused, because it only cancels or withdraws something. */
  whileBehind?: boolean
}

export const operation = <const O extends Operation>(definition: O): O => definition

type Route = Pick<Operation, 'id' | 'method' | 'path'>

/**
 * Returns a function that defines operations with common fields. Its arguments are the id, the route (`GET /path`) and further fields,
 * which override the common ones.
 */
export const operationsWith =
  <const Common extends Partial<Operation>>(common: Common) =>
  <const Rest extends Partial<Operation> & Omit<Operation, keyof Common | keyof Route>>(
    id: string,
    route: `${Route['method']} /${string}`,
    rest: Rest,
  ) => {
    const [method, path] = route.split(' ')
    return { ...common, ...rest, id, method, path } as Omit<Common, keyof Rest> & Rest & Route
  }

type StaticOr<S, Otherwise> = S extends TSchema ? Static<S> : Otherwise

export type ParamsOf<O extends Operation> = StaticOr<O['params'], Record<never, never>>
export type QueryOf<O extends Operation> = StaticOr<O['query'], Record<never, never>>
export type BodyOf<O extends Operation> = StaticOr<O['body'], undefined>
export type AnswerOf<O extends Operation> = Static<O['answer']>

/** Status lists of the published interface. */
export const STD = [400, 401, 403, 404, 409, 429, 503] as const
export const FULL = [400, 401, 403, 404, 409, 429, 500, 503] as const
