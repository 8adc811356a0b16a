import { first, limitOf, type Queryable, type Transaction } from '@ordbook/db/driver/connect.ts'

export interface BindingRow {
  walletBindingId: string
  profileId: string
  label: string
  provider: string
  ordinalsScript: Uint8Array
  paymentScript: Uint8Array
  /** Compressed; null for taproot, and until the first sign-in that gave it. */
  paymentKey: Uint8Array | null
  isPublic: boolean
}

/** Bindings that hold either script. */
export function listBindingsOfScripts(sql: Queryable, ordinalsScript: Uint8Array, paymentScript: Uint8Array) {
  return sql<BindingRow[]>`
    select wallet_binding_id, profile_id, label, provider, ordinals_script, payment_script, payment_key, is_public
    from wallet_bindings
    where ordinals_script = ${ordinalsScript} or payment_script = ${paymentScript}`
}

/** The bindings of a profile, the one that signed in last first. */
export function listBindingsOfProfile(sql: Queryable, profileId: string): Promise<BindingRow[]> {
  return sql<BindingRow[]>`
    select wallet_binding_id, profile_id, label, provider, ordinals_script, payment_script, payment_key, is_public
    from wallet_bindings where profile_id = ${profileId} order by signed_in_at desc, wallet_binding_id`
}

/** The binding with which the owner of an ordinals address signed in last. */
export function findBindingOfOwner(sql: Queryable, ordinalsScript: Uint8Array) {
  return first(sql<BindingRow[]>`
    select wallet_binding_id, profile_id, label, provider, ordinals_script, payment_script, payment_key, is_public
    from wallet_bindings where ordinals_script = ${ordinalsScript} order by signed_in_at desc, wallet_binding_id limit 1`)
}

export function findBinding(sql: Queryable, walletBindingId: string) {
  return first(sql<BindingRow[]>`
    select wallet_binding_id, profile_id, label, provider, ordinals_script, payment_script, payment_key, is_public
    from wallet_bindings where wallet_binding_id = ${walletBindingId}`)
}

/** Returns the profile of an ordinals address, created if necessary, and locked so that its bindings are added one at a time. */
export async function lockProfile(tx: Transaction, ordinalsScript: Uint8Array): Promise<string> {
  await tx`
    insert into profiles (profile_id, ordinals_script) values (gen_random_uuid(), ${ordinalsScript})
    on conflict (ordinals_script) do nothing`
  const [row] = await tx<{ profileId: string }[]>`
    select profile_id from profiles where ordinals_script = ${ordinalsScript} for no key update`
  return row!.profileId
}

type Pair = Pick<BindingRow, 'ordinalsScript' | 'paymentScript'>

/** Records a sign-in with a known pair; returns false for a new pair. */
export async function touchBinding(
  tx: Transaction,
  { ordinalsScript, paymentScript }: Pair,
): Promise<boolean> {
  const rows = await tx`
    update wallet_bindings set signed_in_at = clock_timestamp()
    where ordinals_script = ${ordinalsScript} and payment_script = ${paymentScript} returning 1`
  return rows.length === 1
}

/** Counts the partner addresses of each address of a pair, over all bindings. */
export async function countPartners(tx: Transaction, { ordinalsScript, paymentScript }: Pair) {
  const [row] = await tx<{ ofOrdinals: number; ofPayment: number }[]>`
    select (select count(*) from wallet_bindings where ordinals_script = ${ordinalsScript}) as of_ordinals,
      (select count(*) from wallet_bindings where payment_script = ${paymentScript}) as of_payment`
  return row!
}

