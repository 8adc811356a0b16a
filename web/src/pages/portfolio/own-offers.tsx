import type { Answer } from '@ordbook/sdk/operations.ts'
import { usePages } from '@ordbook/web-ui/api/client.ts'
import { Link } from '@ordbook/web-ui/routing/routing.tsx'
import { Badge, Empty, Loaded, More, Price, Time } from '@ordbook/web-ui/ui/basics.tsx'
import { NotNow } from '../parts/not-now.tsx'

type Offer = Extract<Answer<'listMyOffers'>, { view: 'sent' }>['rows'][number]

/** Offers on the visitor's items (`owned`) or made by the visitor (`sent`). */
export function OwnOffers({ view }: { view: 'sent' | 'owned' }) {
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
          return (
            <Empty title={view === 'sent' ? 'You have not made any offers' : 'No offers for your items'} />
          )
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
      {!offer.executable && <NotNow to={offer.side === 'sent' ? 'maker' : 'owner'} />}
    </li>
  )
}
