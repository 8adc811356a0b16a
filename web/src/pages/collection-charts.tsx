import { useState } from 'react'
import { useRead } from '../client.ts'
import { Button, Loaded } from '../ui/basics.tsx'
import { FloorChart } from '../ui/charts.tsx'

/** The floor and the sales of a collection over some days. */
export function CollectionCharts({ slug }: { slug: string }) {
  const [days, setDays] = useState(30)
  const found = useRead('getCollectionHistory', { params: { slug }, query: { days } }, { keep: true })
  return (
    <section className="panel p-4">
      <div className="mb-3 flex flex-wrap items-center justify-between gap-3">
        <h2 className="font-semibold">Floor and sales</h2>
        <div className="flex gap-1">
          {[7, 30, 90, 365].map((each) => (
            <Button
              key={each}
              kind={days === each ? 'main' : 'ghost'}
              aria-pressed={days === each}
              onClick={() => setDays(each)}
            >
              {each} d
            </Button>
          ))}
        </div>
      </div>
      <Loaded of={found}>
        {({ floor, sales }) => <FloorChart floor={floor} sales={sales} days={days} />}
      </Loaded>
    </section>
  )
}
