import { useNavigate, useSearch } from '@tanstack/react-router'
import { useRead } from '../client.ts'
import { shortAddress } from '../format.ts'
import { useSession } from '../session.tsx'
import { Copyable, Loading, Price, Tabs } from '../ui/basics.tsx'
import { frame } from '../words/pages.ts'
import { ActivityList } from './activity-list.tsx'
import { ConnectFirst } from './connect-first.tsx'
import { OwnOffers } from './own-offers.tsx'
import { WalletEscrows } from './wallet-escrows.tsx'
import { WalletHoldings } from './wallet-holdings.tsx'
import { WalletSessions } from './wallet-sessions.tsx'

const TABS = [
  { id: 'items', label: 'Inscriptions' },
  { id: 'escrow', label: 'In escrow' },
  { id: 'received', label: 'Offers received' },
  { id: 'sent', label: 'Offers made' },
  { id: 'activity', label: 'Activity' },
  { id: 'sessions', label: 'Sessions' },
] as const

/** The visitor's own wallet: items, listings, offers and sessions. */
export default function WalletPage() {
  const { account } = useSession()
  const search = useSearch({ from: '/wallet' })
  const navigate = useNavigate({ from: '/wallet' })
  const tab = TABS.find((each) => each.id === search.tab)?.id ?? 'items'
  if (account === undefined) return <Loading />
  if (account === null)
    return (
      <div className="grid gap-5">
        <h1 className="text-h1">{frame.portfolio}</h1>
        <ConnectFirst title="Connect your wallet to see what you hold" />
      </div>
    )
  return (
    <div className="grid gap-5">
      <header className="flex flex-wrap items-end justify-between gap-4">
        <h1 className="text-h1">{frame.portfolio}</h1>
        <Funds {...account} />
      </header>
      <Tabs
        label="Parts of the portfolio"
        tabs={TABS}
        value={tab}
        onChange={(id) => void navigate({ search: { tab: id }, replace: true })}
      />
      {tab === 'items' && <WalletHoldings address={account.ordinalsAddress} />}
      {tab === 'escrow' && <WalletEscrows />}
      {tab === 'received' && <OwnOffers view="owned" />}
      {tab === 'sent' && <OwnOffers view="sent" />}
      {tab === 'activity' && <ActivityList about={{ address: account.ordinalsAddress }} />}
      {tab === 'sessions' && <WalletSessions />}
    </div>
  )
}

function Address({ kind, address }: { kind: 'Ordinals' | 'Payment'; address: string }) {
  return (
    <div>
      <dt className="text-soft">{kind} address</dt>
      <dd>
        <Copyable text={address} shown={shortAddress(address)} what={`${kind.toLowerCase()} address`} />
      </dd>
    </div>
  )
}

/** The wallet's addresses and the funds that it can spend. */
function Funds({
  walletBindingId,
  ordinalsAddress,
  paymentAddress,
}: {
  walletBindingId: string
  ordinalsAddress: string
  paymentAddress: string
}) {
  const coins = useRead('listCoins', { query: { walletBindingId } })
  return (
    <dl className="flex flex-wrap gap-x-8 gap-y-3 text-sm">
      <Address kind="Ordinals" address={ordinalsAddress} />
      <Address kind="Payment" address={paymentAddress} />
      <div>
        <dt className="text-soft">Available</dt>
        <dd>
          {coins.data ? (
            <>
              <Price sats={coins.data.totalSats} className="text-base font-semibold" />
              {coins.data.keptBackCount > 0 &&
                `, ${coins.data.keptBackCount} coins protected (they hold inscriptions or rare sats)`}
            </>
          ) : coins.error ? (
            'The node does not answer now.'
          ) : (
            'Counting your coins…'
          )}
        </dd>
      </div>
    </dl>
  )
}
