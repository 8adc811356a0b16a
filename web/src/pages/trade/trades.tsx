import { usePages, useRead } from '@ordbook/web-ui/api/client.ts'
import { Link, useSearch, useSetSearch } from '@ordbook/web-ui/routing/routing.tsx'
import { useSession } from '@ordbook/web-ui/session/session.tsx'
import { portfolio } from '@ordbook/web-ui/strings/portfolio.ts'
import { Badge, BUTTON, Empty, KINDS, Loaded, Tabs } from '@ordbook/web-ui/ui/basics.tsx'
import { LoadedList } from '@ordbook/web-ui/ui/loaded-list.tsx'
import { ConnectFirst } from '../parts/connect-first.tsx'
import { AcceptanceCard } from './acceptance-card.tsx'
import { ProposalCard } from './proposal-card.tsx'

type Proposal = Parameters<typeof ProposalCard>[0]['proposal']

export default function TradesPage() {
  const { account } = useSession()
  const search = useSearch({ from: '/trades' })
  const setSearch = useSetSearch({ from: '/trades' })
  const received = useRead('listAcceptances', { query: { view: 'received' } }, { enabled: Boolean(account) })
  const waiting = account
    ? (received.data?.acceptances ?? []).filter((acceptance) => acceptance.state === 'active').length
    : 0
  const tabs = [
    { id: 'all', label: 'All' },
    { id: 'matching', label: 'For my items' },
    { id: 'own', label: 'My proposals' },
    {
      id: 'received',
      label: <>To complete {waiting > 0 && <Badge tone="lamp">{waiting}</Badge>}</>,
    },
    { id: 'sent', label: 'Accepted by me' },
  ] as const
  const tab = tabs.find((tab) => tab.id === search.tab)?.id ?? 'all'
  return (
    <div className="grid gap-5">
      <header className="flex flex-wrap items-center justify-between gap-4">
        <div>
          <h1 className="text-2xl font-semibold">Trades</h1>
          <p className="max-w-prose text-soft">
            Swap inscriptions and sats with another collector, in one transaction that both sides sign.
          </p>
        </div>
        <Link to="/trades/new" className={`${BUTTON} ${KINDS.main}`}>
          Propose a trade
        </Link>
      </header>
      <Tabs
        label="Trades to show"
        tabs={tabs}
        value={tab}
        onChange={(id) => setSearch(() => ({ tab: id }), { replace: true })}
      />
      {tab === 'all' ? (
        <Proposals of="listTradeProposals" none="No open trades">
          Be the first to propose one.
        </Proposals>
      ) : account ? (
        <Own tab={tab} />
      ) : (
        <ConnectFirst title="Connect your wallet to see your trades" />
      )}
    </div>
  )
}

export function Proposals({
  of,
  none,
  children,
}: {
  of: 'listTradeProposals' | 'listOwnProposals'
  none: string
  children?: string
}) {
  const found = usePages(of, { query: {} })
  return (
    <LoadedList
      of={found}
      rows={(page): readonly Proposal[] => page.proposals}
      empty={<Empty title={none}>{children}</Empty>}
    >
      {(proposals) => <List proposals={proposals} />}
    </LoadedList>
  )
}

function List({ proposals }: { proposals: readonly Proposal[] }) {
  return (
    <ul className="grid gap-3 xl:grid-cols-2">
      {proposals.map((proposal) => (
        <li key={proposal.id}>
          <ProposalCard proposal={proposal} />
        </li>
      ))}
    </ul>
  )
}

function Own({ tab }: { tab: 'matching' | 'own' | 'received' | 'sent' }) {
  if (tab === 'matching') return <Matching />
  if (tab === 'own') return <Proposals of="listOwnProposals" none={portfolio.noProposals} />
  return <Acceptances view={tab} />
}

function Matching() {
  const found = useRead('listMatchingProposals')
  return (
    <Loaded of={found}>
      {({ proposals }) =>
        proposals.length === 0 ? (
          <Empty title="No open trade asks for your items" />
        ) : (
          <List proposals={proposals} />
        )
      }
    </Loaded>
  )
}

export function Acceptances({ view }: { view: 'received' | 'sent' }) {
  const found = usePages('listAcceptances', { query: { view } })
  return (
    <LoadedList
      of={found}
      rows={(page) => page.acceptances}
      empty={
        <Empty
          title={view === 'sent' ? 'You have not accepted any trades' : 'Your trades have no acceptances yet'}
        />
      }
    >
      {(acceptances) => (
        <ul className="grid gap-3">
          {acceptances.map((acceptance) => (
            <li key={acceptance.acceptanceId}>
              <AcceptanceCard acceptance={acceptance} view={view} />
            </li>
          ))}
        </ul>
      )}
    </LoadedList>
  )
}
