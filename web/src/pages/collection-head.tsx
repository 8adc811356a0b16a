import type { ReactNode } from 'react'
import { count, money } from '../format.ts'
import { Link } from '../routing/routing.tsx'
import { useTitle } from '../title.ts'
import { Badge, Change, Price } from '../ui/basics.tsx'
import { Guard } from '../ui/guard.tsx'
import { Verified } from '../ui/verified.tsx'
import { collection as words } from '../words/collection.ts'
import { titles, verification } from '../words/pages.ts'
import { CollectionBanner } from './collection-banner.tsx'
import { CollectionPicture } from './collection-picture.tsx'
import type { Collection } from './collection-search.ts'
import { WatchStar } from './watch-star.tsx'

/** The name and the figures of a collection. */
export function CollectionHead({
  collection,
  isGridPlain,
}: {
  collection: Collection
  /** Whether the page shows the items unfiltered, in their first order. */
  isGridPlain: boolean
}) {
  const { name, description, verificationStatus, sameNameAs, previewInscriptionId } = collection
  useTitle(titles.collection(name, collection.floorSats === null ? null : money(collection.floorSats)))
  const royaltyBps = collection.sellerRoyaltyBps + collection.buyerRoyaltyBps
  const facts: [string, ReactNode][] = [
    [words.floor, <Price key="floor" sats={collection.floorSats} />],
    [words.day, <Change key="day" value={collection.oneDayChange} />],
    [words.week, <Change key="week" value={collection.sevenDayChange} />],
    [words.topOffer, <Price key="top" sats={collection.topOfferSats} />],
    [words.volume, <Price key="volume" sats={collection.volumeWeekSats} />],
    [words.listed, words.ofAll(count(collection.listedCount), count(collection.itemCount))],
    [words.owners, count(collection.ownerCount)],
  ]
  return (
    <header>
      <CollectionBanner slug={collection.slug} isGridPlain={isGridPlain} />
      <div className="flex items-start gap-4 sm:gap-5 lg:mt-3 lg:px-4">
        {previewInscriptionId && (
          <span className="w-14 shrink-0 overflow-hidden rounded-panel sm:w-24 lg:relative lg:-mt-12 lg:ring-4 lg:ring-bg">
            <CollectionPicture of={collection} />
          </span>
        )}
        <div className="min-w-0 flex-1 xl:flex xl:items-start xl:justify-between xl:gap-8">
          <div className="min-w-0">
            <h1 dir="auto" className="text-h1 [overflow-wrap:anywhere]">
              {name} {verificationStatus === 'verified' && <Verified />}
            </h1>
            <p className="mt-1 flex flex-wrap items-center gap-1.5">
              <WatchStar slug={collection.slug} name={name} byKeyAlone />
              {verificationStatus !== 'verified' && (
                <span data-mark title={words.unverifiedWhy}>
                  <Badge>{words.unverified}</Badge>
                </span>
              )}
              {royaltyBps > 0 && <Badge>{words.royalty(royaltyBps / 100)}</Badge>}
            </p>
            {sameNameAs && <NotTheVerified one={sameNameAs} />}
            {description && (
              <p dir="auto" className="mt-1 max-w-prose text-soft [overflow-wrap:anywhere]">
                {description}
              </p>
            )}
          </div>
          <dl className="mt-3 flex flex-wrap gap-x-7 gap-y-3 xl:mt-1 xl:max-w-[60%] xl:shrink-0 xl:justify-end">
            {facts.map(([label, value]) => (
              <div key={label}>
                <dt className="text-caption text-soft">{label}</dt>
                <dd className="tabular font-semibold">{value}</dd>
              </div>
            ))}
          </dl>
        </div>
      </div>
    </header>
  )
}

/** The mark of a name that only looks like that of a verified collection, with the way there. */
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
