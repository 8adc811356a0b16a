import { CollectionName } from '@ordbook/web-ui/ui/collection-name.tsx'
import { Media } from '@ordbook/web-ui/ui/media/media.tsx'
import type { ComponentProps, ReactNode } from 'react'

interface Props {
  item: { inscriptionId: string; name: string; contentType: string | null }
  /** Undefined while it is loading. */
  collection: ComponentProps<typeof CollectionName>['of'] | undefined
  children?: ReactNode
}

/** The item of a ticket: picture, name, collection and price. */
export function TicketSubject({ item: { inscriptionId, name, contentType }, collection, children }: Props) {
  return (
    <div className="flex items-center gap-4">
      <span className="w-24 shrink-0 overflow-hidden rounded-card">
        <Media id={inscriptionId} contentType={contentType} name="" />
      </span>
      <div className="min-w-0">
        <p dir="auto" className="font-[560] [overflow-wrap:anywhere]">
          {name}
        </p>
        <p className="flex h-5 min-w-0 items-center gap-1 text-small text-soft">
          {collection && <CollectionName of={collection} />}
        </p>
        {children}
      </div>
    </div>
  )
}
