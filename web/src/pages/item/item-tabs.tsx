import { useRead } from '@ordbook/web-ui/api/client.ts'
import { count } from '@ordbook/web-ui/format/format.ts'
import { useSearch, useSetSearch } from '@ordbook/web-ui/routing/routing.tsx'
import { Tabs } from '@ordbook/web-ui/ui/basics.tsx'
import { Boundary } from '@ordbook/web-ui/ui/boundary.tsx'
import { onDemand } from '@ordbook/web-ui/ui/on-demand.tsx'
import { useEffect } from 'react'
import { ActivityList } from '../activity/activity-list.tsx'
import { useSeen } from '../parts/use-seen.ts'
import { InscriptionOffers } from './inscription-offers.tsx'
import { inscription as words } from './strings.ts'
import type { Inscription } from './traded.ts'

const Prices = onDemand(() => import('./item-prices.tsx').then((part) => part.ItemPrices))
const Provenance = onDemand(() => import('./provenance.tsx').then((part) => part.Provenance))
const Details = onDemand(() => import('./provenance.tsx').then((part) => part.Details))

const IDS = Object.keys(words.tabs) as (keyof typeof words.tabs)[]

/** History and details of an item. The chosen tab is in the URL. */
export function ItemTabs({ inscription }: { inscription: Inscription }) {
  const { inscriptionId, collections, owner, moves } = inscription
  const search = useSearch({ from: '/inscription/$id' })
  const setSearch = useSetSearch({ from: '/inscription/$id' })
  const offers = useRead(
    'listInscriptionOffers',
    { params: { id: inscriptionId } },
    { enabled: owner !== null },
  )
  const [collection] = collections
  const ids = IDS.filter(
    (id) => (id !== 'prices' || collection) && (id !== 'offers' || (collection && owner)),
  )
  const tab = ids.find((id) => id === search.tab) ?? 'activity'
  const isUnknown = search.tab !== undefined && search.tab !== tab
  useEffect(() => {
    if (isUnknown) setSearch(() => ({}), { replace: true })
  }, [isUnknown, setSearch])
  const counts: Partial<Record<keyof typeof words.tabs, number | undefined>> = {
    offers: offers.data?.offers.length,
    // The inscription itself is the first entry.
    provenance: moves.length + 1,
  }
  const countOf = (id: keyof typeof words.tabs) => {
    const number = counts[id]
    return number === undefined ? undefined : count(number)
  }
  return (
    <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] content-start gap-4">
      <Tabs
        label={words.parts}
        tabs={ids.map((id) => ({ id, label: words.tabs[id], count: countOf(id) }))}
        value={tab}
        onChange={(id) => setSearch(() => (id === 'activity' ? {} : { tab: id }), { replace: true })}
      />
      <div role="tabpanel" aria-label={words.tabs[tab]} className="min-h-80 min-w-0">
        <Boundary key={tab} label={words.tabs[tab]}>
          {tab === 'activity' && <Activity inscriptionId={inscriptionId} />}
          {tab === 'offers' && <InscriptionOffers inscription={inscription} />}
          {tab === 'prices' && collection && <Prices inscriptionId={inscriptionId} slug={collection.slug} />}
          {tab === 'provenance' && <Provenance inscription={inscription} />}
          {tab === 'details' && <Details inscription={inscription} />}
        </Boundary>
      </div>
    </div>
  )
}

function Activity({ inscriptionId }: { inscriptionId: string }) {
  const { ref, isSeen } = useSeen<HTMLDivElement>()
  return <div ref={ref}>{isSeen && <ActivityList about={{ inscriptionId }} />}</div>
}
