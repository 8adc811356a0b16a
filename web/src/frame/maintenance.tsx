import { useRead } from '@ordbook/web-ui/api/client.ts'
import { status as words } from '@ordbook/web-ui/strings/pages.ts'

/** Banner with the operator's notice during maintenance. */
export function Maintenance() {
  const { data } = useRead('getStatus', {})
  if (!data?.maintenance) return null
  return (
    <p role="status" className="border-b border-line bg-tint px-4 py-2 text-center text-small">
      {words.maintenance(data.maintenance.notice)}
    </p>
  )
}
