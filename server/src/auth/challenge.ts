import { randomBytes, randomUUID } from 'node:crypto'
import { addressOfScript, kindOfScript, scriptOfAddress } from '@ordbook/bitcoin/address.ts'
import { bytesToHex, equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { BitcoinError } from '@ordbook/bitcoin/errors.ts'
import type { createAuthChallenge } from '@ordbook/contract/auth.ts'
import type { AnswerOf, BodyOf } from '@ordbook/contract/operation.ts'
import type { Context } from '../context.ts'
import { inTransaction } from '../db/connect.ts'
import { conflict, forbidden, invalid } from '../errors.ts'
import { type ChallengeRow, insertAuthRequest, listBindingsOfScripts, type Surface } from './queries.ts'

/** How long a challenge can be answered. */
export const CHALLENGE_SECONDS = 600

/** Starts a sign-in: one challenge an address, or one for both roles when the addresses are the same. */
export async function createChallenge(
  context: Context,
  input: BodyOf<typeof createAuthChallenge>,
  surface: Surface = 'api',
): Promise<AnswerOf<typeof createAuthChallenge>> {
  const { config, sql, clock, publicUrl } = context
  const ordinalsScript = scriptOfWallet(input.ordinalsAddress, 'ordinalsAddress', context)
  const paymentScript = scriptOfWallet(input.paymentAddress, 'paymentAddress', context)
  refuseBlocked(context, [ordinalsScript, paymentScript])
  await refuseLinkedElsewhere(context, ordinalsScript, paymentScript)

  const issuedAt = clock()
  const expiresAt = new Date(issuedAt.getTime() + CHALLENGE_SECONDS * 1000)
  const authRequestId = randomUUID()
  const roles: [ChallengeRow['role'], Uint8Array][] = [['ordinals', ordinalsScript]]
  if (!equalBytes(ordinalsScript, paymentScript)) roles.push(['payment', paymentScript])
  const challenges = roles.map(([role, script]): ChallengeRow & { address: string } => {
    const challengeId = randomUUID()
    const address = addressOfScript(script, config.addressNetwork)!
    const message = [
      `${new URL(publicUrl).host} wants you to sign in with your Bitcoin wallet.`,
      '',
      `Address: ${address}`,
      `Role: ${role}`,
      `Challenge: ${challengeId}`,
      `Nonce: ${randomBytes(16).toString('hex')}`,
      `Issued at: ${issuedAt.toISOString()}`,
      `Expires at: ${expiresAt.toISOString()}`,
    ].join('\n')
    return { challengeId, role, script, message, address }
  })

  await inTransaction(sql, (tx) =>
    insertAuthRequest(tx, { authRequestId, surface, ordinalsScript, paymentScript, expiresAt }, challenges),
  )

  return {
    authRequestId,
    challenges: challenges.map(({ challengeId, message, address, role }) => ({
      challengeId,
      message,
      address,
      role,
    })),
  }
}

/** The script of an address that can sign in. Throws invalid. */
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
      throw invalid(`${field} is not a Bitcoin address of this market's network (${config.addressNetwork})`)
    throw error
  }
  const kinds = field === 'paymentAddress' ? ['p2tr', 'p2wpkh', 'p2sh'] : ['p2tr', 'p2wpkh']
  if (!kinds.includes(kindOfScript(script)))
    throw invalid(
      field === 'paymentAddress'
        ? 'paymentAddress must be P2TR, P2WPKH or P2SH-P2WPKH'
        : 'ordinalsAddress must be P2TR or P2WPKH',
    )
  return script
}

/** Throws forbidden when any script is on the operator's block list. */
export function refuseBlocked({ config }: Pick<Context, 'config'>, scripts: readonly Uint8Array[]): void {
  if (config.blockedAddresses.length === 0) return
  const blocked = new Set(
    config.blockedAddresses.map((address) => bytesToHex(scriptOfAddress(address, config.addressNetwork))),
  )
  if (scripts.some((script) => blocked.has(bytesToHex(script))))
    throw forbidden('This wallet may not use this market')
}

/** Throws conflict when one address of the pair already belongs to another pair. */
export async function refuseLinkedElsewhere(
  { sql }: Pick<Context, 'sql'>,
  ordinalsScript: Uint8Array,
  paymentScript: Uint8Array,
): Promise<void> {
  for (const row of await listBindingsOfScripts(sql, ordinalsScript, paymentScript))
    if (!equalBytes(row.ordinalsScript, ordinalsScript) || !equalBytes(row.paymentScript, paymentScript))
      throw conflict(
        'One of these addresses is already linked with another partner address: sign in with that pair',
      )
}
