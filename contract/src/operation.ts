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
  | 'Signing'
  | 'Transactions'
  | 'Live events'
  | 'Public record'
  | 'Storefront'
  | 'Content'
  | 'Recursion'
  | 'Server'
  | 'Errors and rate limits'
/** Rate limit bucket. Storefront-only reads have a separate bucket because pages make many requests. */
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

/** An API operation. Validation, rate limits, authentication, OpenAPI documents, llms.txt and the SDK derive from it. */
export interface Operation {
  id: string
  method: 'GET' | 'POST'
  /** Relative to the base path, with `{name}` parameters. */
  path: string
  /** Served at the root instead of below the API. */
  root?: boolean
  /** Not in the published interface; documented in /openapi-public.json. */
  additive?: boolean
  area: Area
  summary: string
  description?: string
  params?: TObject
  query?: TObject
  body?: TObject
  answer: TSchema
  /** Media type, if not JSON. */
  type?: string
  /** Statuses other than 200. */
  statuses: readonly number[]
  /** Requires a session token. */
  token: boolean
  /** Requires the operator's bearer token (METRICS_TOKEN) instead. */
  operatorToken?: boolean
  bucket: Bucket
  /** Same response for all callers. Clients can cache it and revalidate with its ETag. */
  sameForAll?: boolean
  /** Contains a secret, so it is never compressed. */
  secret?: boolean
  /** Also available while trading is paused. For operations that only cancel or withdraw something. */
  whileBehind?: boolean
}

export const operation = <const O extends Operation>(definition: O): O => definition

type Route = Pick<Operation, 'id' | 'method' | 'path'>

/** Returns a function that defines operations with common fields. It accepts an id, a route (`GET /path`) and overrides. */
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
