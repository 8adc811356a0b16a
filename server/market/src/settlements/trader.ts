import type { Session } from '@ordbook/http/operations/operations.ts'
import { getOwnBinding } from '../auth/me.ts'
import type { BindingRow } from '../auth/queries.ts'
import { getTradedCollection } from '../collections/inscriptions.ts'
import type { CollectionRow } from '../collections/queries.ts'
import type { Context } from '../context.ts'

interface TradingCall {
  session: Session
  params: { slug: string }
  body: { walletBindingId: string }
}

/** Returns the collection and the caller's binding. */
export async function getTrader(
  context: Context,
  { session, params, body }: TradingCall,
): Promise<{ collection: CollectionRow; binding: BindingRow }> {
  const collection = await getTradedCollection(context, params.slug)
  return { collection, binding: await getOwnBinding(context, session, body.walletBindingId) }
}
