import { useSettings } from '@ordbook/web-ui/api/settings.tsx'
import { count } from '@ordbook/web-ui/format/format.ts'
import { Facts } from '@ordbook/web-ui/ui/facts.tsx'
import { how as words } from './strings.ts'

const percent = (bps: number) => `${bps / 100}%`

export default function HowPage() {
  const { market } = useSettings()
  return (
    <div className="mx-auto grid max-w-3xl gap-8">
      <header className="grid gap-2">
        <h1 className="text-h1">{words.title}</h1>
        <p className="text-[16px] leading-6 text-soft">{words.lead}</p>
      </header>
      <ol className="grid gap-3">
        {words.steps.map(({ title, text }, n) => (
          <li key={title} className="panel grid grid-cols-[32px_minmax(0,1fr)] gap-x-3 p-4">
            <span
              aria-hidden="true"
              className="tabular grid size-8 place-items-center rounded-full bg-tint font-semibold text-accent"
            >
              {n + 1}
            </span>
            <div className="grid gap-1">
              <h2 className="text-h3">{title}</h2>
              <p className="text-soft">{text}</p>
            </div>
          </li>
        ))}
      </ol>
      <section className="grid gap-3">
        <h2 className="text-h2">{words.guarantees}</h2>
        <ul className="grid list-disc gap-1.5 pl-5 text-soft">
          {words.protections.map((protection) => (
            <li key={protection}>{protection}</li>
          ))}
        </ul>
        <p className="rounded-button bg-tint px-3 py-2.5 text-small">{words.trust}</p>
      </section>
      {market && <Fees {...market.fees} />}
    </div>
  )
}

function Fees(fees: {
  sellerFeeBps: number
  buyerFeeBps: number
  fillFeeBps: number
  proposalFeeSats: number
}) {
  const rows = [
    [words.sellerFee, percent(fees.sellerFeeBps)],
    [words.buyerFee, percent(fees.buyerFeeBps)],
    [words.collectionOfferFee, percent(fees.fillFeeBps)],
    [words.tradeFee, `${count(fees.proposalFeeSats)} sats`],
  ] as const
  return (
    <section className="grid gap-3">
      <h2 className="text-h2">{words.fees}</h2>
      <Facts
        rows={rows}
        row="flex justify-between gap-4"
        value="tabular font-semibold"
        className="panel p-4"
      />
      <p className="text-small text-soft">{words.more}</p>
    </section>
  )
}
