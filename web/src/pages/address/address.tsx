import { usePages } from '@ordbook/web-ui/api/client.ts'
import { shortAddress } from '@ordbook/web-ui/format/format.ts'
import { goTo, Link, useParams, useSearch, useSetSearch } from '@ordbook/web-ui/routing/routing.tsx'
import { useTitle } from '@ordbook/web-ui/routing/title.ts'
import { useSession } from '@ordbook/web-ui/session/session.tsx'
import { portfolio, profile as words } from '@ordbook/web-ui/strings/portfolio.ts'
import { ticketActions } from '@ordbook/web-ui/ticket/progress/tickets.ts'
import { BUTTON, Button, Copyable, Empty, KINDS, Tabs } from '@ordbook/web-ui/ui/basics.tsx'
import { LoadedList } from '@ordbook/web-ui/ui/loaded-list.tsx'
import { onDemand } from '@ordbook/web-ui/ui/on-demand.tsx'
import { CollectionChips } from '../holdings/collection-chips.tsx'
import { type Holding, HoldingCard } from '../holdings/holdings.tsx'
import { useItemValues } from '../holdings/item-values.ts'
import { totalsOf } from '../holdings/item-worth.ts'
import { FeedAlternate, FeedLink } from '../parts/feed-link.tsx'
import { Figure } from '../parts/figure.tsx'
import { Grid } from '../parts/grid.tsx'

const ActivityList = onDemand(() => import('../activity/activity-list.tsx').then((part) => part.ActivityList))
const AddressListings = onDemand(() => import('./address-listings.tsx').then((part) => part.AddressListings))

type Tab = keyof typeof words.tabs
const TABS = (Object.keys(words.tabs) as Tab[]).map((id) => ({ id, label: words.tabs[id] }))

export default function AddressPage() {
  const { address } = useParams({ from: '/address/$address' })
  const search = useSearch({ from: '/address/$address' })
  const setSearch = useSetSearch({ from: '/address/$address' })
  const { account } = useSession()
  const tab = TABS.find(({ id }) => id === search.tab)?.id ?? 'items'
  useTitle(words.title(shortAddress(address)))
  const isOwn = account?.ordinalsAddress === address
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-5">
      <FeedAlternate of="address" id={address} />
      <header className="grid gap-1">
        <div className="flex flex-wrap items-center justify-between gap-3">
          <h1 className="text-h1">{words.title(shortAddress(address))}</h1>
          {!isOwn && (
            <Link to="/trades/new" search={{ with: address }} className={`${BUTTON} ${KINDS.plain}`}>
              {words.proposeTrade}
            </Link>
          )}
        </div>
        <p className="text-soft [overflow-wrap:anywhere]">
          <Copyable text={address} shown={address} what={words.what} />
        </p>
        {isOwn && (
          <p className="text-soft">
            {words.yours}{' '}
            <Link to="/wallet" className="underline">
              {words.toPortfolio}
            </Link>
          </p>
        )}
      </header>
      <Tabs label={words.parts} tabs={TABS} value={tab} onChange={(id) => setSearch(() => ({ tab: id }))} />
      {tab === 'items' && <AddressItems address={address} isOwn={isOwn} />}
      {tab === 'listings' && <AddressListings address={address} />}
      {tab === 'offers' && <ActivityList about={{ address, kind: 'offers' }} none={words.noOffers} />}
      {tab === 'activity' && (
        <>
          <FeedLink of="address" id={address} />
          <ActivityList about={{ address }} />
        </>
      )}
    </div>
  )
}

function AddressItems({ address, isOwn }: { address: string; isOwn: boolean }) {
  const found = usePages('listHoldings', { params: { address }, query: {} })
  return (
    <LoadedList
      of={found}
      rows={(page) => page.holdings}
      what={portfolio.loading}
      empty={<Empty title={words.none} />}
      className="grid grid-cols-[minmax(0,1fr)] gap-4"
    >
      {(holdings) => <Held holdings={holdings} isOwn={isOwn} />}
    </LoadedList>
  )
}

/** Items with values and a button to make an offer. Only owners see costs. */
function Held({ holdings, isOwn }: { holdings: readonly Holding[]; isOwn: boolean }) {
  const { collection } = useSearch({ from: '/address/$address' })
  const setSearch = useSetSearch({ from: '/address/$address' })
  const values = useItemValues(holdings.map((holding) => holding.inscriptionId))
  const inCollection = holdings.filter((holding) => holding.collectionSlug === collection)
  const shown = inCollection.length > 0 ? inCollection : holdings
  const totals = totalsOf(
    shown.map(({ inscriptionId, collectionFloorSats }) => ({
      traitFloorSats: values.get(inscriptionId)?.traitFloorSats ?? null,
      collectionFloorSats,
      bestOfferSats: null,
      costSats: null,
    })),
    'trait',
  )
  return (
    <>
      <section aria-label={words.values} className="panel p-4">
        <dl className="grid grid-cols-2 gap-x-6 gap-y-3 sm:flex sm:gap-x-12">
          <Figure
            label={portfolio.by('trait')}
            sats={totals.values.trait}
            note={portfolio.ofShown(shown.length)}
          />
          <Figure label={portfolio.by('floor')} sats={totals.values.floor} />
        </dl>
      </section>
      <CollectionChips
        holdings={holdings}
        chosen={inCollection.length > 0 ? collection : undefined}
        onChoose={(slug) => setSearch((before) => ({ ...before, collection: slug }))}
      />
      <Grid of={shown}>
        {(holding) => (
          <HoldingCard holding={holding}>
            {!isOwn && holding.collectionSlug && (
              <Button className="!px-2" onClick={() => offerFor(holding.inscriptionId)}>
                {words.makeOffer}
                <span className="sr-only"> {words.forItem(holding.name)}</span>
              </Button>
            )}
          </HoldingCard>
        )}
      </Grid>
    </>
  )
}

function offerFor(inscriptionId: string): void {
  ticketActions.edit(`offer ${inscriptionId}`, {})
  goTo({ to: '/inscription/$id', params: { id: inscriptionId } })
}
