import { useRead } from '@ordbook/web-ui/api/client.ts'
import { charts as words } from '@ordbook/web-ui/strings/charts.ts'
import { Loaded } from '@ordbook/web-ui/ui/basics.tsx'
import { useState } from 'react'
import { Key } from '../charts/chart-key.tsx'
import { PriceChart, Windows } from '../charts/price-chart.tsx'

const WINDOWS = [7, 30, 365]

export function ItemPrices({ inscriptionId, slug }: { inscriptionId: string; slug: string }) {
  const [days, setDays] = useState(30)
  const found = useRead('getCollectionHistory', { params: { slug }, query: { days } }, { keep: true })
  return (
    <div className="panel p-4">
      <div className="mb-2 flex flex-wrap items-center justify-between gap-x-4">
        <p className="flex flex-wrap gap-x-4 text-caption text-soft" aria-hidden="true">
          <Key colour="bg-accent">{words.floorLine}</Key>
          <Key colour="bg-up">{words.ownSales}</Key>
          <Key colour="bg-edge">{words.otherSales}</Key>
        </p>
        <Windows of={WINDOWS} days={days} onChange={setDays} />
      </div>
      <Loaded of={found}>
        {(history) => <PriceChart label={words.prices} history={history} own={inscriptionId} />}
      </Loaded>
    </div>
  )
}
