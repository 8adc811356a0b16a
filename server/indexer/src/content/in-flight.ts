import { throttled } from '@ordbook/db/process/errors.ts'

/** Maximum responses and bytes in flight per client. */
export interface FlightLimit {
  answers: number
  bytes: number
}

const RETRY_SECONDS = 5

/** Counts responses in flight and their bytes per client. */
export class Flights {
  private readonly limit: FlightLimit
  private readonly byClient = new Map<string, FlightLimit>()

  constructor(limit: FlightLimit) {
    this.limit = limit
  }

  /**
   * Counts a response until the returned function is called (once). A single response is always allowed, whatever its size. Throws
   * throttled if the client has too much in flight.
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