/** Adds a pair to the profile of its ordinals address, with the payment key that another binding of the address has shown. */
export async function insertBinding(tx: Transaction, row: Pair & { profileId: string }): Promise<void> {
  await tx`
    insert into wallet_bindings (wallet_binding_id, profile_id, label, provider, ordinals_script, payment_script, is_public,
      payment_key)
    values (gen_random_uuid(), ${row.profileId}, 'Wallet', 'unknown', ${row.ordinalsScript}, ${row.paymentScript}, false,
      (select payment_key from wallet_bindings where payment_script = ${row.paymentScript} and payment_key is not null limit 1))`
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

export function findProfile(sql: Queryable, profileId: string) {
  return first(sql<ProfileRow[]>`
    select profile_id, username, bio, avatar_url, banner_url from profiles where profile_id = ${profileId}`)
}

/** The public API, or the storefront's own. */
export type Surface = 'api' | 'web'

/** A sign-in under way. The text that each address signs is printed from it. */
export interface AuthRequestRow {
  authRequestId: string
  surface: Surface
  ordinalsScript: Uint8Array
  paymentScript: Uint8Array
  ordinalsChallengeId: string
  /** Null if both addresses are the same. */
  paymentChallengeId: string | null
  host: string
  nonce: Uint8Array
  issuedAt: Date
  expiresAt: Date
  usedAt: Date | null
}

/** Maximum number of pending sign-ins of a client, in total and per ordinals address. The oldest above it are deleted. */
const MAX_REQUESTS = { ofClient: 200, ofAddress: 20 }
/** Maximum number of pending sign-ins, and of sessions, in total. The oldest above it are deleted. */
const MAX_ROWS = 100_000

/** Stores a new sign-in. Only sign-ins of the same client are deleted to make room. */
export async function insertAuthRequest(
  tx: Transaction,
  row: Omit<AuthRequestRow, 'usedAt'>,
  client: Uint8Array,
): Promise<void> {
  await tx`
    delete from auth_requests where auth_request_id in (
      (select auth_request_id from auth_requests where client = ${client}
        order by expires_at desc offset ${MAX_REQUESTS.ofClient - 1})
      union all
      (select auth_request_id from auth_requests where client = ${client} and ordinals_script = ${row.ordinalsScript}
        order by expires_at desc offset ${MAX_REQUESTS.ofAddress - 1}))`
  await tx`
    insert into auth_requests (auth_request_id, surface, ordinals_script, payment_script, ordinals_challenge_id,
      payment_challenge_id, host, nonce, issued_at, expires_at, client)
    values (${row.authRequestId}, ${row.surface}, ${row.ordinalsScript}, ${row.paymentScript},
      ${row.ordinalsChallengeId}, ${row.paymentChallengeId}, ${row.host}, ${row.nonce}, ${row.issuedAt},
      ${row.expiresAt}, ${client})`
}

export function findAuthRequest(sql: Queryable, authRequestId: string) {
  return first(sql<AuthRequestRow[]>`
    select auth_request_id, surface, ordinals_script, payment_script, ordinals_challenge_id, payment_challenge_id, host,
      nonce, issued_at, expires_at, used_at
    from auth_requests where auth_request_id = ${authRequestId}`)
}

/**
 * Deletes sign-ins that expired more than an hour ago (until then a late verify gets a specific error), and the oldest above the limit.
 * Returns the number of deleted rows.
 */
export async function deleteOldSignIns(sql: Queryable, now: Date, most: number): Promise<number> {
  const rows = await sql`
    delete from auth_requests where auth_request_id in (
      (select auth_request_id from auth_requests where expires_at < ${now}::timestamptz - interval '1 hour' limit ${limitOf(sql, most)})
      union (select auth_request_id from auth_requests order by expires_at desc offset ${MAX_ROWS} limit ${limitOf(sql, most)}))
    returning 1`
  return rows.length
}

/** Deletes ended sessions, and the oldest above the limit. Returns how many. */
export async function deleteOldSessions(sql: Queryable, now: Date, most: number): Promise<number> {
  const rows = await sql`
    delete from sessions where token_sha256 in (
      (select token_sha256 from sessions where expires_at < ${now} limit ${limitOf(sql, most)})
      union (select token_sha256 from sessions order by issued_at desc offset ${MAX_ROWS} limit ${limitOf(sql, most)}))
    returning 1`
  return rows.length
}

/** Marks a sign-in as used; false when another request was faster. */
export async function useAuthRequest(sql: Queryable, authRequestId: string, now: Date): Promise<boolean> {
  const rows = await sql`
    update auth_requests set used_at = ${now} where auth_request_id = ${authRequestId} and used_at is null returning 1`
  return rows.length === 1
}

/** Most open sessions of a profile on a surface, and of one client; beyond that the oldest end. */
const MAX_SESSIONS = { ofProfile: 50, ofClient: 1000 }

export interface SessionRow {
  sessionId: string
  surface: Surface
  profileId: string
  clientHint: string | null
  beganAt: Date
  lastUsedAt: Date
  expiresAt: Date
}

/** Keeps a session of a client, whose hash this is. */
export async function insertSession(
  tx: Transaction,
  row: {
    tokenSha256: Uint8Array
    surface: Surface
    profileId: string
    client: Uint8Array
    clientHint: string | null
    expiresAt: Date
  },
  now: Date,
): Promise<void> {
  await tx`
    delete from sessions where token_sha256 in (
      (select token_sha256 from sessions where profile_id = ${row.profileId} and surface = ${row.surface}
        order by issued_at desc offset ${MAX_SESSIONS.ofProfile - 1})
      union all
      (select token_sha256 from sessions where client = ${row.client}
        order by issued_at desc offset ${MAX_SESSIONS.ofClient - 1}))`
  await tx`
    insert into sessions (token_sha256, surface, profile_id, client, client_hint, began_at, issued_at, last_used_at, expires_at)
    values (${row.tokenSha256}, ${row.surface}, ${row.profileId}, ${row.client}, ${row.clientHint}, ${now}, ${now}, ${now},
      ${row.expiresAt})`
}

export function findSession(sql: Queryable, surface: Surface, tokenSha256: Uint8Array) {
  return first(sql<SessionRow[]>`
    select session_id, surface, profile_id, client_hint, began_at, last_used_at, expires_at
    from sessions where token_sha256 = ${tokenSha256} and surface = ${surface}`)
}

/** Records the use of a session. */
export async function touchSession(sql: Queryable, sessionId: string, now: Date): Promise<void> {
  await sql`update sessions set last_used_at = ${now} where session_id = ${sessionId} and last_used_at < ${now}`
}

/** The open sessions of a profile, the last used first; of one whose token was just renewed, the newest row. */
export function listSessions(sql: Queryable, profileId: string, now: Date): Promise<SessionRow[]> {
  return sql<SessionRow[]>`
    select * from (
      select distinct on (session_id) session_id, surface, profile_id, client_hint, began_at, last_used_at, expires_at
      from sessions where profile_id = ${profileId} and expires_at > ${now} order by session_id, expires_at desc
    ) open order by last_used_at desc, session_id`
}

/** Ends the session with an id, or all sessions of a profile. Returns the number of sessions ended. */
export async function deleteSessions(
  sql: Queryable,
  profileId: string,
  sessionId: string | null,
): Promise<number> {
  const rows = await sql<{ sessionId: string }[]>`
    delete from sessions where profile_id = ${profileId} and (${sessionId}::uuid is null or session_id = ${sessionId}::uuid)
    returning session_id`
  return new Set(rows.map((row) => row.sessionId)).size
}

/**
 * Replaces a token that was issued before `issuedBefore`, in a session that began after `beganAfter`. The old token stays valid for
 * `graceSeconds`, for concurrent requests. Returns false if no such token was replaced.
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
    insert into sessions (token_sha256, session_id, surface, profile_id, client, client_hint, expires_at, began_at, issued_at, last_used_at)
    select ${session.newSha256}, session_id, surface, profile_id, client, client_hint, ${session.expiresAt}, began_at,
      ${session.now}, ${session.now} from old returning 1`
  return rows.length === 1
}
