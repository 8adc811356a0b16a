import { first, limitOf, type Queryable, type Transaction } from '@ordbook/db/driver/connect.ts'

export interface BindingRow {
  walletBindingId: string
  profileId: string
  label: string
  provider: string
  ordinalsScript: Uint8Array
  paymentScript: Uint8Array
  /** Compressed. Null until a signature reveals the key. */
  paymentKey: Uint8Array | null
  isPublic: boolean
}

export function listBindingsOfScripts(sql: Queryable, ordinalsScript: Uint8Array, paymentScript: Uint8Array) {
  return sql<BindingRow[]>`
    select wallet_binding_id, profile_id, label, provider, ordinals_script, payment_script, payment_key, is_public
    from wallet_bindings
    where ordinals_script = ${ordinalsScript} or payment_script = ${paymentScript}`
}

/** Returns a profile's bindings, most recent sign-in first. */
export function listBindingsOfProfile(sql: Queryable, profileId: string): Promise<BindingRow[]> {
  return sql<BindingRow[]>`
    select wallet_binding_id, profile_id, label, provider, ordinals_script, payment_script, payment_key, is_public
    from wallet_bindings where profile_id = ${profileId} order by signed_in_at desc, wallet_binding_id`
}

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

/** Returns the profile id of an ordinals address. Creates and locks the profile, so that bindings are added one at a time. */
export async function lockProfile(tx: Transaction, ordinalsScript: Uint8Array): Promise<string> {
  await tx`
    insert into profiles (profile_id, ordinals_script) values (gen_random_uuid(), ${ordinalsScript})
    on conflict (ordinals_script) do nothing`
  const [row] = await tx<{ profileId: string }[]>`
    select profile_id from profiles where ordinals_script = ${ordinalsScript} for no key update`
  return row!.profileId
}

/** Locks the profile of a binding, so that its orders are counted and stored one at a time. */
export async function lockProfileOf(
  tx: Transaction,
  { profileId }: Pick<BindingRow, 'profileId'>,
): Promise<void> {
  await tx`select 1 from profiles where profile_id = ${profileId} for no key update`
}

type Pair = Pick<BindingRow, 'ordinalsScript' | 'paymentScript'>

/** Updates the sign-in time of a binding. Returns false for an unknown pair. */
export async function touchBinding(
  tx: Transaction,
  { ordinalsScript, paymentScript }: Pair,
): Promise<boolean> {
  const rows = await tx`
    update wallet_bindings set signed_in_at = clock_timestamp()
    where ordinals_script = ${ordinalsScript} and payment_script = ${paymentScript} returning 1`
  return rows.length === 1
}

export async function countPartners(tx: Transaction, { ordinalsScript, paymentScript }: Pair) {
  const [row] = await tx<{ ofOrdinals: number; ofPayment: number }[]>`
    select (select count(*) from wallet_bindings where ordinals_script = ${ordinalsScript}) as of_ordinals,
      (select count(*) from wallet_bindings where payment_script = ${paymentScript}) as of_payment`
  return row!
}

/** Adds a pair to a profile. Copies a known payment key. */
export async function insertBinding(tx: Transaction, row: Pair & { profileId: string }): Promise<void> {
  await tx`
    insert into wallet_bindings (wallet_binding_id, profile_id, label, provider, ordinals_script, payment_script, is_public,
      payment_key)
    values (gen_random_uuid(), ${row.profileId}, 'Wallet', 'unknown', ${row.ordinalsScript}, ${row.paymentScript}, false,
      (select payment_key from wallet_bindings where payment_script = ${row.paymentScript} and payment_key is not null limit 1))`
}

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

export type Surface = 'api' | 'web'

/** A started sign-in. The messages to sign are rebuilt from it. */
export interface AuthRequestRow {
  authRequestId: string
  surface: Surface
  ordinalsScript: Uint8Array
  paymentScript: Uint8Array
  ordinalsChallengeId: string
  /** Null if both addresses are equal. */
  paymentChallengeId: string | null
  host: string
  nonce: Uint8Array
  issuedAt: Date
  expiresAt: Date
  usedAt: Date | null
}

/** Maximum pending sign-ins. The oldest are deleted first. */
const MAX_REQUESTS = { ofClient: 200, ofAddress: 20 }
/** Maximum rows per table. The oldest are deleted first. */
const MAX_ROWS = 100_000

/** Stores a new sign-in. To stay below the limits, it deletes only the client's own sign-ins. */
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
 * Deletes sign-ins an hour after their expiry, and the oldest above `MAX_ROWS`. Until then a late verify returns `challenge-expired`.
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

/** Deletes expired sessions, and the oldest above `MAX_ROWS`. Returns the number of deleted rows. */
export async function deleteOldSessions(sql: Queryable, now: Date, most: number): Promise<number> {
  const rows = await sql`
    delete from sessions where token_sha256 in (
      (select token_sha256 from sessions where expires_at < ${now} limit ${limitOf(sql, most)})
      union (select token_sha256 from sessions order by issued_at desc offset ${MAX_ROWS} limit ${limitOf(sql, most)}))
    returning 1`
  return rows.length
}

/** Marks a sign-in as used. Returns false if it was used already. */
export async function useAuthRequest(sql: Queryable, authRequestId: string, now: Date): Promise<boolean> {
  const rows = await sql`
    update auth_requests set used_at = ${now} where auth_request_id = ${authRequestId} and used_at is null returning 1`
  return rows.length === 1
}

/** Maximum open sessions. The oldest end first. */
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

export async function touchSession(sql: Queryable, sessionId: string, now: Date): Promise<void> {
  await sql`update sessions set last_used_at = ${now} where session_id = ${sessionId} and last_used_at < ${now}`
}

/** Returns a profile's open sessions, last used first. Of two rows of a renewed session, returns the newer. */
export function listSessions(sql: Queryable, profileId: string, now: Date): Promise<SessionRow[]> {
  return sql<SessionRow[]>`
    select * from (
      select distinct on (session_id) session_id, surface, profile_id, client_hint, began_at, last_used_at, expires_at
      from sessions where profile_id = ${profileId} and expires_at > ${now} order by session_id, expires_at desc
    ) open order by last_used_at desc, session_id`
}

/**
 * Ends one session, or all if `sessionId` is null. Returns the number of ended sessions. A renewal that holds a row inserts one that the
 * delete does not see, so it repeats until there are none.
 */
export async function deleteSessions(
  sql: Queryable,
  profileId: string,
  sessionId: string | null,
): Promise<number> {
  const ended = new Set<string>()
  for (;;) {
    const rows = await sql<{ sessionId: string }[]>`
      delete from sessions where profile_id = ${profileId} and (${sessionId}::uuid is null or session_id = ${sessionId}::uuid)
      returning session_id`
    if (rows.length === 0) return ended.size
    for (const row of rows) ended.add(row.sessionId)
  }
}

/**
 * Replaces a token issued before `issuedBefore`, in a session that began after `beganAfter`. The old token stays valid for `graceSeconds`,
 * for concurrent requests. Returns false if no token matched.
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
