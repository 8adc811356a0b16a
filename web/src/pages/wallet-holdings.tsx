import { useState } from 'react'
import { useAct } from '../act.tsx'
import { usePages, useRead } from '../client.ts'
import { Link } from '../routing/routing.tsx'
import { Button, Empty, Price } from '../ui/basics.tsx'
import { LoadedList } from '../ui/loaded-list.tsx'
import { onDemand } from '../ui/on-demand.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { itemsNamed } from '../words/pages.ts'
import { portfolio as words } from '../words/portfolio.ts'
import { sale } from '../words/sale.ts'
import { useBestBids } from './best-bids.ts'
import { Grid } from './grid.tsx'
import { type Holding, HoldingCard } from './holdings.tsx'
import { SellNow } from './sell-now-on-demand.ts'
import { useChosen } from './use-chosen.ts'
import { WalletValues } from './wallet-values.tsx'

const ListForm = onDemand(() => import('./list-form.tsx').then((part) => part.ListForm))

/** The inscriptions of the visitor's address, to list and delist several at once. */
export function WalletHoldings({ address }: { address: string }) {
  const found = usePages('listHoldings', { params: { address } })
  return (
    <LoadedList
      of={found}
      rows={(page) => page.holdings}
      what={words.loading}
      empty={
        <Empty title={words.none}>
          {words.noneWhy}{' '}
          <Link to="/" className="underline">
            {words.explore}
          </Link>
        </Empty>
      }
      className="grid gap-4"
    >
      {(holdings) => <Held holdings={holdings} />}
    </LoadedList>
  )
}

/** The items with their values; each can be sold at once into the best offer for it. */
function Held({ holdings }: { holdings: readonly Holding[] }) {
  const { chosen, toggle, clear } = useChosen()
  const [selling, setSelling] = useState<Holding | null>(null)
  const bids = useBestBids(holdings.map((each) => each.inscriptionId))
  const bid = selling && bids.get(selling.inscriptionId)
  return (
    <>
      <WalletValues holdings={holdings} bids={bids} />
      <ListingBar picked={holdings.filter((each) => chosen.has(each.inscriptionId))} onDone={clear} />
      <Grid of={holdings}>
        {(holding) => {
          const best = bids.get(holding.inscriptionId)
          return (
            <HoldingCard
              holding={holding}
              chosen={chosen.has(holding.inscriptionId)}
              onChoose={holding.collectionSlug ? () => toggle(holding.inscriptionId) : undefined}
            >
              {best && holding.collectionSlug && (
                <Button kind="sell" className="!px-2" onClick={() => setSelling(holding)}>
                  <span>
                    {sale.sellNow} <Price sats={best.priceSats} />
                  </span>
                  <span className="sr-only">: {holding.name}</span>
                </Button>
              )}
            </HoldingCard>
          )
        }}
      </Grid>
      {selling?.collectionSlug && bid && (
        <SellNow slug={selling.collectionSlug} bid={bid} item={selling} onClose={() => setSelling(null)} />
      )}
    </>
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
        {picked.length === 0 ? words.choose : words.chosen(picked.length)}
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
        <Sheet open title={`List ${itemsNamed(listing.items)}`} onClose={() => setListing(null)}>
          <ListForm
            subject={LISTING}
            items={listing.items.map(({ inscriptionId, name, collectionFloorSats }) => ({
              inscriptionId,
              name,
              slug: listing.slug,
              floorSats: collectionFloorSats,
              royaltyBps: collection.data.sellerRoyaltyBps,
            }))}
            list={(trades, trading, wishes, days) => trades.listItems(trading, listing.slug, wishes, days)}
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
