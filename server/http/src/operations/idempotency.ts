import { createHash, randomUUID } from 'node:crypto'
import { STATUS_OF_KIND } from '@ordbook/contract/errors/entry.ts'
import { ERRORS } from '@ordbook/contract/errors.ts'
import type { BaseContext } from '@ordbook/db/context.ts'
import type { Queryable } from '@ordbook/db/driver/connect.ts'
import { conflict, Fault, invalid } from '@ordbook/db/process/errors.ts'
import { bodyOf, faultOf } from './fault-handler.ts'
import { claimCall, deleteOldCalls, findCall, releaseCall, storeCall } from './idempotency-queries.ts'

/** If a call runs this much longer than the request timeout, its server has died: a retry runs it again. */
const LEASE_SECONDS = 10
/** How long keys are stored. */
const KEY_SECONDS = 24 * 3600
/** Larger responses are not stored: a retry runs the call again. */
const MAX_BYTES = 256 * 1024

interface Finished {
  status: number
  body: Buffer
}

/** A write with its client's key. `request` must be the same in retries. */
interface KeyedCall {
  profileId: string
  key: string
  request: unknown
}

const sha256 = (text: string) => new Uint8Array(createHash('sha256').update(text).digest())

/** Returns the `Idempotency-Key` of a request; null without one. Throws invalid. */
export function idempotencyKeyOf(header: string | string[] | undefined): string | null {
  if (header === undefined) return null
  if (typeof header !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(header))
    throw invalid(
      'request-invalid',
      'Idempotency-Key must be 1 to 255 visible ASCII characters without spaces, such as a UUID',
    )
  return header
}

/**
 * Runs each keyed write once and returns the same response to retries. Keys belong to a profile. Retryable errors are not stored. After a
 * crash between the write and the storing of its response, a retry runs the call again: operations recognise their own earlier writes by
 * the handles. Keys and requests are stored as hashes, responses in plain text: no write returns a credential, and the handles of
 * preflights are in the database anyway.
 */
export class IdempotentCalls {
  private readonly context: Pick<BaseContext, 'config' | 'sql' | 'clock' | 'publicUrl' | 'log'>

  constructor(context: Pick<BaseContext, 'config' | 'sql' | 'clock' | 'publicUrl' | 'log'>) {
    this.context = context
  }

  /** Runs the call, or returns the response of the first attempt. Throws conflict, and rethrows errors of `work`. */
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
    const isOurs = await claimCall(sql, claim, {
      now: new Date(now),
      leasedBefore: new Date(now - leaseSeconds * 1000),
      keptAfter: new Date(now - KEY_SECONDS * 1000),
    })
    if (!isOurs) return this.earlierAnswerTo(claim, now, leaseSeconds)
    let body: Buffer
    try {
      body = await work()
    } catch (error) {
      const fault = faultOf(error)
      if (ERRORS[fault.code].retryable) await this.record(() => releaseCall(sql, claim))
      else {
        const refusal = Buffer.from(JSON.stringify(bodyOf(fault, this.context.publicUrl)))
        await this.record(() => storeCall(sql, claim, { status: STATUS_OF_KIND[fault.kind], body: refusal }))
      }
      throw error
    }
    await this.record(() =>
      body.length > MAX_BYTES ? releaseCall(sql, claim) : storeCall(sql, claim, { status: 200, body }),
    )
    return { status: 200, body }
  }

  private async earlierAnswerTo(
    claim: { profileId: string; keySha256: Uint8Array; requestSha256: Uint8Array },
    now: number,
    leaseSeconds: number,
  ): Promise<Finished> {
    const known = await findCall(this.context.sql, claim)
    if (known && Buffer.compare(known.requestSha256, claim.requestSha256) !== 0)
      throw conflict(
        'idempotency-key-reused',
        'This Idempotency-Key was used for a different request. Use a new key',
      )
    if (!known?.body) {
      // Doubles the elapsed time, so that a client that retries a few times outlasts the lease of a dead server.
      const ageSeconds = known ? (now - known.beganAt.getTime()) / 1000 : 0
      const wait = Math.min(2 * ageSeconds, leaseSeconds - ageSeconds)
      const retryAfterSeconds = Math.max(Math.ceil(wait), 1)
      throw new Fault(
        'idempotent-call-running',
        `The first request with this Idempotency-Key is still running. Retry in ${retryAfterSeconds} s`,
        { retryAfterSeconds },
      )
    }
    return { status: known.status!, body: Buffer.from(known.body) }
  }

  /** The write is done, so the client gets its response even if storing it fails. */
  private async record(write: () => Promise<void>): Promise<void> {
    await write().catch((error: unknown) =>
      this.context.log.warn(
        { err: error },
        'could not record the answer to a keyed call; a repetition runs it again',
      ),
    )
  }
}

/** Deletes up to `most` expired keys; returns how many. */
export const deleteOldKeys = (sql: Queryable, now: Date, most: number): Promise<number> =>
  deleteOldCalls(sql, new Date(now.getTime() - KEY_SECONDS * 1000), most)
