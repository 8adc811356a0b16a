import type { Answer } from '@ordbook/sdk/operations.ts'
import { useSettings } from '@ordbook/web-ui/api/settings.tsx'
import { amount } from '@ordbook/web-ui/format/format.ts'
import { difference } from '@ordbook/web-ui/money/difference.ts'
import { Link } from '@ordbook/web-ui/routing/routing.tsx'
import { Badge, Price, Time } from '@ordbook/web-ui/ui/basics.tsx'
import { CollectionName } from '@ordbook/web-ui/ui/collection-name.tsx'
import {
  CartIcon,
  ClockIcon,
  CloseIcon,
  InscribedIcon,
  LinkIcon,
  ListIcon,
  OfferIcon,
  PriceCutIcon,
  ShieldIcon,
  SwapIcon,
  TransferIcon,
} from '@ordbook/web-ui/ui/icons.tsx'
import { Media } from '@ordbook/web-ui/ui/media/media.tsx'
import { Rank } from '@ordbook/web-ui/ui/rank.tsx'
import type { ComponentType, SVGProps } from 'react'
import { AddressLink, InscriptionLink } from '../parts/links.tsx'
import { activity as words } from './strings.ts'

export type Event = Answer<'listActivity'>['activity'][number]
type Shown = keyof typeof words.events

const MARKS: Record<
  Shown,
  { Icon: ComponentType<SVGProps<SVGSVGElement>>; tone: 'soft' | 'good' | 'info' | 'lamp' }
> = {
  sold: { Icon: CartIcon, tone: 'good' },
  elsewhere: { Icon: LinkIcon, tone: 'good' },
  listed: { Icon: ListIcon, tone: 'info' },
  cut: { Icon: PriceCutIcon, tone: 'lamp' },
  delisted: { Icon: CloseIcon, tone: 'soft' },
  expired: { Icon: ClockIcon, tone: 'soft' },
  invalidated: { Icon: CloseIcon, tone: 'soft' },
  offer: { Icon: OfferIcon, tone: 'soft' },
  offer_ended: { Icon: CloseIcon, tone: 'soft' },
  trade: { Icon: SwapIcon, tone: 'info' },
  transfer: { Icon: TransferIcon, tone: 'soft' },
  inscribed: { Icon: InscribedIcon, tone: 'lamp' },
}

function shownOf({ kind, external, priceSats, wasSats }: Event): Shown {
  if (kind === 'sold' && external) return 'elsewhere'
  if (kind === 'listed' && wasSats !== null && priceSats !== null && priceSats < wasSats) return 'cut'
  return kind
}

/** An event as a table row. Phones hide some columns. */
export function ActivityRow({ row, isOfOneItem }: { row: Event; isOfOneItem: boolean }) {
  const { unit, fiat: rate } = useSettings()
  const { kind, priceSats, floorSats, rank, fromAddress, toAddress, txid, external } = row
  const shown = shownOf(row)
  const { Icon, tone } = MARKS[shown]
  const cell = 'px-3 py-2 whitespace-nowrap'
  const fiat = priceSats !== null && rate ? amount(priceSats, 'fiat', rate) : null
  const hasReceipt = (kind === 'sold' || kind === 'trade') && txid !== null && !external
  return (
    <tr className="border-b border-line last:border-0 hover:bg-raised">
      <td className={`${cell} max-md:px-2`}>
        <Badge tone={tone}>
          <Icon className="shrink-0 max-sm:hidden" />
          {words.events[shown]}
        </Badge>
      </td>
      {!isOfOneItem && <ItemCell row={row} />}
      <td className={`${cell} text-right font-semibold max-md:px-2`}>
        {priceSats !== null ? <Price sats={priceSats} /> : kind === 'trade' && words.items(row.itemCount)}
        <span className="block font-normal text-soft md:hidden">
          <Time at={row.at} />
        </span>
      </td>
      {rate && !isOfOneItem && (
        <td className={`${cell} tabular text-right text-soft max-lg:hidden`}>
          {fiat && unit !== 'fiat' && `${fiat.text} ${fiat.unit}`}
        </td>
      )}
      {!isOfOneItem && (
        <td className={`${cell} tabular text-right max-md:hidden`}>
          {priceSats !== null && floorSats !== null && (
            <span className={priceSats < floorSats ? 'text-down' : 'text-up'}>
              {difference(priceSats, floorSats)}
            </span>
          )}
        </td>
      )}
      <td className={`${cell} font-mono text-caption max-lg:hidden`}>
        {fromAddress && <AddressLink address={fromAddress} />}
      </td>
      <td className={`${cell} font-mono text-caption max-lg:hidden`}>
        {toAddress && <AddressLink address={toAddress} />}
      </td>
      {!isOfOneItem && (
        <td className={`${cell} tabular text-right max-lg:hidden`}>
          {rank !== null && <Rank rank={rank} />}
        </td>
      )}
      <td className={`${cell} text-right text-soft max-md:hidden`}>
        <Time at={row.at} />
      </td>
      <td className={`${cell} text-right max-md:hidden`}>
        {hasReceipt && (
          <Link
            to="/receipt/$txid"
            params={{ txid }}
            className="inline-flex items-center gap-1 font-[560] text-accent hover:underline"
          >
            <ShieldIcon />
            {words.receipt}
          </Link>
        )}
      </td>
    </tr>
  )
}

function ItemCell({ row }: { row: Event }) {
  return (
    <th scope="row" className="w-full max-w-0 px-3 py-2 text-left font-normal max-md:px-2">
      <span className="flex items-center gap-3">
        <span className="w-11 shrink-0 overflow-hidden rounded-control">
          <Media id={row.inscriptionId} contentType={row.contentType} name="" />
        </span>
        <span className="min-w-0 flex-1">
          <InscriptionLink
            id={row.inscriptionId}
            name={row.inscriptionName}
            className="block truncate leading-6 font-[560] hover:underline"
          />
          {row.collectionSlug && row.collectionName && (
            <Link
              to="/collection/$slug"
              params={{ slug: row.collectionSlug }}
              className="flex min-h-6 items-center gap-1 text-caption text-soft hover:underline"
            >
              <CollectionName of={row} />
            </Link>
          )}
        </span>
      </span>
    </th>
  )
}
