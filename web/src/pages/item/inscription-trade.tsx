import { useRead } from '@ordbook/web-ui/api/client.ts'
import { useSession } from '@ordbook/web-ui/session/session.tsx'
import { turn as turnWords } from '@ordbook/web-ui/strings/inbox.ts'
import { onDemand } from '@ordbook/web-ui/ui/on-demand.tsx'
import { TurnLine } from '../parts/turn-line.tsx'
import { BuyerActions } from './buyer-actions.tsx'
import { ItemTurn } from './item-turn.tsx'
import { PriceNow } from './price-now.tsx'
import { inscription as words } from './strings.ts'
import type { Inscription } from './traded.ts'
import { useItemTurn } from './use-item-turn.ts'

const OwnerPanel = onDemand(() => import('./owner-actions.tsx').then((part) => part.OwnerPanel))

export function InscriptionTrade({ inscription }: { inscription: Inscription }) {
  const { account } = useSession()
  const { escrow } = inscription
  const [collection] = inscription.collections
  const found = useRead(
    'getCollection',
    { params: { slug: collection?.slug ?? '' } },
    { enabled: collection !== undefined },
  )
  const turn = useItemTurn(inscription.inscriptionId)
  if (!collection) return <p className="panel p-4 text-sm text-soft">{words.inNoCollection}</p>
  const isOwn = account != null && account.ordinalsAddress === (escrow?.owner ?? inscription.owner)
  const props = {
    inscription,
    collection,
    royalty: { buyerBps: found.data?.buyerRoyaltyBps ?? 0, sellerBps: found.data?.sellerRoyaltyBps ?? 0 },
  }
  return (
    <section className={`grid gap-4 ${isOwn ? 'panel p-4' : 'sm:panel sm:p-4'}`} aria-label={words.theTrade}>
      {turn && <ItemTurn turn={turn} inscriptionId={inscription.inscriptionId} />}
      {isOwn && inscription.listing?.state === 'hidden_locked' && (
        <TurnLine tone="nothing" note={turnWords.aboutTenMinutes}>
          {turnWords.pending}
        </TurnLine>
      )}
      {isOwn ? (
        <div className="grid gap-3">
          <PriceNow inscription={inscription} collection={collection} />
          <OwnerPanel {...props} />
        </div>
      ) : (
        <BuyerActions {...props} />
      )}
    </section>
  )
}
