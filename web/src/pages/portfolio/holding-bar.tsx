import { useRead } from '@ordbook/web-ui/api/client.ts'
import { goTo } from '@ordbook/web-ui/routing/routing.tsx'
import { useAct } from '@ordbook/web-ui/signing/act.tsx'
import { itemsNamed } from '@ordbook/web-ui/strings/items-named.ts'
import { portfolio as words } from '@ordbook/web-ui/strings/portfolio.ts'
import { Button, Price } from '@ordbook/web-ui/ui/basics.tsx'
import { CollectionName } from '@ordbook/web-ui/ui/collection-name.tsx'
import { onDemand } from '@ordbook/web-ui/ui/on-demand.tsx'
import { Sheet } from '@ordbook/web-ui/ui/sheet.tsx'
import { useState } from 'react'
import type { Holding } from '../holdings/holdings.tsx'
import { MAX_GIVEN } from '../trade/most-given.ts'

const ListForm = onDemand(() => import('../forms/list-form.tsx').then((part) => part.ListForm))

const LISTING = 'list holdings'
/** Fixed above the tab bar on phones and tablets, centered on wider screens. */
const BAR =
  'rise panel fixed inset-x-3 bottom-[calc(var(--tabs-height)+12px)] z-30 mx-auto flex w-fit max-w-[calc(100vw-24px)] items-center gap-2 overflow-x-auto px-3 py-2 shadow-floating *:shrink-0'

interface Props {
  picked: readonly Holding[]
  valueSats: number
  onDone: () => void
}

/** Actions on the selected inscriptions: list, delist or offer in a trade. */
export function HoldingBar({ picked, valueSats, onDone }: Props) {
  const { run, busy } = useAct('holdings')
  const act = useAct(LISTING)
  const [listing, setListing] = useState<{ slug: string; items: readonly Holding[] } | null>(null)
  const groups = [...Map.groupBy(picked, (each) => each.collectionSlug)]
  const listed = picked.filter((each) => each.listingId !== null)
  const isBusy = busy !== null || act.busy !== null
  const delist = () =>
    run(words.delisting(listed.length), async (trades, trading) => {
      for (const [slug, items] of Map.groupBy(listed, (each) => each.collectionSlug!))
        await trades.delistItems(
          trading,
          slug,
          items.map(({ inscriptionId, listingId }) => ({ inscriptionId, listingId: listingId! })),
        )
      onDone()
      return words.delisted
    })
  const give = picked.map((each) => each.inscriptionId).join(',')
  return (
    <>
      <p className="sr-only" aria-live="polite">
        {picked.length > 0 && words.chosen(picked.length)}
      </p>
      {/* The progress strip replaces it while the action runs. */}
      {picked.length > 0 && !isBusy && (
        <section aria-label={words.selection} data-selection-bar className={BAR}>
          <span className="text-small whitespace-nowrap">
            <span className="font-semibold">{words.chosen(picked.length)}</span>{' '}
            <Price sats={valueSats} className="text-soft max-sm:hidden" />
          </span>
          {groups.map(([slug, items]) =>
            slug === null ? null : (
              <Button key={slug} kind="main" onClick={() => setListing({ slug, items })}>
                {words.list(items.length)}{' '}
                <span className="flex max-w-56 min-w-0 items-center gap-1">
                  <CollectionName of={items[0]!} />
                </span>
              </Button>
            ),
          )}
          {listed.length > 0 && <Button onClick={() => void delist()}>{words.delist(listed.length)}</Button>}
          {picked.length <= MAX_GIVEN && (
            <Button onClick={() => goTo({ to: '/trades/new', search: { give } })}>{words.toTrade}</Button>
          )}
          <Button kind="ghost" onClick={onDone}>
            {words.clear}
          </Button>
        </section>
      )}
      {listing && !isBusy && (
        <ListingSheet
          {...listing}
          onClose={() => setListing(null)}
          onDone={() => {
            setListing(null)
            onDone()
          }}
        />
      )}
    </>
  )
}

function ListingSheet({
  slug,
  items,
  onClose,
  onDone,
}: {
  slug: string
  items: readonly Holding[]
  onClose: () => void
  onDone: () => void
}) {
  const collection = useRead('getCollection', { params: { slug } })
  if (!collection.data) return null
  const { sellerRoyaltyBps } = collection.data
  return (
    <Sheet open title={words.listing(itemsNamed(items))} onClose={onClose}>
      <ListForm
        subject={LISTING}
        items={items.map(({ inscriptionId, name, collectionFloorSats }) => ({
          inscriptionId,
          name,
          slug,
          floorSats: collectionFloorSats,
          royaltyBps: sellerRoyaltyBps,
        }))}
        list={(trades, trading, inputs, days, quotes) =>
          trades.listItems(trading, slug, inputs, days, quotes)
        }
        onDone={onDone}
      />
    </Sheet>
  )
}
