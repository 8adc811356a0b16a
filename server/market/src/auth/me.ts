import { addressOfScript } from '@ordbook/bitcoin/address.ts'
import type { getMe } from '@ordbook/contract/auth.ts'
import type { AnswerOf } from '@ordbook/contract/operation.ts'
import { forbidden } from '@ordbook/db/process/errors.ts'
import type { Context } from '../context.ts'
import { rejectBlocked } from './challenge.ts'
import { type BindingRow, findBinding, findProfile, listBindingsOfProfile } from './queries.ts'

/** Returns a profile and its wallets. */
export async function describeProfile(
  { reads, config }: Pick<Context, 'reads' | 'config'>,
  profileId: string,
): Promise<AnswerOf<typeof getMe>> {
  const profile = await findProfile(reads, profileId)
  if (!profile) throw forbidden('profile-gone', "This session's profile no longer exists. Sign in again.")
  const bindings = await listBindingsOfProfile(reads, profileId)
  return {
    profile: {
      id: profile.profileId,
      username: profile.username,
      bio: profile.bio,
      avatarUrl: profile.avatarUrl,
      bannerUrl: profile.bannerUrl,
    },
    walletBindings: bindings.map((binding) => ({
      walletBindingId: binding.walletBindingId,
      label: binding.label,
      provider: binding.provider,
      ordinalsAddress: addressOfScript(binding.ordinalsScript, config.addressNetwork)!,
      paymentAddress: addressOfScript(binding.paymentScript, config.addressNetwork)!,
      isPublic: binding.isPublic,
    })),
  }
}

/** Returns a wallet binding of the caller. Throws `forbidden` for a foreign or blocked binding. */
export async function getOwnBinding(
  context: Pick<Context, 'sql' | 'config'>,
  session: { profileId: string },
  walletBindingId: string,
): Promise<BindingRow> {
  const binding = await findBinding(context.sql, walletBindingId)
  if (!binding || binding.profileId !== session.profileId)
    throw forbidden('binding-unknown', 'walletBindingId is not one of your bindings. See GET /me.')
  rejectBlocked(context, [binding.ordinalsScript, binding.paymentScript])
  return binding
}
