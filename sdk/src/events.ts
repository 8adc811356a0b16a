import { asConnectionFailed, connected, jsonOf, textOf, withinDeadline } from './client.ts'
import { ApiError, CheckFailed, isRetryable } from './errors.ts'
import { sleep } from './repeat.ts'

/** An event of a market (docs/reference/events.md). */
export interface MarketEvent {
  /** Pass it as `since` to resume after this event. */
  id: string
  kind: string
  data: Record<string, unknown>
}

/** The market sends a comment every 20 seconds, so a longer silence means a broken connection. */
const MAX_SILENCE_MILLISECONDS = 60_000
/** Delay before a reconnect, in milliseconds; doubled after each failure. */
const WAITS = { first: 1000, longest: 60_000 }
const MAX_EVENT = 1_000_000

/**
 * Yields events of a market (`https://market.example`) until the signal aborts. After a broken connection, reconnects and resumes after the
 * last event. A `reset` event means that events were lost: reload all state. Throws ApiError for errors that are not retryable.
 */
export async function* events(
  market: string,
  {
    collections = [],
    since,
    signal = null,
  }: {
    /** Slugs, at most 100; empty: all collections. */
    collections?: readonly string[]
    /** Id of the last processed event. */
    since?: string
    signal?: AbortSignal | null
  } = {},
): AsyncGenerator<MarketEvent, void> {
  const url = new URL('/events', market)
  if (collections.length > 0) url.searchParams.set('collections', collections.join(','))
  let last = since
  for (let wait = WAITS.first; !signal?.aborted; wait = Math.min(2 * wait, WAITS.longest)) {
    try {
      if (last !== undefined) url.searchParams.set('since', last)
      for await (const event of stream(url, signal)) {
        wait = WAITS.first
        last = event.id
        yield event
      }
    } catch (error) {
      if (signal?.aborted) return
      if (!isRetryable(error)) throw error
      if (error instanceof ApiError && error.retryAfterSeconds !== null)
        wait = Math.min(Math.max(wait, error.retryAfterSeconds * 1000), WAITS.longest)
    }
    await sleep(wait, signal).catch(() => {})
  }
}

async function* stream(url: URL, signal: AbortSignal | null): AsyncGenerator<MarketEvent> {
  const response = await withinDeadline(MAX_SILENCE_MILLISECONDS, signal, async (limit) => {
    const answer = await connected(url, { headers: { accept: 'text/event-stream' }, signal: limit })
    if (answer.status !== 200) throw ApiError.of(answer, jsonOf(await textOf(answer).catch(() => '')))
    return answer
  })
  let text = ''
  const decoder = new TextDecoder()
  const reader = response.body!.getReader()
  try {
    for (;;) {
      const { done, value } = await withinDeadline(MAX_SILENCE_MILLISECONDS, signal, () =>
        reader.read().catch(asConnectionFailed),
      )
      if (done) return
      const parts = (text + decoder.decode(value, { stream: true })).split('\n\n')
      text = parts.pop()!
      if (text.length > MAX_EVENT)
        throw new CheckFailed('the market sent an event that exceeds the size limit')
      for (const part of parts) {
        const event = eventOf(part)
        if (event) yield event
      }
    }
  } finally {
    // Cancelling can hang.
    void reader.cancel().catch(() => {})
  }
}

/** Parses an event. Returns null for a comment. Throws CheckFailed if the data is not a JSON object. */
function eventOf(block: string): MarketEvent | null {
  const fields = new Map(
    block.split('\n').map((line) => {
      const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? []
      return [name, value]
    }),
  )
  const [id, kind, data] = [fields.get('id'), fields.get('event'), fields.get('data')]
  if (id === undefined || kind === undefined || data === undefined) return null
  const parsed = jsonOf(data)
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw new CheckFailed(`the market sent an event ${kind} whose data is not a JSON object`)
  return { id, kind, data: parsed as Record<string, unknown> }
}
