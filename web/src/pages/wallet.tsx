import type { Answer } from '@ordbook/sdk/operations.ts'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useAct } from '../act.tsx'
import { usePages, useRead } from '../client.ts'
import { shortAddress } from '../format.ts'
import { useSession } from '../session.tsx'
import {
  Badge,
  Button,
  Copyable,
  Dialog,
  Empty,
  Loaded,
  Loading,
  More,
  Price,
  Tabs,
  Time,
} from '../ui/basics.tsx'
import { ActivityList } from './activity-list.tsx'
import { Grid } from './grid.tsx'
import { type Holding, HoldingCard } from './holdings.tsx'
import { ListForm } from './list-form.tsx'
import { WalletSessions } from './wallet-sessions.tsx'

const TABS = [
  { id: 'items', label: 'Inscriptions' },
  { id: 'received', label: 'Offers received' },
  { id: 'sent', label: 'Offers sent' },
  { id: 'activity', label: 'Activity' },
  { id: 'sessions', label: 'Sessions' },
] as const

/** What one holds, and what one does with it. */
export default function WalletPage() {
  const { account, choose } = useSession()
  const search = useSearch({ from: '/wallet' })
  const navigate = useNavigate({ from: '/wallet' })
  const tab = TABS.find((each) => each.id === search.tab)?.id ?? 'items'
  if (account === undefined) return <Loading />
  if (account === null)
    return (
      <div className="grid gap-5">
        <h1 className="text-2xl font-semibold">Wallet</h1>
        <Empty title="Sign in to see what you hold">
          <Button kind="main" className="mt-3" onClick={() => choose(true)}>
            Sign in
          </Button>
        </Empty>
      </div>
    )
  return (
    <div className="grid gap-5">
      <header className="flex flex-wrap items-end justify-between gap-4">
        <h1 className="text-2xl font-semibold">Wallet</h1>
        <Purse {...account} />
      </header>
      <Tabs
        label="Parts of the wallet"
        tabs={TABS}
        value={tab}
        onChange={(id) => void navigate({ search: { tab: id }, replace: true })}
      />
      {tab === 'items' && <Holdings address={account.ordinalsAddress} />}
      {tab === 'received' && <OwnOffers view="owned" />}
      {tab === 'sent' && <OwnOffers view="sent" />}
      {tab === 'activity' && <ActivityList about={{ address: account.ordinalsAddress }} />}
      {tab === 'sessions' && <WalletSessions />}
    </div>
  )
}

/** Where one receives, and what one can pay with. */
function Purse({
  walletBindingId,
  ordinalsAddress,
  paymentAddress,
}: {
  walletBindingId: string
  ordinalsAddress: string
  paymentAddress: string
}) {
  const coins = useRead('listCoins', { query: { walletBindingId } })
  return (
    <dl className="flex flex-wrap gap-x-8 gap-y-3 text-sm">
      <div>
        <dt className="text-soft">Inscriptions at</dt>
        <dd>
          <Copyable text={ordinalsAddress} shown={shortAddress(ordinalsAddress)} what="ordinals address" />
        </dd>
      </div>
      <div>
        <dt className="text-soft">Sats at</dt>
        <dd>
          <Copyable text={paymentAddress} shown={shortAddress(paymentAddress)} what="payment address" />
        </dd>
      </div>
      <div>
        <dt className="text-soft">To spend</dt>
        <dd>
          {coins.data ? (
            <>
              <Price sats={coins.data.totalSats} className="text-base font-semibold" />
              {coins.data.keptBackCount > 0 && `, ${coins.data.keptBackCount} coins kept back`}
            </>
          ) : coins.error ? (
            'The node cannot say now.'
          ) : (
            'Counting your coins…'
          )}
        </dd>
      </div>
    </dl>
  )
}

