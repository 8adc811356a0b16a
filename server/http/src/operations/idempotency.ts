import { createHash, randomUUID } from 'node:crypto'
import { STATUS_OF_KIND } from '@ordbook/contract/errors/entry.ts'
import { ERRORS } from '@ordbook/contract/errors.ts'
import type { BaseContext } from '@ordbook/db/context.ts'
import type { Queryable } from '@ordbook/db/driver/connect.ts'
import { conflict, Fault, invalid } from '@ordbook/db/process/errors.ts'
import { bodyOf, faultOf } from './fault-handler.ts'
import { claimCall, deleteOldCalls, findCall, releaseCall, storeCall } from './idempotency-queries.ts'

/** After the request timeout plus this time, a retry runs the call again. */
const LEASE_SECONDS = 10
const KEY_SECONDS = 24 * 3600
/** Larger responses are not stored, so a retry runs the call again. */
const MAX_BYTES = 256 * 1024

interface Finished {
  status: number
  body: Buffer
}

/** A write with an idempotency key. Retries must have an equal `request`. */
interface KeyedCall {
  profileId: string
  key: string
  request: unknown
}

const sha256 = (text: string) => new Uint8Array(createHash('sha256').update(text).digest())

/** Returns a valid `Idempotency-Key`; null without one. Throws `invalid`. */
export function idempotencyKeyOf(header: string | string[] | undefined): string | null {
  if (header === undefined) return null
  if (typeof header !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(header))
    throw invalid(
      'request-invalid',
      'Idempotency-Key must be 1 to 255 visible ASCII characters without spaces, such as a UUID.',
    )
  return header
}

/**
 * Runs each write with an idempotency key once, and returns its response to retries. Retryable errors are not
 * stored. If the server crashes before the response is stored, a retry runs the call again, and the operation
 * finds the earlier write by its handles. Keys and requests are stored as hashes. Responses are stored as
 * plain text, because they contain no credentials.
 */
export class IdempotentCalls {
  private readonly context: Pick<BaseContext, 'config' | 'sql' | 'clock' | 'publicUrl' | 'log'>

  constructor(context: Pick<BaseContext, 'config' | 'sql' | 'clock' | 'publicUrl' | 'log'>) {
    this.context = context
  }

  async run(call: KeyedCall, work: () => Promise<Buffer>): Promise<Finished> {
    const { sql, clock } = this.context
    const claim = {
      profileId: call.profileId,
      keySha256: sha256(call.key),
      requestSha256: sha256(JSON.stringify(call.request)),
      claimId: randomUUID(),
    }
    const now = clock().getTime()
    const leaseSeconds = this.context.config.requestSeconds + LEASE_SECONDS
    const isClaimed = await claimCall(sql, claim, {
      now: new Date(now),
      leasedBefore: new Date(now - leaseSeconds * 1000),
      keptAfter: new Date(now - KEY_SECONDS * 1000),
    })
    if (!isClaimed) return this.earlierResponse(claim, now, leaseSeconds)
    let body: Buffer
    try {
      body = await work()
    } catch (error) {
      const fault = faultOf(error)
      if (ERRORS[fault.code].retryable) await this.record(() => releaseCall(sql, claim))
      else {
        const errorBody = Buffer.from(JSON.stringify(bodyOf(fault, this.context.publicUrl)))
        await this.record(() =>
          storeCall(sql, claim, { status: STATUS_OF_KIND[fault.kind], body: errorBody }),
        )
      }
      throw error
    }
    await this.record(() =>
      body.length > MAX_BYTES ? releaseCall(sql, claim) : storeCall(sql, claim, { status: 200, body }),
    )
    return { status: 200, body }
  }

  private async earlierResponse(
    claim: { profileId: string; keySha256: Uint8Array; requestSha256: Uint8Array },
    now: number,
    leaseSeconds: number,
  ): Promise<Finished> {
    const known = await findCall(this.context.sql, claim)
    if (known && Buffer.compare(known.requestSha256, claim.requestSha256) !== 0)
      throw conflict(
        'idempotency-key-reused',
        'This Idempotency-Key was used for a different request. Use a new key.',
      )
    if (!known?.body) {
      // Exponential backoff until the lease of a dead server expires.
      const ageSeconds = known ? (now - known.beganAt.getTime()) / 1000 : 0
      const wait = Math.min(2 * ageSeconds, leaseSeconds - ageSeconds)
      const retryAfterSeconds = Math.max(Math.ceil(wait), 1)
      throw new Fault(
        'idempotent-call-running',
        `The first request with this Idempotency-Key is still running. Retry in ${retryAfterSeconds} s.`,
        { retryAfterSeconds },
      )
    }
    return { status: known.status!, body: Buffer.from(known.body) }
  }

  /** Runs `write` and logs errors, because the client gets its response in any case. */
  private async record(write: () => Promise<void>): Promise<void> {
    await write().catch((error: unknown) =>
      this.context.log.warn(
        { err: error },
        'failed to store the response of a call with an idempotency key, a retry runs the call again',
      ),
    )
  }
}

/** Deletes up to `most` expired keys. Returns their number. */
export const deleteOldKeys = (sql: Queryable, now: Date, most: number): Promise<number> =>
  deleteOldCalls(sql, new Date(now.getTime() - KEY_SECONDS * 1000), most)
