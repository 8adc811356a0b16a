import { Price, Time } from '@ordbook/web-ui/ui/basics.tsx'
import { InFiat } from '@ordbook/web-ui/ui/in-fiat.tsx'
import { inscription as words } from './strings.ts'
import type { Inscription, Membership } from './traded.ts'

export function PriceNow({
  inscription: { listing },
  collection,
}: {
  inscription: Inscription
  collection: Membership
}) {
  if (!listing)
    return (
      <p className="text-soft">
        {words.notListed}{' '}
        {collection.floorSats !== null && (
          <>
            {words.floorIs} <Price sats={collection.floorSats} />.
          </>
        )}
      </p>
    )
  return (
    <div className="max-sm:flex max-sm:flex-row-reverse max-sm:items-baseline max-sm:justify-between max-sm:gap-3">
      <p className="min-w-0 text-sm text-soft max-sm:truncate">
        {words.sale[listing.state]}
        <span className="max-sm:hidden">
          , {words.listed} <Time at={listing.listedAt} />
        </span>
        {listing.expiresAt && (
          <>
            , {words.ends} <Time at={listing.expiresAt} until />
          </>
        )}
      </p>
      <p className="flex flex-wrap items-baseline gap-x-3">
        <Price sats={listing.priceSats} className="text-price-xl" />
        <InFiat sats={listing.priceSats} className="text-small" />
      </p>
    </div>
  )
}
