import { throttled } from '@ordbook/db/process/errors.ts'

export interface FlightLimit {
  answers: number
  bytes: number
}

/** A response in transit. */
export interface Flight {
  /** Counts the size of the response instead of the known part. Throws `throttled`. */
  resize(bytes: number): void
  /** Call it when the response is sent. */
  end(): void
}

const RETRY_SECONDS = 5

/** Limits the responses in transit to each client. */
export class Flights {
  private readonly limit: FlightLimit
  private readonly byClient = new Map<string, FlightLimit>()

  constructor(limit: FlightLimit) {
    this.limit = limit
  }

  /**
   * Counts a response, with the bytes that are known before it is loaded. Until `resize`, only the store limits the rest. The only response
   * of a client can have any size. Throws `throttled`.
   */
  begin(client: string, knownBytes: number): Flight {
    const inFlight = this.byClient.get(client) ?? { answers: 0, bytes: 0 }
    this.assertRoom(inFlight, inFlight.answers < this.limit.answers ? knownBytes : Infinity)
    inFlight.answers++
    inFlight.bytes += knownBytes
    this.byClient.set(client, inFlight)
    let own = knownBytes
    return {
      resize: (bytes) => {
        const others = { answers: inFlight.answers - 1, bytes: inFlight.bytes - own }
        this.assertRoom(others, bytes)
        inFlight.bytes = others.bytes + bytes
        own = bytes
      },
      end: () => {
        inFlight.answers--
        inFlight.bytes -= own
        own = 0
        if (inFlight.answers === 0) this.byClient.delete(client)
      },
    }
  }

  private assertRoom(others: FlightLimit, bytes: number): void {
    if (others.answers > 0 && others.bytes + bytes > this.limit.bytes)
      throw throttled(
        'content-backlog-full',
        'Too much content is in transit to this client. Wait for earlier responses to finish',
        RETRY_SECONDS,
      )
  }
}
