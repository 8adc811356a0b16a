import { shortAddress } from '@ordbook/web-ui/format/format.ts'
import { Link } from '@ordbook/web-ui/routing/routing.tsx'

/** A shortened address that links to its page. */
export function AddressLink({
  address,
  className = 'hover:underline',
}: {
  address: string
  className?: string
}) {
  return (
    <Link to="/address/$address" params={{ address }} className={className}>
      {shortAddress(address)}
    </Link>
  )
}

/** The name of an inscription, linked to its page. */
export function InscriptionLink({ id, name, className }: { id: string; name: string; className: string }) {
  return (
    <Link to="/inscription/$id" params={{ id }} className={className}>
      {name}
    </Link>
  )
}
