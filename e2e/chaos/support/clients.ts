import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError, Client } from '@ordbook/sdk/index.ts'
import type { Answer, Input, OperationId } from '@ordbook/sdk/operations.ts'

/** Retry limit of a client, in milliseconds. */
const TIMEOUT_MS = 90_000

/** A client that retries after 503 and lost responses. */
export class PatientClient extends Client {
  onWrite: (() => void) | null = null

  override async call<Id extends OperationId>(id: Id, input: Input<Id> = {}): Promise<Answer<Id>> {
    const end = performance.now() + TIMEOUT_MS
    if (input.body) this.onWrite?.()
    for (;;)
      try {
        return await super.call(id, input)
      } catch (error) {
        if (!isPassing(error) || performance.now() > end) throw error
        await sleep(250)
      }
  }
}

const isPassing = (error: unknown) =>
  error instanceof ApiError ? error.status === 503 : error instanceof TypeError

export class Observed {
  readonly statuses = new Map<string, number>()
  readonly wrong: string[] = []
  slowest = { milliseconds: 0, path: '' }
  slowestStatus = 0
  private readonly original = globalThis.fetch

  constructor(ports: readonly number[], isExcused: () => boolean) {
    globalThis.fetch = async (input, init) => {
      const url = new URL(input instanceof Request ? input.url : input)
      if (!ports.includes(Number(url.port))) return this.original(input, init)
      const began = performance.now()
      const excused = isExcused()
      try {
        const response = await this.original(input, init)
        this.note(url.pathname, response, excused || isExcused() ? 0 : performance.now() - began)
        return response
      } catch (error) {
        // The caller aborted the request.
        if (!init?.signal?.aborted && !excused && !isExcused())
          this.wrong.push(`no answer: ${url.pathname}: ${error}`)
        throw error
      }
    }
  }

  stop(): void {
    globalThis.fetch = this.original
  }

  private note(path: string, { status, headers }: Response, milliseconds: number): void {
    this.statuses.set(String(status), (this.statuses.get(String(status)) ?? 0) + 1)
    if (status >= 500 && status !== 503) this.wrong.push(`${status}: ${path}`)
    if (status === 503 && !headers.get('retry-after')) this.wrong.push(`503 without Retry-After: ${path}`)
    if (milliseconds > this.slowest.milliseconds) this.slowest = { milliseconds, path }
    if (path === '/status') this.slowestStatus = Math.max(this.slowestStatus, milliseconds)
  }
}

/** Records block heights from a server's live events, across disconnects. */
export class Listener {
  readonly heights: number[] = []
  private readonly url: string
  private readonly ended = new AbortController()
  private last = ''

  constructor(url: string) {
    this.url = url
    void this.listen()
  }

  stop(): void {
    this.ended.abort()
  }

  private async listen(): Promise<void> {
    while (!this.ended.signal.aborted) {
      try {
        const response = await fetch(`${this.url}/events`, {
          headers: this.last ? { 'last-event-id': this.last } : {},
          signal: this.ended.signal,
        })
        let text = ''
        if (response.ok)
          for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
            const parts = (text + chunk).split('\n\n')
            text = parts.pop()!
            for (const part of parts) this.take(part)
          }
        else await response.body?.cancel()
      } catch {}
      await sleep(500)
    }
  }

  private take(part: string): void {
    const id = /^id: (.*)$/m.exec(part)?.[1]
    if (id) this.last = id
    const data = /^event: block\ndata: (.*)$/m.exec(part)?.[1]
    if (!data) return
    const { height, undone } = JSON.parse(data) as { height: number; undone?: boolean }
    if (!undone) this.heights.push(height)
  }
}

export function startReaders(
  urls: readonly string[],
  token: string,
  slug: string,
): { stop(): Promise<void> } {
  const paths = [
    '/status',
    `/api/v1/listings?collectionSlug=${slug}`,
    `/api/v1/collection-stats/floors?slugs=${slug}`,
    `/api/v1/collection/${slug}/inscriptions`,
    '/api/v1/sales',
    '/api/v1/trading',
    `/web/v1/collections/${slug}`,
    '/healthz',
  ]
  let isRunning = true
  const headers = { authorization: `Bearer ${token}` }
  const readers = urls.flatMap((url) =>
    [0, 1].map(async (n) => {
      for (let at = n; isRunning; at++) {
        await fetch(`${url}${paths[at % paths.length]}`, { headers })
          .then((response) => response.arrayBuffer())
          .catch(() => {})
        await sleep(15)
      }
    }),
  )
  return {
    async stop() {
      isRunning = false
      await Promise.all(readers)
    },
  }
}
