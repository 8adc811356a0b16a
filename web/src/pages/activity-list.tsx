import { usePages } from '../client.ts'
import { Badge, Empty, Price, Time } from '../ui/basics.tsx'
import { LoadedList } from '../ui/loaded-list.tsx'
import { Media } from '../ui/media.tsx'
import { AddressLink, InscriptionLink } from './links.tsx'

const WORDS = {
  listed: ['Listed', 'soft'],
  delisted: ['Delisted', 'soft'],
  expired: ['Expired', 'soft'],
  invalidated: ['Ended', 'soft'],
  sold: ['Sold', 'good'],
} as const

/** Listings and sales, newest first. */
export function ActivityList({
  about,
}: {
  about: { slug?: string; inscriptionId?: string; address?: string }
}) {
  const found = usePages('listActivity', { query: about })
  return (
    <LoadedList of={found} rows={(page) => page.activity} empty={<Empty title="No activity yet." />}>
      {(rows) => (
        <ul className="panel divide-y divide-line">
          {rows.map((row) => (
            <li
              key={`${row.kind} ${row.at} ${row.inscriptionId} ${row.txid}`}
              className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5 text-sm"
            >
              <span className="w-9 shrink-0 overflow-hidden rounded">
                <Media id={row.inscriptionId} contentType={row.contentType} name="" />
              </span>
              <InscriptionLink
                id={row.inscriptionId}
                name={row.inscriptionName}
                className="min-w-28 flex-1 font-medium hover:underline"
              />
              <Badge tone={WORDS[row.kind][1]}>
                {WORDS[row.kind][0]}
                {row.external ? ' elsewhere' : ''}
              </Badge>
              <Price sats={row.priceSats} />
              <span className="hidden font-mono text-xs text-soft md:inline">
                {row.fromAddress && <AddressLink address={row.fromAddress} />}
                {row.toAddress && (
                  <>
                    {' → '}
                    <AddressLink address={row.toAddress} />
                  </>
                )}
              </span>
              <span className="w-24 text-right text-soft">
                <Time at={row.at} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </LoadedList>
  )
}