function Holdings({ address }: { address: string }) {
  const found = usePages('listHoldings', { params: { address } })
  const { run, busy } = useAct()
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [listing, setListing] = useState<{ slug: string; items: Holding[] } | null>(null)
  const toggle = (id: string) =>
    setChosen((before) => {
      const after = new Set(before)
      if (!after.delete(id)) after.add(id)
      return after
    })
  const royalty = useRead(
    'getCollection',
    { params: { slug: listing?.slug ?? '' } },
    { enabled: listing !== null },
  )
  return (
    <Loaded of={found} what="Looking at what you hold">
      {({ pages }) => {
        const holdings = pages.flatMap((page) => page.holdings)
        if (holdings.length === 0)
          return (
            <Empty title="No inscriptions here yet">
              <Link to="/" className="underline">
                See what is for sale
              </Link>
            </Empty>
          )
        const picked = holdings.filter((each) => chosen.has(each.inscriptionId))
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
            setChosen(new Set())
            return 'They are no longer for sale.'
          })
        return (
          <div className="grid gap-4">
            <div className="flex flex-wrap items-center gap-2" aria-live="polite">
              <span className="text-sm text-soft">
                {picked.length === 0
                  ? 'Choose some to list or delist them together.'
                  : `${picked.length} chosen`}
              </span>
              {groups.map(([slug, items]) =>
                slug === null ? null : (
                  <Button
                    key={slug}
                    kind="main"
                    disabled={busy !== null}
                    onClick={() => setListing({ slug, items })}
                  >
                    List {items.length} of {items[0]!.collectionName}
                  </Button>
                ),
              )}
              {listed.length > 0 && (
                <Button disabled={busy !== null} onClick={() => void delist()}>
                  Delist {listed.length}
                </Button>
              )}
            </div>
            <Grid of={holdings}>
              {(holding) => (
                <HoldingCard
                  holding={holding}
                  chosen={chosen.has(holding.inscriptionId)}
                  onChoose={holding.collectionSlug ? () => toggle(holding.inscriptionId) : undefined}
                />
              )}
            </Grid>
            <More of={found} />
            {listing && royalty.data && (
              <Dialog title={`List ${listing.items.length} inscriptions`} onClose={() => setListing(null)}>
                <ListForm
                  slug={listing.slug}
                  items={listing.items.map(({ inscriptionId, name, collectionFloorSats }) => ({
                    inscriptionId,
                    name,
                    floorSats: collectionFloorSats,
                  }))}
                  royaltyBps={royalty.data.sellerRoyaltyBps}
                  onDone={() => {
                    setListing(null)
                    setChosen(new Set())
                  }}
                />
              </Dialog>
            )}
          </div>
        )
      }}
    </Loaded>
  )
}

type Offer = Extract<Answer<'listMyOffers'>, { view: 'sent' }>['rows'][number]

/** Offers with what they are on: for what one holds, or by oneself. */
function OwnOffers({ view }: { view: 'sent' | 'owned' }) {
  const found = usePages('listMyOffers', { query: { view } })
  return (
    <Loaded of={found}>
      {({ pages }) => {
        const offers = pages.flatMap((page) =>
          page.view === 'sent'
            ? page.rows
            : page.view === 'owned'
              ? page.groups.flatMap((group) => [...group.offers, ...group.sentCounters])
              : [],
        )
        if (offers.length === 0)
          return <Empty title={view === 'sent' ? 'You have made no offers' : 'No offers for what you hold'} />
        return (
          <>
            <ul className="panel divide-y divide-line">
              {offers.map((offer) => (
                <OfferLine key={offer.id} offer={offer} />
              ))}
            </ul>
            <More of={found} />
          </>
        )
      }}
    </Loaded>
  )
}

function OfferLine({ offer }: { offer: Offer }) {
  return (
    <li className="flex flex-wrap items-center gap-3 px-4 py-3 text-sm">
      <Link
        to="/inscription/$id"
        params={{ id: offer.inscriptionId }}
        className="min-w-40 flex-1 font-medium hover:underline"
      >
        {offer.inscriptionTitle ?? `Inscription ${offer.inscriptionNumber}`}
      </Link>
      <Price sats={offer.priceSats} className="w-36" />
      <Badge tone={offer.status === 'active' ? 'lamp' : offer.status === 'accepted' ? 'good' : 'soft'}>
        {offer.kind === 'seller_counter' ? `counter, ${offer.status}` : offer.status}
      </Badge>
      <span className="text-soft">
        ends <Time at={offer.expiresAt} until />
      </span>
    </li>
  )
}
