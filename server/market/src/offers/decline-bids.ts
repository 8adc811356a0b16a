import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import type { declineBids as declineOperation } from '@ordbook/contract/offers.ts'
import type { AnswerOf, BodyOf } from '@ordbook/contract/operation.ts'
import { forbidden, missing } from '@ordbook/db/process/errors.ts'
import type { Session } from '@ordbook/http/operations/operations.ts'
import { findInscription } from '@ordbook/indexer/inscriptions/queries.ts'
import { getOwnBinding } from '../auth/me.ts'
import type { Context } from '../context.ts'
import { deleteDecline, insertDecline } from '../settlements/bid-queries.ts'

export async function declineBids(
  context: Context,
  session: Session,
  inscriptionId: string,
  { walletBindingId, declined = true }: BodyOf<typeof declineOperation>,
): Promise<AnswerOf<typeof declineOperation>> {
  const { sql, clock } = context
  const binding = await getOwnBinding(context, session, walletBindingId)
  const inscription = await findInscription(sql, inscriptionId)
  if (!inscription) throw missing('inscription-unknown', `Inscription ${inscriptionId} is not indexed.`)
  const { ordinalsScript: ownerScript } = binding
  if (!inscription.ownerScript || !equalBytes(inscription.ownerScript, ownerScript))
    throw forbidden(
      'inscription-not-yours',
      `${inscriptionId} is not at the ordinals address of this binding.`,
    )
  if (declined) await insertDecline(sql, { inscriptionId, ownerScript, now: clock() })
  else await deleteDecline(sql, inscriptionId)
  return { inscriptionId, declined }
}
