import { shortAddress } from '@ordbook/web-ui/format/format.ts'
import { Link } from '@ordbook/web-ui/routing/routing.tsx'

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

export function InscriptionLink({ id, name, className }: { id: string; name: string; className: string }) {
  return (
    <Link to="/inscription/$id" params={{ id }} className={className}>
      {name}
    </Link>
  )
}
