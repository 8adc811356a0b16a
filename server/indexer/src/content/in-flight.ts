import { throttled } from '@ordbook/db/process/errors.ts'

export interface FlightLimit {
  answers: number
  bytes: number
}

const RETRY_SECONDS = 5

export class Flights {
  private readonly limit: FlightLimit
  private readonly byClient = new Map<string, FlightLimit>()

  constructor(limit: FlightLimit) {
    this.limit = limit
  }

  /** Counts a response until the returned function is called. The first response of a client can have any size. Throws `throttled`. */
  begin(client: string, bytes: number): () => void {
    const inFlight = this.byClient.get(client) ?? { answers: 0, bytes: 0 }
    if (
      inFlight.answers > 0 &&
      (inFlight.answers >= this.limit.answers || inFlight.bytes + bytes > this.limit.bytes)
    )
      throw throttled(
        'content-backlog-full',
        'Too much content is in transit to this client. Wait for earlier responses to finish',
        RETRY_SECONDS,
      )
    inFlight.answers++
    inFlight.bytes += bytes
    this.byClient.set(client, inFlight)
    return () => {
      inFlight.answers--
      inFlight.bytes -= bytes
      if (inFlight.answers === 0) this.byClient.delete(client)
    }
  }
}
