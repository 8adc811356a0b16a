import type { Answer } from '@ordbook/sdk/operations.ts'
import { usePages } from '@ordbook/web-ui/api/client.ts'
import { useSession } from '@ordbook/web-ui/session/session.tsx'
import { sale as words } from '@ordbook/web-ui/strings/sale.ts'
import { ticketActions } from '@ordbook/web-ui/ticket/progress/tickets.ts'
import { type Bid, saleOf } from '@ordbook/web-ui/ticket/sale.ts'
import { Button, Empty, Price } from '@ordbook/web-ui/ui/basics.tsx'
import { LoadedList } from '@ordbook/web-ui/ui/loaded-list.tsx'
import { Media } from '@ordbook/web-ui/ui/media/media.tsx'
import { Sheet } from '@ordbook/web-ui/ui/sheet.tsx'
import { useEffect, useState } from 'react'
import { ConnectFirst } from '../parts/connect-first.tsx'
import { SaleSheet, type SoldItem } from './sale-ticket.tsx'

interface Props {
  slug: string
  /** An offer on an item requires `item`. */
  bid: Bid
  scope?: string
  /** If unset, the visitor chooses an eligible item. */
  item?: SoldItem
  onClose: () => void
}

/** Dialog to sell an item into an offer. `onClose` must unmount it. */
export function SellNow({ slug, bid, scope, item, onClose }: Props) {
  const [chosen, setChosen] = useState<SoldItem | null>(null)
  const choose = (next: SoldItem) => {
    ticketActions.edit(saleOf(next.inscriptionId), { ...bid })
    setChosen(next)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: the ticket opens once
  useEffect(() => {
    if (item) choose(item)
  }, [])
  if (chosen) return <SaleSheet item={chosen} onClose={onClose} />
  if (item) return null
  return (
    <Sheet open title={words.sellNow} onClose={onClose}>
      <div className="grid gap-4">
        <p>
          <Price sats={bid.priceSats} className="text-h2" />{' '}
          {scope && <span className="text-soft">{words.forAny(scope)}</span>}
        </p>
        <Fitting slug={slug} offerId={bid.offerId} onChoose={choose} />
      </div>
    </Sheet>
  )
}

function Fitting({
  slug,
  offerId,
  onChoose,
}: {
  slug: string
  offerId: string
  onChoose: (item: SoldItem) => void
}) {
  const { account } = useSession()
  const walletBindingId = account?.walletBindingId ?? ''
  const found = usePages(
    'listFittingItems',
    { params: { slug, offerId }, query: { walletBindingId } },
    { enabled: Boolean(account) },
  )
  if (!account) return <ConnectFirst title={words.connect} />
  return (
    <LoadedList of={found} rows={(page) => page.items} empty={<Empty title={words.noneFits} />}>
      {(items) => (
        <ul className="grid gap-2">
          {items.map((item) => (
            <FittingRow key={item.inscriptionId} item={item} onChoose={() => onChoose(item)} />
          ))}
        </ul>
      )}
    </LoadedList>
  )
}

type FittingItem = Answer<'listFittingItems'>['items'][number]

function FittingRow({ item, onChoose }: { item: FittingItem; onChoose: () => void }) {
  return (
    <li className="flex items-center gap-3 [contain-intrinsic-size:auto_48px] [content-visibility:auto]">
      <span className="w-12 shrink-0 overflow-hidden rounded">
        <Media id={item.inscriptionId} contentType={item.contentType} name="" />
      </span>
      <span dir="auto" className="min-w-0 flex-1 text-small [overflow-wrap:anywhere]">
        {item.name}
        {item.priceSats !== null && (
          <span className="block text-caption text-soft">
            {words.listedFor} <Price sats={item.priceSats} />
          </span>
        )}
      </span>
      <Button kind="sell" aria-label={words.sell(item.name)} onClick={onChoose}>
        {words.sellShort}
      </Button>
    </li>
  )
}
