import { useRead } from '@ordbook/web-ui/api/client.ts'
import { Link } from '@ordbook/web-ui/routing/routing.tsx'
import { home as words } from '@ordbook/web-ui/strings/home.ts'
import { ProposalLines } from '../trade/proposal-line.tsx'

const SHOWN = 4

export function OpenTrades() {
  const found = useRead('listTradeProposals', { query: { limit: SHOWN } })
  const proposals = found.data?.proposals ?? []
  if (proposals.length === 0) return null
  return (
    <section>
      <div className="mb-3 flex flex-wrap items-baseline justify-between gap-3">
        <h2 className="text-h2">{words.trades}</h2>
        <Link to="/trades" className="text-accent hover:underline">
          {words.allTrades}
        </Link>
      </div>
      <ProposalLines proposals={proposals} />
    </section>
  )
}
