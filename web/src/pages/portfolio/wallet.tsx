import { usePages, useRead } from '@ordbook/web-ui/api/client.ts'
import { count } from '@ordbook/web-ui/format/format.ts'
import { useSearch, useSetSearch } from '@ordbook/web-ui/routing/routing.tsx'
import { useSession } from '@ordbook/web-ui/session/session.tsx'
import { frame } from '@ordbook/web-ui/strings/pages.ts'
import { portfolio as words } from '@ordbook/web-ui/strings/portfolio.ts'
import { Loading, Tabs } from '@ordbook/web-ui/ui/basics.tsx'
import { onDemand } from '@ordbook/web-ui/ui/on-demand.tsx'
import { WaitingCards } from '../../inbox/waiting-cards.tsx'
import { ConnectFirst } from '../parts/connect-first.tsx'
import { PortfolioValue } from './portfolio-value.tsx'

const OwnOffers = onDemand(() => import('./own-offers.tsx').then((part) => part.OwnOffers))
const OwnTrades = onDemand(() => import('./own-trades.tsx').then((part) => part.OwnTrades))
const PortfolioActivity = onDemand(() =>
  import('./portfolio-activity.tsx').then((part) => part.PortfolioActivity),
)
const PortfolioListings = onDemand(() =>
  import('./portfolio-listings.tsx').then((part) => part.PortfolioListings),
)
const WalletHoldings = onDemand(() => import('./wallet-holdings.tsx').then((part) => part.WalletHoldings))
const WalletSessions = onDemand(() => import('./wallet-sessions.tsx').then((part) => part.WalletSessions))

type Tab = keyof typeof words.tabs
const TABS = Object.keys(words.tabs) as Tab[]

export default function WalletPage() {
  const { account } = useSession()
  const search = useSearch({ from: '/wallet' })
  const setSearch = useSetSearch({ from: '/wallet' })
  const waiting = useRead('listWaiting', {}, { enabled: account != null })
  const asked = search.tab ?? 'items'
  const tab = TABS.find((id) => id === asked) ?? 'items'
  const counts = useCounts(account != null)
  const head = <h1 className="text-h1">{frame.portfolio}</h1>
  // The tasks are first: without them the page would move when they load.
  if (!account || waiting.isPending)
    return (
      <div className="grid gap-5">
        {head}
        {account === null ? <ConnectFirst title={words.connect} /> : <Loading />}
      </div>
    )
  const address = account.ordinalsAddress
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-5">
      {head}
      {waiting.data && <WaitingCards {...waiting.data} />}
      <PortfolioValue />
      <Tabs
        label={words.parts}
        tabs={TABS.map((id) => ({ id, label: words.tabs[id], count: counts[id] }))}
        value={tab}
        onChange={(id) => setSearch(() => ({ tab: id }))}
      />
      {tab === 'items' && <WalletHoldings address={address} />}
      {tab === 'listings' && <PortfolioListings address={address} />}
      {tab === 'received' && <OwnOffers view="owned" />}
      {tab === 'sent' && <OwnOffers view="sent" />}
      {tab === 'trades' && <OwnTrades />}
      {tab === 'activity' && <PortfolioActivity about={{ address }} />}
      {tab === 'receipts' && <PortfolioActivity about={{ address, kind: 'sales' }} none={words.noReceipts} />}
      {tab === 'sessions' && <WalletSessions />}
    </div>
  )
}

/** Returns the numbers of rows by tab, as text, from the reads of the tabs. */
function useCounts(enabled: boolean): Partial<Record<Tab, string>> {
  const listings = usePages('listOwnListings', { query: {} }, { enabled }).data?.pages[0]
  const offers = usePages('listMyOffers', { query: { view: 'owned' } }, { enabled }).data?.pages[0]
  return {
    ...(listings && { listings: count(listings.liveCount) }),
    ...(offers && { received: count(offers.ownedCount), sent: count(offers.sentCount) }),
  }
}
