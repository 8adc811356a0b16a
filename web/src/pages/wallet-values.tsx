import { Price } from '../ui/basics.tsx'
import { portfolio as words } from '../words/portfolio.ts'
import type { BestBid } from './best-bids.ts'
import type { Holding } from './holdings.tsx'

const sumOf = (amounts: readonly (number | null | undefined)[]) =>
  amounts.reduce<number>((sum, each) => sum + (each ?? 0), 0)

/** The sums of the amounts on the cards below, by floor and by the offer that each could be sold into. */
export function WalletValues({
  holdings,
  bids,
}: {
  holdings: readonly Holding[]
  bids: ReadonlyMap<string, BestBid>
}) {
  return (
    <section aria-label={words.values} className="panel flex flex-wrap gap-x-10 gap-y-3 p-4">
      <Value label={words.byFloor} sats={sumOf(holdings.map((each) => each.collectionFloorSats))} />
      <Value
        label={words.byOffer}
        sats={sumOf(holdings.map((each) => bids.get(each.inscriptionId)?.priceSats))}
      />
      <p className="self-end text-caption text-soft">{words.ofShown(holdings.length)}</p>
    </section>
  )
}

const Value = ({ label, sats }: { label: string; sats: number }) => (
  <p>
    <span className="block text-caption text-soft">{label}</span>
    <Price sats={sats} className="text-h2" />
  </p>
)
