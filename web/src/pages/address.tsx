import { useState } from 'react'
import { usePages } from '../client.ts'
import { useParams } from '../routing/routing.tsx'
import { Empty, Tabs } from '../ui/basics.tsx'
import { LoadedList } from '../ui/loaded-list.tsx'
import { ActivityList } from './activity-list.tsx'
import { Grid } from './grid.tsx'
import { HoldingCard } from './holdings.tsx'

const TABS = [
  { id: 'items', label: 'Inscriptions' },
  { id: 'activity', label: 'Activity' },
] as const

/** The public page of an address. */
export default function AddressPage() {
  const { address } = useParams({ from: '/address/$address' })
  const [tab, setTab] = useState<(typeof TABS)[number]['id']>('items')
  const found = usePages('listHoldings', { params: { address } })
  return (
    <div className="grid gap-5">
      <header>
        <h1 className="text-2xl font-semibold">Address</h1>
        <p className="font-mono text-sm text-soft [overflow-wrap:anywhere]">{address}</p>
      </header>
      <Tabs label="Parts of the address" tabs={TABS} value={tab} onChange={setTab} />
      {tab === 'activity' ? (
        <ActivityList about={{ address }} />
      ) : (
        <LoadedList
          of={found}
          rows={(page) => page.holdings}
          empty={<Empty title="It holds no inscriptions" />}
        >
          {(holdings) => <Grid of={holdings}>{(holding) => <HoldingCard holding={holding} />}</Grid>}
        </LoadedList>
      )}
    </div>
  )
}
