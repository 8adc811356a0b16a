import type { Queryable, Transaction } from '../db/connect.ts'

export interface BindingRow {
  walletBindingId: string
  profileId: string
  label: string
  provider: string
  ordinalsScript: Uint8Array
  paymentScript: Uint8Array
  /** Compressed; null for taproot, and before its first sign-in since we keep it. */
  paymentKey: Uint8Array | null
  isPublic: boolean
}

/** Bindings that hold either script (unique indexes on both). */
export function listBindingsOfScripts(
  sql: Queryable,
  ordinalsScript: Uint8Array,
  paymentScript: Uint8Array,
): Promise<BindingRow[]> {
  return sql<BindingRow[]>`
    select wallet_binding_id, profile_id, label, provider, ordinals_script, payment_script, payment_key, is_public
    from wallet_bindings
    where ordinals_script = ${ordinalsScript} or payment_script = ${paymentScript}`
}

export function listBindingsOfProfile(sql: Queryable, profileId: string): Promise<BindingRow[]> {
  return sql<BindingRow[]>`
    select wallet_binding_id, profile_id, label, provider, ordinals_script, payment_script, payment_key, is_public
    from wallet_bindings where profile_id = ${profileId} order by created_at, wallet_binding_id`
}

export async function findBinding(sql: Queryable, walletBindingId: string): Promise<BindingRow | null> {
  const [row] = await sql<BindingRow[]>`
    select wallet_binding_id, profile_id, label, provider, ordinals_script, payment_script, payment_key, is_public
    from wallet_bindings where wallet_binding_id = ${walletBindingId}`
  return row ?? null
}

export async function insertBinding(
  tx: Transaction,
  row: { walletBindingId: string; profileId: string; ordinalsScript: Uint8Array; paymentScript: Uint8Array },
): Promise<void> {
  await tx`insert into profiles (profile_id) values (${row.profileId})`
  await tx`
    insert into wallet_bindings (wallet_binding_id, profile_id, label, provider, ordinals_script, payment_script, is_public)
    values (${row.walletBindingId}, ${row.profileId}, 'Wallet', 'unknown', ${row.ordinalsScript},
      ${row.paymentScript}, false)`
}

/** Keeps the key of a payment address, as its owner showed it. */
export async function setPaymentKey(
  sql: Queryable,
  paymentScript: Uint8Array,
  paymentKey: Uint8Array,
): Promise<void> {
  await sql`
    update wallet_bindings set payment_key = ${paymentKey}
    where payment_script = ${paymentScript} and payment_key is distinct from ${paymentKey}`
}

export interface ProfileRow {
  profileId: string
  username: string | null
  bio: string | null
  avatarUrl: string | null
  bannerUrl: string | null
}

export async function findProfile(sql: Queryable, profileId: string): Promise<ProfileRow | null> {
  const [row] = await sql<ProfileRow[]>`
    select profile_id, username, bio, avatar_url, banner_url from profiles where profile_id = ${profileId}`
  return row ?? null
}

/** The public API, or the storefront's own. */
export type Surface = 'api' | 'web'

export interface AuthRequestRow {
  authRequestId: string
  surface: Surface
  ordinalsScript: Uint8Array
  paymentScript: Uint8Array
  expiresAt: Date
  usedAt: Date | null
}

export interface ChallengeRow {
  challengeId: string
  role: 'ordinals' | 'payment'
  script: Uint8Array
  message: string
}

export async function insertAuthRequest(
  tx: Transaction,
  request: Omit<AuthRequestRow, 'usedAt'>,
  challenges: readonly ChallengeRow[],
): Promise<void> {
  // Old flows are of no use to anybody; a day is kept so that a late verify hears 410 and not 404.
  await tx`delete from auth_requests where expires_at < ${request.expiresAt}::timestamptz - interval '1 day'`
  await tx`
    insert into auth_requests (auth_request_id, surface, ordinals_script, payment_script, expires_at)
    values (${request.authRequestId}, ${request.surface}, ${request.ordinalsScript}, ${request.paymentScript},
      ${request.expiresAt})`
  for (const each of challenges)
    await tx`
      insert into auth_challenges (challenge_id, auth_request_id, role, script, message)
      values (${each.challengeId}, ${request.authRequestId}, ${each.role}, ${each.script}, ${each.message})`
}

export async function findAuthRequest(sql: Queryable, authRequestId: string): Promise<AuthRequestRow | null> {
  const [row] = await sql<AuthRequestRow[]>`
    select auth_request_id, surface, ordinals_script, payment_script, expires_at, used_at
    from auth_requests where auth_request_id = ${authRequestId}`
  return row ?? null
}

export function listChallenges(sql: Queryable, authRequestId: string): Promise<ChallengeRow[]> {
  return sql<ChallengeRow[]>`
    select challenge_id, role, script, message from auth_challenges
    where auth_request_id = ${authRequestId} order by role`
}

/** Uses a flow up; false when someone was faster. */
export async function useAuthRequest(sql: Queryable, authRequestId: string, now: Date): Promise<boolean> {
  const rows = await sql`
    update auth_requests set used_at = ${now} where auth_request_id = ${authRequestId} and used_at is null returning 1`
  return rows.length === 1
}

export async function insertSession(
  sql: Queryable,
  row: { tokenSha256: Uint8Array; surface: Surface; profileId: string; expiresAt: Date },
  now: Date,
): Promise<void> {
  await sql`delete from sessions where expires_at < ${now}`
  await sql`
    insert into sessions (token_sha256, surface, profile_id, expires_at)
    values (${row.tokenSha256}, ${row.surface}, ${row.profileId}, ${row.expiresAt})`
}

export async function findSession(
  sql: Queryable,
  surface: Surface,
  tokenSha256: Uint8Array,
): Promise<{ profileId: string; expiresAt: Date } | null> {
  const [row] = await sql<{ profileId: string; expiresAt: Date }[]>`
    select profile_id, expires_at from sessions where token_sha256 = ${tokenSha256} and surface = ${surface}`
  return row ?? null
}

/**
 * Puts another token in place of one that was issued before `issuedBefore`, in a session that began after `beganAfter`; the
 * old one lasts `graceSeconds` more, for requests that are on their way. False where there is nothing to renew.
 */
export async function renewSession(
  sql: Queryable,
  session: {
    oldSha256: Uint8Array
    newSha256: Uint8Array
    issuedBefore: Date
    beganAfter: Date
    expiresAt: Date
    graceSeconds: number
    now: Date
  },
): Promise<boolean> {
  const rows = await sql`
    with old as (
      update sessions set expires_at = least(expires_at, ${session.now}::timestamptz + make_interval(secs => ${session.graceSeconds})),
        issued_at = ${session.now}
      where token_sha256 = ${session.oldSha256} and issued_at < ${session.issuedBefore} and began_at > ${session.beganAfter}
      returning *
    )
    insert into sessions (token_sha256, surface, profile_id, expires_at, began_at, issued_at)
    select ${session.newSha256}, surface, profile_id, ${session.expiresAt}, began_at, ${session.now} from old returning 1`
  return rows.length === 1
}

export async function deleteSession(sql: Queryable, tokenSha256: Uint8Array): Promise<void> {
  await sql`delete from sessions where token_sha256 = ${tokenSha256}`
}
