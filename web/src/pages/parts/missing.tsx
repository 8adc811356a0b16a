import { ApiError } from '@ordbook/sdk/errors.ts'
import { useTitle } from '@ordbook/web-ui/routing/title.ts'
import { SearchIcon } from '@ordbook/web-ui/ui/icons.tsx'
import type { ReactNode } from 'react'

/** Returns true if the id or slug in the path is unknown or invalid. */
export const isMissing = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 404 || error.status === 400)

/** Page of an unknown subject. `children` contains one suggestion. */
export function Missing({
  title,
  heading,
  children,
}: {
  title: string
  heading: string
  children: ReactNode
}) {
  useTitle(title)
  return (
    <div className="panel grid justify-items-center gap-3 px-6 py-12 text-center">
      <SearchIcon className="text-2xl text-soft" />
      <h1 className="text-h2 [overflow-wrap:anywhere]">{heading}</h1>
      {children}
    </div>
  )
}
