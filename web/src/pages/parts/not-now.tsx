/** Explains that the network fee of an offer exceeds its payout. */
export function NotNow({ to }: { to: 'maker' | 'owner' }) {
  return (
    <p className="w-full rounded-lg bg-tint p-2 text-sm">
      {to === 'maker'
        ? 'Your offer is inactive: the network fee would cost the seller more than the offer pays. It becomes active when fees fall, or if you offer more.'
        : 'You cannot accept this offer now: the network fee would cost you more than the offer pays. Wait until fees fall.'}
    </p>
  )
}
