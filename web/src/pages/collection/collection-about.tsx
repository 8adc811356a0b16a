import { count } from '@ordbook/web-ui/format/format.ts'
import { about as words } from '@ordbook/web-ui/strings/collection-tabs.ts'
import { Facts } from '@ordbook/web-ui/ui/facts.tsx'
import type { Collection } from '../bids/collection-search.ts'
import { FeedLink } from '../parts/feed-link.tsx'

/** What is known of a collection: description, origin, verification and royalties. */
export function CollectionAbout({ collection }: { collection: Collection }) {
  const { slug, description, kind, verificationStatus, itemCount } = collection
  const { sellerRoyaltyBps, buyerRoyaltyBps } = collection
  return (
    <section className="panel grid gap-5 p-4 sm:p-5" aria-label={words.title}>
      <p dir="auto" className="max-w-prose whitespace-pre-line [overflow-wrap:anywhere]">
        {description ?? <span className="text-soft">{words.noDescription}</span>}
      </p>
      <Facts
        className="max-w-2xl text-small"
        row="grid gap-x-4 sm:grid-cols-[10rem_minmax(0,1fr)]"
        value="[overflow-wrap:anywhere]"
        rows={[
          [words.items, count(itemCount)],
          [words.origin, words.origins[kind ?? 'list']],
          [words.checked, words.checks[verificationStatus]],
          [words.royalty, words.royalties(sellerRoyaltyBps / 100, buyerRoyaltyBps / 100)],
          [words.id, slug],
        ]}
      />
      <FeedLink of="collection" id={slug} />
    </section>
  )
}
