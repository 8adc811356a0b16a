import { useRead } from '@ordbook/web-ui/api/client.ts'
import { useSession } from '@ordbook/web-ui/session/session.tsx'
import { useIsPhone } from '@ordbook/web-ui/state/use-media.ts'
import { turn as turnWords } from '@ordbook/web-ui/strings/inbox/inbox.ts'
import { onDemand } from '@ordbook/web-ui/ui/on-demand.tsx'
import { TurnLine } from '../parts/turn-line.tsx'
import { BuyerActions } from './buyer-actions.tsx'
import { ItemTurn } from './item-turn.tsx'
import { PriceNow } from './price-now.tsx'
import { inscription as words } from './strings.ts'
import type { Inscription } from './traded.ts'
import { useIsUnderWay } from './use-is-under-way.ts'
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
  const isUnderWay = useIsUnderWay(inscription.inscriptionId)
  const isAnswering = useIsPhone() && (turn?.kind === 'offer' || turn?.kind === 'counter')
  if (!collection) return <p className="panel p-4 text-sm text-soft">{words.inNoCollection}</p>
  const isOwn = account != null && account.ordinalsAddress === (escrow?.owner ?? inscription.owner)
  const isPending = inscription.listing?.state === 'hidden_locked' || (!isOwn && isUnderWay)
  const props = {
    inscription,
    collection,
    royalty: { buyerBps: found.data?.buyerRoyaltyBps ?? 0, sellerBps: found.data?.sellerRoyaltyBps ?? 0 },
  }
  return (
    <section
      className={`grid gap-4 ${isOwn || isPending ? 'panel p-4' : 'sm:panel sm:p-4'}`}
      aria-label={words.theTrade}
    >
      {turn && <ItemTurn turn={turn} inscriptionId={inscription.inscriptionId} />}
      {isPending && (
        <>
          <TurnLine tone="nothing" note={turnWords.aboutTenMinutes}>
            {isOwn ? turnWords.pending : words.onItsWay}
          </TurnLine>
          <p className="text-small text-soft">{turnWords.pendingWhy}</p>
        </>
      )}
      {isOwn ? (
        <div className="grid gap-3">
          <PriceNow inscription={inscription} collection={collection} />
          <OwnerPanel {...props} turn={turn} />
        </div>
      ) : (
        // On a phone, the answers take the place of the buttons.
        !isAnswering && <BuyerActions {...props} isPending={isPending} />
      )}
    </section>
  )
}
