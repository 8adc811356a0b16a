import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useAct } from '../act.tsx'
import { usePages, useRead } from '../client.ts'
import { Button, Empty } from '../ui/basics.tsx'
import { LoadedList } from '../ui/loaded-list.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { Grid } from './grid.tsx'
import { type Holding, HoldingCard } from './holdings.tsx'
import { ListForm } from './list-form.tsx'
import { useChosen } from './use-chosen.ts'

/** The inscriptions of the visitor's address, to list and delist several at once. */
export function WalletHoldings({ address }: { address: string }) {
  const found = usePages('listHoldings', { params: { address } })
  const { chosen, toggle, clear } = useChosen()
  return (
    <LoadedList
      of={found}
      rows={(page) => page.holdings}
      what="Looking at what you hold"
      empty={
        <Empty title="No inscriptions here yet">
          <Link to="/" className="underline">
            See what is for sale
          </Link>
        </Empty>
      }
      className="grid gap-4"
    >
      {(holdings) => (
        <>
          <ListingBar picked={holdings.filter((each) => chosen.has(each.inscriptionId))} onDone={clear} />
          <Grid of={holdings}>
            {(holding) => (
              <HoldingCard
                holding={holding}
                chosen={chosen.has(holding.inscriptionId)}
                onChoose={holding.collectionSlug ? () => toggle(holding.inscriptionId) : undefined}
              />
            )}
          </Grid>
        </>
      )}
    </LoadedList>
  )
}

const LISTING = 'list holdings'

/** The actions on the chosen inscriptions: listing those of a collection, delisting those that are listed. */
function ListingBar({ picked, onDone }: { picked: readonly Holding[]; onDone: () => void }) {
  const { run, busy } = useAct('holdings')
  const act = useAct(LISTING)
  const [listing, setListing] = useState<{ slug: string; items: readonly Holding[] } | null>(null)
  const collection = useRead(
    'getCollection',
    { params: { slug: listing?.slug ?? '' } },
    { enabled: listing !== null },
  )
  const groups = [...Map.groupBy(picked, (each) => each.collectionSlug)]
  const listed = picked.filter((each) => each.listingId !== null)
  const delist = () =>
    run(`Taking ${listed.length} down`, async (trades, trading) => {
      for (const [slug, items] of Map.groupBy(listed, (each) => each.collectionSlug!))
        await trades.delistItems(
          trading,
          slug,
          items.map(({ inscriptionId, listingId }) => ({ inscriptionId, listingId: listingId! })),
        )
      onDone()
      return 'They are no longer for sale.'
    })
  return (
    <div className="flex flex-wrap items-center gap-2" aria-live="polite">
      <span className="text-sm text-soft">
        {picked.length === 0 ? 'Choose some to list or delist them together.' : `${picked.length} chosen`}
      </span>
      {groups.map(([slug, items]) =>
        slug === null ? null : (
          <Button key={slug} kind="main" disabled={busy !== null} onClick={() => setListing({ slug, items })}>
            List {items.length} of {items[0]!.collectionName}
          </Button>
        ),
      )}
      {listed.length > 0 && (
        <Button disabled={busy !== null} onClick={() => void delist()}>
          Delist {listed.length}
        </Button>
      )}
      {listing && collection.data && act.busy === null && (
        <Sheet open title={`List ${listing.items.length} inscriptions`} onClose={() => setListing(null)}>
          <ListForm
            subject={LISTING}
            items={listing.items.map(({ inscriptionId, name, collectionFloorSats }) => ({
              inscriptionId,
              name,
              floorSats: collectionFloorSats,
              royaltyBps: collection.data.sellerRoyaltyBps,
            }))}
            list={(trades, trading, wishes, days) =>
              trades.listItems(trading, listing.slug, wishes, days, collection.data.sellerRoyaltyBps)
            }
            onDone={() => {
              setListing(null)
              onDone()
            }}
          />
        </Sheet>
      )}
    </div>
  )
}
