import { useRead } from '@ordbook/web-ui/api/client.ts'
import { Link } from '@ordbook/web-ui/routing/routing.tsx'
import { portfolio as words } from '@ordbook/web-ui/strings/portfolio.ts'

type Kind = keyof typeof words.attention

const PLACES: Record<Kind, { to: '/wallet' | '/trades'; tab: string }> = {
  offers: { to: '/wallet', tab: 'received' },
  acceptances: { to: '/trades', tab: 'received' },
  proposals: { to: '/trades', tab: 'matching' },
  escrows: { to: '/wallet', tab: 'listings' },
  ended: { to: '/wallet', tab: 'listings' },
  pending: { to: '/wallet', tab: 'listings' },
}
const ORDER: readonly Kind[] = ['offers', 'acceptances', 'escrows', 'ended', 'proposals', 'pending']

/** Cards with the number of pending tasks. */
export function PortfolioAttention() {
  const offers = useRead('listMyOffers', { query: { view: 'owned' } })
  const received = useRead('listAcceptances', { query: { view: 'received' } })
  const matching = useRead('listMatchingProposals')
  const escrows = useRead('listMyEscrows', { query: { limit: 100 } })
  const listings = useRead('listOwnListings', { query: {} })
  const counts: Record<Kind, number> = {
    offers: offers.data?.actionableCount ?? 0,
    acceptances: received.data?.acceptances.filter(({ state }) => state === 'active').length ?? 0,
    proposals: matching.data?.proposals.length ?? 0,
    escrows: escrows.data?.escrows.filter(({ actions }) => actions.includes('reclaim')).length ?? 0,
    ended: listings.data?.endedCount ?? 0,
    pending: listings.data?.listings.filter(({ state }) => state === 'hidden_locked').length ?? 0,
  }
  const waiting = ORDER.filter((kind) => counts[kind] > 0)
  return (
    // Fixed height, to avoid layout shifts.
    <ul aria-label={words.waiting} className="flex h-17 gap-2 overflow-x-auto">
      {waiting.length === 0 && <li className="self-center text-soft">{words.nothingWaits}</li>}
      {waiting.map((kind) => (
        <li key={kind} className="shrink-0">
          <Link
            to={PLACES[kind].to}
            search={{ tab: PLACES[kind].tab }}
            className="block h-full rounded-picture border border-accent bg-tint px-4 py-3 hover:brightness-105"
          >
            <span className="block font-semibold">{words.attention[kind](counts[kind])}</span>
            <span className="block text-small text-soft">{words.attentionWhy[kind]}</span>
          </Link>
        </li>
      ))}
    </ul>
  )
}
