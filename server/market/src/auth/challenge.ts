import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { addressOfScript, kindOfScript, scriptOfAddress } from '@ordbook/bitcoin/address.ts'
import { bytesToHex, equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { BitcoinError } from '@ordbook/bitcoin/errors.ts'
import type { createAuthChallenge } from '@ordbook/contract/auth.ts'
import type { AnswerOf, BodyOf } from '@ordbook/contract/operation.ts'
import { signInMessage } from '@ordbook/contract/sign-in-message.ts'
import { inTransaction } from '@ordbook/db/driver/connect.ts'
import { conflict, forbidden, invalid } from '@ordbook/db/process/errors.ts'
import type { Config } from '@ordbook/db/settings/config.ts'
import type { Context } from '../context.ts'
import { type AuthRequestRow, insertAuthRequest, listBindingsOfScripts, type Surface } from './queries.ts'

const CHALLENGE_SECONDS = 600

/**
 * Starts a sign-in. Returns one challenge per address, or a single challenge if both are equal. The response does not reveal which
 * addresses belong together.
 */
export async function createChallenge(
  context: Context,
  input: BodyOf<typeof createAuthChallenge>,
  client: string,
  surface: Surface = 'api',
): Promise<AnswerOf<typeof createAuthChallenge>> {
  const { config, sql, clock, publicUrl } = context
  const ordinalsScript = scriptOfWallet(input.ordinalsAddress, 'ordinalsAddress', context)
  const paymentScript = scriptOfWallet(input.paymentAddress, 'paymentAddress', context)
  rejectBlocked(context, [ordinalsScript, paymentScript])
  const issuedAt = clock()
  const request = {
    authRequestId: randomUUID(),
    surface,
    ordinalsScript,
    paymentScript,
    ordinalsChallengeId: randomUUID(),
    paymentChallengeId: equalBytes(ordinalsScript, paymentScript) ? null : randomUUID(),
    host: new URL(publicUrl).host,
    nonce: new Uint8Array(randomBytes(16)),
    issuedAt,
    expiresAt: new Date(issuedAt.getTime() + CHALLENGE_SECONDS * 1000),
  }
  await inTransaction(sql, (tx) => insertAuthRequest(tx, request, hashClient(client)))
  return {
    authRequestId: request.authRequestId,
    challenges: challengesOf(request, config).map(({ challengeId, message, address, role }) => ({
      challengeId,
      message,
      address,
      role,
    })),
  }
}

export interface Challenge {
  challengeId: string
  role: 'ordinals' | 'payment'
  script: Uint8Array
  address: string
  message: string
}

export function challengesOf(
  request: Omit<AuthRequestRow, 'usedAt'>,
  { addressNetwork }: Pick<Config, 'addressNetwork'>,
): Challenge[] {
  const { ordinalsChallengeId, paymentChallengeId, ordinalsScript, paymentScript, issuedAt } = request
  const roles: [Challenge['role'], string | null, Uint8Array][] = [
    ['ordinals', ordinalsChallengeId, ordinalsScript],
    ['payment', paymentChallengeId, paymentScript],
  ]
  return roles.flatMap(([role, challengeId, script]) => {
    if (challengeId === null) return []
    const address = addressOfScript(script, addressNetwork)!
    const message = signInMessage({
      host: request.host,
      address,
      role,
      challengeId,
      nonce: bytesToHex(request.nonce),
      issuedAt,
      expiresAt: new Date(issuedAt.getTime() + CHALLENGE_SECONDS * 1000),
    })
    return [{ challengeId, role, script, address, message }]
  })
}

/** Returns a truncated SHA-256 of a client's rate-limit key. Clients are counted by this hash. */
export const hashClient = (client: string): Uint8Array =>
  new Uint8Array(createHash('sha256').update(client).digest().subarray(0, 8))

/** Returns the script of an address. Throws `invalid` for unsupported addresses. */
function scriptOfWallet(
  address: string,
  field: 'ordinalsAddress' | 'paymentAddress',
  { config }: Pick<Context, 'config'>,
): Uint8Array {
  let script: Uint8Array
  try {
    script = scriptOfAddress(address, config.addressNetwork)
  } catch (error) {
    if (error instanceof BitcoinError)
      throw invalid(
        'address-invalid',
        `${field} is not a Bitcoin address on this market's network (${config.addressNetwork}).`,
      )
    throw error
  }
  const kinds = field === 'paymentAddress' ? ['p2tr', 'p2wpkh', 'p2sh'] : ['p2tr', 'p2wpkh']
  if (!kinds.includes(kindOfScript(script)))
    throw invalid(
      'address-type-unsupported',
      field === 'paymentAddress'
        ? 'paymentAddress must be P2TR, P2WPKH or P2SH-P2WPKH.'
        : 'ordinalsAddress must be P2TR or P2WPKH.',
    )
  return script
}

/** Throws `forbidden` if a script is on the operator's block list. */
export function rejectBlocked({ config }: Pick<Context, 'config'>, scripts: readonly Uint8Array[]): void {
  if (scripts.some(isAmong(config.blockedAddresses, config)))
    throw forbidden('wallet-blocked', 'This wallet is blocked on this market.')
}

/** Throws `conflict` if the operator pinned one of the addresses to another partner. */
export async function rejectPinned(
  { sql, config }: Pick<Context, 'sql' | 'config'>,
  ordinalsScript: Uint8Array,
  paymentScript: Uint8Array,
): Promise<void> {
  const isPinned = isAmong(config.pinnedAddresses, config)
  const pinned = [ordinalsScript, paymentScript].filter(isPinned)
  if (pinned.length === 0) return
  const bindings = await listBindingsOfScripts(sql, ordinalsScript, paymentScript)
  for (const script of pinned) {
    const pairs = bindings.filter(
      (each) => equalBytes(each.ordinalsScript, script) || equalBytes(each.paymentScript, script),
    )
    const isRequestedPair = (each: (typeof pairs)[number]) =>
      equalBytes(each.ordinalsScript, ordinalsScript) && equalBytes(each.paymentScript, paymentScript)
    if (pairs.length > 0 && !pairs.some(isRequestedPair))
      throw conflict(
        'address-linked',
        'One of these addresses is linked to another partner address. Sign in with that pair.',
      )
  }
}

/** Returns the scripts of the operator's block list. */
export const blockedScripts = ({ blockedAddresses, addressNetwork }: Config): Uint8Array[] =>
  blockedAddresses.map((address) => scriptOfAddress(address, addressNetwork))

function isAmong(addresses: readonly string[], { addressNetwork }: Pick<Config, 'addressNetwork'>) {
  const listed = new Set(addresses.map((address) => bytesToHex(scriptOfAddress(address, addressNetwork))))
  return (script: Uint8Array) => listed.has(bytesToHex(script))
}
