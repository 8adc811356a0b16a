import type { Answer } from '@ordbook/sdk/operations.ts'
import { home as words } from '@ordbook/web-ui/strings/home.ts'
import { Price, Time } from '@ordbook/web-ui/ui/basics.tsx'
import { Media } from '@ordbook/web-ui/ui/media/media.tsx'
import { InscriptionLink } from '../parts/links.tsx'

type Sale = Answer<'listActivity'>['activity'][number]

/** Recent sales with a fixed height, to avoid layout shifts. */
export function LiveSales({ sales }: { sales: readonly Sale[] | undefined }) {
  return (
    <section aria-label={words.sales} className="panel flex h-15 items-center gap-5 px-4">
      <h2 className="shrink-0 text-small font-[620]">{words.sales}</h2>
      <ul aria-live="off" className="flex min-w-0 flex-1 snap-x gap-6 overflow-x-auto">
        {sales?.map((sale) => (
          <li
            key={`${sale.txid} ${sale.inscriptionId}`}
            className="flex shrink-0 snap-start items-center gap-2.5 text-small"
          >
            <span aria-hidden="true" className="w-9 shrink-0 overflow-hidden rounded-control">
              <Media id={sale.inscriptionId} contentType={sale.contentType} name="" />
            </span>
            <span>
              <InscriptionLink
                id={sale.inscriptionId}
                name={sale.inscriptionName}
                className="block max-w-44 truncate leading-6 font-[560] hover:underline"
              />
              {sale.priceSats !== null && <Price sats={sale.priceSats} />}{' '}
              <span className="text-caption text-soft">
                <Time at={sale.at} />
              </span>
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
