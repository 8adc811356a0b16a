import { createHash, randomUUID } from 'node:crypto'
import { STATUS_OF_KIND } from '@ordbook/contract/errors/entry.ts'
import { ERRORS } from '@ordbook/contract/errors.ts'
import type { BaseContext } from '@ordbook/db/context.ts'
import type { Queryable } from '@ordbook/db/driver/connect.ts'
import { conflict, Fault, invalid } from '@ordbook/db/process/errors.ts'
import { bodyOf, faultOf } from './fault-handler.ts'
import { claimCall, deleteOldCalls, findCall, releaseCall, storeCall } from './idempotency-queries.ts'

/** A call under way for so much longer than a request may take belongs to a server that has died: a repetition runs it again. */
const LEASE_SECONDS = 10
/** The life of a key. */
const KEY_SECONDS = 24 * 3600
/** A longer answer is not kept: a repetition runs the call again. */
const MOST_BYTES = 256 * 1024

/** A finished answer. */
interface Finished {
  status: number
  body: Buffer
}

/** A write with the key of its client, and the parts in which a repetition has to be equal. */
interface KeyedCall {
  profileId: string
  key: string
  request: unknown
}

const sha256 = (text: string) => new Uint8Array(createHash('sha256').update(text).digest())

/** The `Idempotency-Key` of a request; null without one. Throws invalid. */
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
 * Runs each keyed write once and gives repetitions the same answer. Keys belong to a profile. A refusal that may pass by itself is not
 * kept. After a crash between the deed and its record a repetition runs the call again: the operations recognise their
 * own deeds by the handles. Keys and requests are stored as hashes. Answers are stored as they are: no write answers with a credential,
 * and the handles of preflights are in the database anyway.
 */
export class IdempotentCalls {
  private readonly context: Pick<BaseContext, 'config' | 'sql' | 'clock' | 'publicUrl' | 'log'>

  constructor(context: Pick<BaseContext, 'config' | 'sql' | 'clock' | 'publicUrl' | 'log'>) {
    this.context = context
  }

  /** The answer of a call, now or at the first time. Throws conflict, and what `work` throws. */
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
      body.length > MOST_BYTES ? releaseCall(sql, claim) : storeCall(sql, claim, { status: 200, body }),
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
      // Twice as long as the call has taken, so that a client that waits a few times outlasts the lease of a dead server.
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

  /** The deed is done and its client gets the answer, even where the record of it fails. */
  private async record(write: () => Promise<void>): Promise<void> {
    await write().catch((error: unknown) =>
      this.context.log.warn(
        { err: error },
        'could not record the answer to a keyed call; a repetition runs it again',
      ),
    )
  }
}

/** Deletes some keys of yesterday; gives how many. */
export const deleteOldKeys = (sql: Queryable, now: Date, most: number): Promise<number> =>
  deleteOldCalls(sql, new Date(now.getTime() - KEY_SECONDS * 1000), most)
