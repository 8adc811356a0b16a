import { usePages } from '@ordbook/web-ui/api/client.ts'
import { Link, useSearch, useSetSearch } from '@ordbook/web-ui/routing/routing.tsx'
import { store, stored } from '@ordbook/web-ui/state/stored.ts'
import { portfolio as words } from '@ordbook/web-ui/strings/portfolio.ts'
import { sale } from '@ordbook/web-ui/strings/sale.ts'
import { Button, Empty, Price } from '@ordbook/web-ui/ui/basics.tsx'
import { LoadedList } from '@ordbook/web-ui/ui/loaded-list.tsx'
import { useState } from 'react'
import { useBestBids } from '../forms/best-bids.ts'
import { SellNow } from '../forms/sell-now-on-demand.ts'
import { CollectionChips } from '../holdings/collection-chips.tsx'
import { type Holding, HoldingCard } from '../holdings/holdings.tsx'
import { useItemValues } from '../holdings/item-values.ts'
import { MEASURES, type Measure, totalsOf, type Worth } from '../holdings/item-worth.ts'
import { Grid } from '../parts/grid.tsx'
import { HoldingBar } from './holding-bar.tsx'
import { HoldingWorth } from './holding-worth.tsx'
import { type TypedCosts, useTypedCosts } from './typed-costs.ts'
import { useChosen } from './use-chosen.ts'
import { WalletValues } from './wallet-values.tsx'

/** The visitor's inscriptions with value and cost. */
export function WalletHoldings({ address }: { address: string }) {
  const found = usePages('listHoldings', { params: { address }, query: {} })
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
      // The selection bar overlays the end of the list.
      className="grid grid-cols-[minmax(0,1fr)] gap-4 pb-20"
    >
      {(holdings) => <Held address={address} holdings={holdings} />}
    </LoadedList>
  )
}

const KEPT_MEASURE = 'value-by'

/** Returns the measure of value, stored in the browser. */
function useMeasure(): [Measure, (measure: Measure) => void] {
  const [measure, setMeasure] = useState<Measure>(
    () => MEASURES.find((measure) => measure === stored(KEPT_MEASURE)) ?? 'trait',
  )
  return [
    measure,
    (next) => {
      store(KEPT_MEASURE, next)
      setMeasure(next)
    },
  ]
}

/** Returns prices and cost of each holding. Recorded costs take precedence over entered ones. */
function useWorths(holdings: readonly Holding[], address: string, costs: TypedCosts) {
  const ids = holdings.map((holding) => holding.inscriptionId)
  const bids = useBestBids(ids)
  const values = useItemValues(ids)
  const worthOf = ({ inscriptionId, collectionFloorSats }: Holding): Worth => {
    const bought = values.get(inscriptionId)?.lastBought
    const paid = bought?.buyerAddress === address ? bought.paidSats : undefined
    return {
      traitFloorSats: values.get(inscriptionId)?.traitFloorSats ?? null,
      collectionFloorSats,
      bestOfferSats: bids.get(inscriptionId)?.priceSats ?? null,
      costSats: paid ?? costs[inscriptionId] ?? null,
    }
  }
  const isTyped = ({ inscriptionId }: Holding) =>
    values.get(inscriptionId)?.lastBought?.buyerAddress !== address && inscriptionId in costs
  return { bids, worthOf, isTyped }
}

/** Items with their values and a button to sell into the best offer. */
function Held({ address, holdings }: { address: string; holdings: readonly Holding[] }) {
  const { chosen, toggle, clear } = useChosen()
  const [selling, setSelling] = useState<Holding | null>(null)
  const [measure, setMeasure] = useMeasure()
  const [costs, typeCost] = useTypedCosts()
  const { bids, worthOf, isTyped } = useWorths(holdings, address, costs)
  const { collection } = useSearch({ from: '/wallet' })
  const setSearch = useSetSearch({ from: '/wallet' })
  const inCollection = holdings.filter((holding) => holding.collectionSlug === collection)
  const shown = inCollection.length > 0 ? inCollection : holdings
  const picked = holdings.filter((holding) => chosen.has(holding.inscriptionId))
  const bid = selling && bids.get(selling.inscriptionId)
  return (
    <>
      <WalletValues worths={shown.map(worthOf)} measure={measure} setMeasure={setMeasure} costs={costs} />
      <CollectionChips
        holdings={holdings}
        chosen={inCollection.length > 0 ? collection : undefined}
        onChoose={(slug) => setSearch((before) => ({ ...before, collection: slug }))}
      />
      <p className="text-small text-soft">{words.choose}</p>
      <Grid of={shown}>
        {(holding) => (
          <HoldingCard
            holding={holding}
            chosen={chosen.has(holding.inscriptionId)}
            onChoose={holding.collectionSlug ? () => toggle(holding.inscriptionId) : undefined}
            worth={
              <HoldingWorth
                name={holding.name}
                worth={worthOf(holding)}
                measure={measure}
                typedSats={isTyped(holding) ? costs[holding.inscriptionId] : undefined}
                onType={(sats) => typeCost(holding.inscriptionId, sats)}
              />
            }
          >
            <SellButton
              holding={holding}
              sats={bids.get(holding.inscriptionId)?.priceSats}
              onPress={() => setSelling(holding)}
            />
          </HoldingCard>
        )}
      </Grid>
      <HoldingBar
        picked={picked}
        valueSats={totalsOf(picked.map(worthOf), measure).values[measure]}
        onDone={clear}
      />
      {selling?.collectionSlug && bid && (
        <SellNow slug={selling.collectionSlug} bid={bid} item={selling} onClose={() => setSelling(null)} />
      )}
    </>
  )
}

function SellButton({
  holding,
  sats,
  onPress,
}: {
  holding: Holding
  sats: number | undefined
  onPress: () => void
}) {
  if (sats === undefined || !holding.collectionSlug) return null
  return (
    <Button kind="sell" className="!px-2" onClick={onPress}>
      <span>
        {sale.sellNow} <Price sats={sats} />
      </span>
      <span className="sr-only">: {holding.name}</span>
    </Button>
  )
}
