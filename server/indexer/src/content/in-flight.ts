import { throttled } from '@ordbook/db/process/errors.ts'

/** Most answers and bytes under way to one client at a time. */
export interface FlightLimit {
  answers: number
  bytes: number
}

const RETRY_SECONDS = 5

/** Counts, by client, the answers that are on their way and their bytes. */
export class Flights {
  private readonly limit: FlightLimit
  private readonly byClient = new Map<string, FlightLimit>()

  constructor(limit: FlightLimit) {
    this.limit = limit
  }

  /**
   * Counts an answer of so many bytes until the function that it gives is called, once. One answer is always allowed, however
   * large. Throws throttled where the client has too much on its way already.
   */
  begin(client: string, bytes: number): () => void {
    const now = this.byClient.get(client) ?? { answers: 0, bytes: 0 }
    if (now.answers > 0 && (now.answers >= this.limit.answers || now.bytes + bytes > this.limit.bytes))
      throw throttled(
        'content-backlog-full',
        'Too much content is being sent to you. Finish reading it before you request more',
        RETRY_SECONDS,
      )
    now.answers++
    now.bytes += bytes
    this.byClient.set(client, now)
    return () => {
      now.answers--
      now.bytes -= bytes
      if (now.answers === 0) this.byClient.delete(client)
    }
  }
}
