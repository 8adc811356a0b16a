import type { Answer } from '@ordbook/sdk/operations.ts'
import { Link } from '@ordbook/web-ui/routing/routing.tsx'
import { Verification } from '@ordbook/web-ui/ui/verified.tsx'
import type { ReactNode } from 'react'
import { CollectionPicture } from './collection-picture.tsx'

export type CollectionRow = Answer<'browseCollections'>['collections'][number]

export function CollectionLine({
  row,
  below,
  children,
}: {
  row: CollectionRow
  below: ReactNode
  children?: ReactNode
}) {
  return (
    <Link
      to="/collection/$slug"
      params={{ slug: row.slug }}
      className="flex min-w-0 flex-1 items-center gap-3 py-1.5 hover:bg-raised"
    >
      <span className="w-11 shrink-0 overflow-hidden rounded-control">
        <CollectionPicture of={row} />
      </span>
      <span className="min-w-0 flex-1">
        <span className="flex items-center gap-1.5">
          <span dir="auto" className="truncate font-[560]">
            {row.name}
          </span>
          <Verification of={row.verificationStatus} sameNameAs={row.sameNameAs} />
        </span>
        <span className="block truncate text-caption text-soft">{below}</span>
      </span>
      {children}
    </Link>
  )
}
