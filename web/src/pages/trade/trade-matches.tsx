import { useRead } from '@ordbook/web-ui/api/client.ts'
import { Link } from '@ordbook/web-ui/routing/routing.tsx'
import { swap as words } from '@ordbook/web-ui/strings/swap.ts'
import { ProposalLine } from './proposal-line.tsx'

const SHOWN = 3

/** Open proposals that the visitor's wallet can fill. */
export function TradeMatches() {
  const proposals = useRead('listMatchingProposals').data?.proposals ?? []
  if (proposals.length === 0) return null
  return (
    <section className="grid gap-3">
      <div className="flex flex-wrap items-baseline justify-between gap-3">
        <h2 className="text-h2">{words.looking}</h2>
        <Link to="/trades" search={{ tab: 'matching' }} className="text-accent hover:underline">
          {words.matching(proposals.length)}
        </Link>
      </div>
      <ul className="grid gap-3 md:grid-cols-2 lg:grid-cols-3">
        {proposals.slice(0, SHOWN).map((proposal) => (
          <li key={proposal.id} className="min-w-0">
            <ProposalLine proposal={proposal} />
          </li>
        ))}
      </ul>
    </section>
  )
}
