import { useRead } from '../client.ts'
import { useSession } from '../session.tsx'
import { Price, Time } from '../ui/basics.tsx'
import { BuyerActions } from './buyer-actions.tsx'
import { EscrowActions } from './escrow-actions.tsx'
import { OwnerActions } from './owner-actions.tsx'
import type { Inscription } from './traded.ts'

/** The price of an inscription, and the actions of its owner or of a buyer. */
export function InscriptionTrade({ inscription }: { inscription: Inscription }) {
  const { account } = useSession()
  const { listing, escrow } = inscription
  const [collection] = inscription.collections
  const found = useRead(
    'getCollection',
    { params: { slug: collection?.slug ?? '' } },
    { enabled: collection !== undefined },
  )
  if (!collection)
    return (
      <p className="panel p-4 text-sm text-soft">
        It is in no collection of this market, so it is not traded here.
      </p>
    )
  const isOwn = account != null && account.ordinalsAddress === (escrow?.owner ?? inscription.owner)
  const props = {
    inscription,
    collection,
    royalty: { buyerBps: found.data?.buyerRoyaltyBps ?? 0, sellerBps: found.data?.sellerRoyaltyBps ?? 0 },
  }
  return (
    <section className={`grid gap-4 ${isOwn ? 'panel p-4' : 'sm:panel sm:p-4'}`} aria-label="Trade">
      <div data-trade-bar={isOwn ? undefined : true} className={`grid gap-3 ${isOwn ? '' : PHONE_BAR}`}>
        {listing ? (
          <ListedFor listing={listing} />
        ) : (
          <p className="text-soft">
            Not listed.{' '}
            {collection.floorSats !== null && (
              <>
                The floor of {collection.name} is <Price sats={collection.floorSats} />.
              </>
            )}
          </p>
        )}
        {isOwn ? <OwnerActions {...props} /> : <BuyerActions {...props} />}
      </div>
      {isOwn && escrow && (
        <EscrowActions inscriptionId={inscription.inscriptionId} form={escrow.escrowForm} />
      )}
    </section>
  )
}

/** On a phone the price and its actions stay in the thumb's reach. */
const PHONE_BAR =
  'max-sm:fixed max-sm:inset-x-0 max-sm:bottom-0 max-sm:z-30 max-sm:max-h-[50dvh] max-sm:overflow-y-auto max-sm:border-t max-sm:border-line max-sm:bg-surface max-sm:px-4 max-sm:pt-3 max-sm:pb-[calc(12px+env(safe-area-inset-bottom))] max-sm:shadow-floating'

function ListedFor({ listing }: { listing: NonNullable<Inscription['listing']> }) {
  return (
    <div>
      <p className="text-sm text-soft">
        {listing.state === 'buyable'
          ? 'For sale'
          : listing.state === 'hidden_locked'
            ? 'Sale pending'
            : 'For sale after the next block'}
        , listed <Time at={listing.listedAt} />
        {listing.expiresAt && (
          <>
            , ends <Time at={listing.expiresAt} until />
          </>
        )}
      </p>
      <Price sats={listing.priceSats} className="text-price-xl" />
    </div>
  )
}
