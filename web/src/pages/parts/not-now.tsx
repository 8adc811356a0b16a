/** Explains to the maker or the owner why an offer is not executable: the network fee exceeds what it pays. */
export function NotNow({ to }: { to: 'maker' | 'owner' }) {
  return (
    <p className="w-full rounded-lg bg-tint p-2 text-sm">
      {to === 'maker'
        ? 'Your offer does not count now: the network fee would cost the seller more than it pays. It counts again when fees fall; a higher offer counts immediately.'
        : 'You cannot take this offer now: the network fee would cost you more than it pays. It counts again when fees fall.'}
    </p>
  )
}
