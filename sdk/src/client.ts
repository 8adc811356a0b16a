import { ApiError } from './errors.ts'
import { type Answer, type Input, type OperationId, operations, ROOT } from './operations.ts'

/** Speaks to one market. `token` is set by `signIn`. */
export class Client {
  token: string | null = null
  /** Sent with every request. */
  headers: Record<string, string> = {}
  private readonly base: string
  private readonly root: string

  /** `base` ends in `/api/v1`; for the pages of a storefront, whose session is a cookie, in `/web/v1`. */
  constructor(base: string) {
    this.base = base.replace(/\/+$/, '')
    this.root = this.base.replace(/\/(api|web)\/v1$/, '')
  }

  /** Calls an operation. Throws ApiError for any answer but 200. */
  async call<Id extends OperationId>(id: Id, input: Input<Id> = {}): Promise<Answer<Id>> {
    const [method, template] = operations[id].split(' ') as [string, string]
    const params: Record<string, unknown> = input.params ?? {}
    const path = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])))
    const query = new URLSearchParams()
    for (const [name, value] of Object.entries(input.query ?? {}))
      if (value !== undefined) query.set(name, String(value))
    const search = query.size > 0 ? `?${query}` : ''
    const response = await fetch(`${ROOT.has(id) ? this.root : this.base}${path}${search}`, {
      method,
      headers: {
        ...this.headers,
        ...(this.token ? { authorization: `Bearer ${this.token}` } : {}),
        ...(input.body ? { 'content-type': 'application/json' } : {}),
      },
      ...(input.body ? { body: JSON.stringify(input.body) } : {}),
    })
    const answer = (await response.json().catch(() => ({ error: response.statusText }))) as { error?: string }
    if (response.status !== 200) throw new ApiError(response.status, answer.error ?? response.statusText)
    return answer as Answer<Id>
  }

  /** Every item of a collection, page by page. */
  async *inscriptions(slug: string, query: { limit?: number; sort?: 'oldest' | 'newest' } = {}) {
    for (let cursor: string | undefined; ; ) {
      const page = await this.call('listCollectionInscriptions', {
        params: { slug },
        query: { ...query, ...(cursor ? { cursor } : {}) },
      })
      yield* page.items
      if (!page.pagination.nextCursor) return
      cursor = page.pagination.nextCursor
    }
  }
}
