import { first, limitOf, type Queryable } from '@ordbook/db/driver/connect.ts'

/** Limits per profile. The oldest calls are deleted first. */
const MAX_PER_PROFILE = { calls: 200, bytes: 2_000_000 }
/** Limits for all profiles. */
const MAX_TOTAL = { calls: 100_000, bytes: 1_000_000_000 }

interface Key {
  profileId: string
  keySha256: Uint8Array
}
interface Claim extends Key {
  requestSha256: Uint8Array
  claimId: string
}

/**
 * Claims a key if it is new or expired, or if the server that ran the same request has died. Returns false if
 * the key is in use.
 */
export async function claimCall(
  sql: Queryable,
  claim: Claim,
  at: { now: Date; leasedBefore: Date; keptAfter: Date },
): Promise<boolean> {
  const rows = await sql`
    insert into idempotency_keys as known (profile_id, key_sha256, request_sha256, claim_id, began_at)
    values (${claim.profileId}, ${claim.keySha256}, ${claim.requestSha256}, ${claim.claimId}, ${at.now})
    on conflict (profile_id, key_sha256) do update set request_sha256 = excluded.request_sha256,
      claim_id = excluded.claim_id, began_at = excluded.began_at, status = null, body = null
    where known.began_at < ${at.keptAfter}
      or (known.body is null and known.began_at < ${at.leasedBefore} and known.request_sha256 = excluded.request_sha256)
    returning 1`
  return rows.length === 1
}

export function findCall(sql: Queryable, { profileId, keySha256 }: Key) {
  return first(sql<
    { requestSha256: Uint8Array; beganAt: Date; status: number | null; body: Uint8Array | null }[]
  >`
    select request_sha256, began_at, status, body from idempotency_keys
    where profile_id = ${profileId} and key_sha256 = ${keySha256}`)
}

/**
 * Stores a response, unless another server has taken over the call. Deletes the profile's oldest calls above
 * the limits.
 */
export async function storeCall(
  sql: Queryable,
  { profileId, keySha256, claimId }: Claim,
  { status, body }: { status: number; body: Uint8Array },
): Promise<void> {
  await sql`
    update idempotency_keys set status = ${status}, body = ${body}
    where profile_id = ${profileId} and key_sha256 = ${keySha256} and claim_id = ${claimId}`
  await sql`
    delete from idempotency_keys where profile_id = ${profileId} and key_sha256 in (
      select key_sha256 from (
        select key_sha256, row_number() over newest as calls, sum(octet_length(body)) over newest as bytes
        from idempotency_keys where profile_id = ${profileId}
        window newest as (order by began_at desc, key_sha256)) kept
      where calls > ${MAX_PER_PROFILE.calls} or bytes > ${MAX_PER_PROFILE.bytes})`
}

export async function releaseCall(sql: Queryable, { profileId, keySha256, claimId }: Claim): Promise<void> {
  await sql`
    delete from idempotency_keys
    where profile_id = ${profileId} and key_sha256 = ${keySha256} and claim_id = ${claimId}`
}

/**
 * Deletes up to `rows` expired calls, and up to `rows` calls above the limits. Returns the number of deleted
 * calls.
 */
export async function deleteOldCalls(
  sql: Queryable,
  keptAfter: Date,
  rows: number,
  most = MAX_TOTAL,
): Promise<number> {
  const deleted = await sql`
    delete from idempotency_keys where (profile_id, key_sha256) in (
      (select profile_id, key_sha256 from idempotency_keys where began_at < ${keptAfter} limit ${limitOf(sql, rows)})
      union (
        select profile_id, key_sha256 from (
          select profile_id, key_sha256, row_number() over newest as calls,
            sum(octet_length(body)) over newest as bytes
          from idempotency_keys
          window newest as (order by began_at desc, profile_id, key_sha256)) kept
        where calls > ${most.calls} or bytes > ${most.bytes} limit ${limitOf(sql, rows)}))
    returning 1`
  return deleted.length
}
