import { count, money } from '@ordbook/web-ui/format/format.ts'
import { difference } from '@ordbook/web-ui/money/difference.ts'
import { Link } from '@ordbook/web-ui/routing/routing.tsx'
import { useTitle } from '@ordbook/web-ui/routing/title.ts'
import { collection as words } from '@ordbook/web-ui/strings/collection.ts'
import { titles, verification } from '@ordbook/web-ui/strings/pages.ts'
import { Badge, Change, Price, Time } from '@ordbook/web-ui/ui/basics.tsx'
import { Guard } from '@ordbook/web-ui/ui/guard.tsx'
import { Verified } from '@ordbook/web-ui/ui/verified.tsx'
import type { ReactNode } from 'react'
import type { Collection } from '../bids/collection-search.ts'
import { CollectionPicture } from '../parts/collection-picture.tsx'
import { WatchStar } from '../parts/watch-star.tsx'
import { CollectionBanner } from './collection-banner.tsx'

interface Fact {
  label: string
  value: ReactNode
  note?: ReactNode
  isOnPhone?: boolean
}

/** Figures of a collection. Those without data are left out. */
function factsOf(collection: Collection): Fact[] {
  const { floorSats, sevenDayChange, topOfferSats, bestTraitBid, lastSale, volumeWeekSats } = collection
  const { listedCount, ownerCount, itemCount } = collection
  const facts: (Fact | false | null)[] = [
    floorSats !== null && {
      label: words.floor,
      value: <Price sats={floorSats} />,
      note: sevenDayChange !== null && (
        <>
          <Change value={sevenDayChange} /> {words.inWeek}
        </>
      ),
      isOnPhone: true,
    },
    topOfferSats !== null && {
      label: words.topOffer,
      value: <Price sats={topOfferSats} />,
      note: floorSats !== null && difference(topOfferSats, floorSats),
      isOnPhone: true,
    },
    bestTraitBid && {
      label: words.traitBid,
      value: <Price sats={bestTraitBid.priceSats} />,
      note: bestTraitBid.scopeLabel,
    },
    lastSale && {
      label: words.lastSale,
      value: <Price sats={lastSale.priceSats} />,
      note: <Time at={lastSale.at} />,
    },
    volumeWeekSats > 0 && {
      label: words.volume,
      value: <Price sats={volumeWeekSats} />,
      isOnPhone: true,
    },
    {
      label: words.listed,
      value: count(listedCount),
      note: words.share(listedCount, itemCount),
      isOnPhone: true,
    },
    ownerCount > 0 && {
      label: words.owners,
      value: count(ownerCount),
      note: words.share(ownerCount, itemCount),
    },
  ]
  return facts.filter((fact) => !!fact)
}

export function CollectionHead({ collection }: { collection: Collection }) {
  const { name, description, verificationStatus, sameNameAs, previewInscriptionId } = collection
  useTitle(titles.collection(name, collection.floorSats === null ? null : money(collection.floorSats)))
  const royaltyBps = collection.sellerRoyaltyBps + collection.buyerRoyaltyBps
  return (
    <header>
      <CollectionBanner slug={collection.slug} />
      <div className="grid grid-cols-[auto_minmax(0,1fr)] lg:relative lg:-mt-5 lg:grid-cols-[auto_minmax(0,1fr)_auto] lg:px-4">
        {previewInscriptionId && (
          <span className="mr-4 w-14 self-start overflow-hidden rounded-panel max-sm:mr-3 max-sm:w-11 sm:row-span-2 sm:w-24 lg:-mt-7 lg:ring-4 lg:ring-bg">
            <CollectionPicture of={collection} />
          </span>
        )}
        <div className="col-start-2 min-w-0">
          <div className="flex items-start gap-1">
            <h1 dir="auto" className="min-w-0 text-h1 [overflow-wrap:anywhere]">
              {name} {verificationStatus === 'verified' && <Verified />}
            </h1>
            <WatchStar slug={collection.slug} name={name} byKeyAlone />
          </div>
          {(verificationStatus !== 'verified' || royaltyBps > 0) && (
            <p className="mt-0.5 flex min-h-6 flex-wrap items-center gap-1.5">
              {verificationStatus !== 'verified' && (
                <span data-mark title={words.unverifiedWhy}>
                  <Badge>{words.unverified}</Badge>
                </span>
              )}
              {royaltyBps > 0 && <Badge>{words.royalty(royaltyBps / 100)}</Badge>}
            </p>
          )}
          {sameNameAs && <NotTheVerified one={sameNameAs} />}
          {description && (
            <p
              dir="auto"
              className="mt-0.5 line-clamp-2 max-w-prose text-soft [overflow-wrap:anywhere] sm:line-clamp-none"
            >
              {description}
            </p>
          )}
        </div>
        <dl className="mt-3 flex flex-wrap gap-x-6 gap-y-2 max-sm:col-span-2 max-sm:justify-between max-sm:gap-x-3 sm:col-start-2 lg:col-start-3 lg:row-start-1 lg:mt-1 lg:ml-8 lg:max-w-[56vw] lg:justify-end">
          {factsOf(collection).map(({ label, value, note, isOnPhone }) => (
            <div key={label} className={isOnPhone ? undefined : 'max-sm:hidden'}>
              <dt className="text-caption text-soft">{label}</dt>
              <dd className="tabular font-semibold">{value}</dd>
              <dd dir="auto" className="tabular min-h-4 max-w-32 truncate text-caption text-soft">
                {note}
              </dd>
            </div>
          ))}
        </dl>
      </div>
    </header>
  )
}

/** Warns of a name that resembles a verified collection. */
function NotTheVerified({ one: { slug, name } }: { one: { slug: string; name: string } }) {
  return (
    <div className="mt-2 max-w-prose">
      <Guard
        level="stop"
        title={verification.notThe(name)}
        text=""
        action={
          <Link to="/collection/$slug" params={{ slug }} className="underline">
            {verification.seeThe}
          </Link>
        }
      />
    </div>
  )
}
