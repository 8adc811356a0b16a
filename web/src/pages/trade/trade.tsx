import type { Answer } from '@ordbook/sdk/operations.ts'
import { client, queries, usePages, useRead } from '@ordbook/web-ui/api/client.ts'
import { money, shortAddress } from '@ordbook/web-ui/format/format.ts'
import { useParams } from '@ordbook/web-ui/routing/routing.tsx'
import { useTitle } from '@ordbook/web-ui/routing/title.ts'
import { useSession } from '@ordbook/web-ui/session/session.tsx'
import { useAct } from '@ordbook/web-ui/signing/act.tsx'
import { items, titles } from '@ordbook/web-ui/strings/pages.ts'
import { swap as words } from '@ordbook/web-ui/strings/swap.ts'
import { GuardList } from '@ordbook/web-ui/ticket/guard-list.tsx'
import { useGuarded } from '@ordbook/web-ui/ticket/guarded.ts'
import { useMoved } from '@ordbook/web-ui/ticket/moved.ts'
import { shownOf } from '@ordbook/web-ui/ticket/quotes/purchase-quote.ts'
import { SwapBill } from '@ordbook/web-ui/ticket/quotes/swap-bill.tsx'
import { Badge, Button, Loaded, More, Price } from '@ordbook/web-ui/ui/basics.tsx'
import { useState } from 'react'
import type { Holding } from '../holdings/holdings.tsx'
import { ConnectFirst } from '../parts/connect-first.tsx'
import { AcceptanceCard } from './acceptance-card.tsx'
import { ProposalSides, WantedItems } from './proposal-card.tsx'
import { Picks, pickOf } from './trade-picks.tsx'
import { TradeStatus } from './trade-status.tsx'
import { tradeTurnOf } from './trade-turn.ts'

type Proposal = Answer<'getProposal'>
type Leg = Proposal['wantedLegs'][number]

/** Describes one side of a trade. */
const sideOf = (count: number, name: string | undefined, sats: number) => [
  ...(count === 0 ? [] : [count === 1 && name ? name : items(count)]),
  ...(sats === 0 ? [] : [money(sats)]),
]

function titleOf({ offeredItems, offeredBtcSats, wantedLegs, requestedBtcSats }: Proposal): string {
  const wanted = wantedLegs.reduce((sum, leg) => sum + leg.quantity, 0)
  const [named, another] = wantedLegs.flatMap((leg) => leg.specificItems)
  return titles.trade(
    sideOf(offeredItems.length, offeredItems[0]?.inscriptionTitle, offeredBtcSats),
    sideOf(wanted, another ? undefined : named?.inscriptionTitle, requestedBtcSats),
  )
}

export default function TradePage() {
  const { id } = useParams({ from: '/trades/$id' })
  const found = useRead('getProposal', { params: { proposalId: id } })
  useTitle(found.data && titleOf(found.data))
  return (
    <Loaded of={found} what="Loading the trade">
      {(proposal) => (
        <div className="grid gap-6">
          <header>
            <h1 className="text-2xl font-semibold">
              A trade by <span className="font-mono text-xl">{shortAddress(proposal.creatorAddress)}</span>
            </h1>
            <p className="mt-1 flex flex-wrap items-center gap-3 text-sm text-soft">
              {proposal.visibility === 'private' && (
                <Badge>private: only people with the link can see it</Badge>
              )}
              <span>
                at floor prices: <Price sats={proposal.estimatedOfferedValueSats} /> for{' '}
                <Price sats={proposal.estimatedRequestedValueSats} />
              </span>
            </p>
          </header>
          <TradeBody proposal={proposal} />
        </div>
      )}
    </Loaded>
  )
}

/** Status, both sides, and the one next step. */
function TradeBody({ proposal }: { proposal: Proposal }) {
  const { account } = useSession()
  const isCreator = account?.ordinalsAddress === proposal.creatorAddress
  const view = isCreator ? 'received' : 'sent'
  const found = useRead('listAcceptances', { query: { view } }, { enabled: account != null })
  const own = found.data?.acceptances.filter((each) => each.proposal.id === proposal.id) ?? []
  const acceptance = SHOWN_STATES.flatMap((state) => own.filter((each) => each.state === state))[0]
  const isOpen = proposal.state === 'active'
  return (
    <>
      <TradeStatus turn={tradeTurnOf(proposal, isCreator, acceptance)} />
      {acceptance?.state === 'active' ? (
        <AcceptanceCard acceptance={acceptance} view={view} />
      ) : (
        <section className="panel p-5">
          <ProposalSides proposal={proposal} />
        </section>
      )}
      {isOpen && isCreator && <Withdraw proposal={proposal} />}
      {isOpen && !isCreator && !acceptance && !(account && found.isPending) && <Accept proposal={proposal} />}
    </>
  )
}

/** States of an acceptance that the page shows, most relevant first. */
const SHOWN_STATES = ['settled', 'accepted', 'active'] as const

function Withdraw({ proposal }: { proposal: Proposal }) {
  const { run, busy } = useAct(proposal.id)
  return (
    <div>
      <Button
        kind="danger"
        disabled={busy !== null}
        onClick={() =>
          void run('Withdrawing', async () => {
            await client.call('cancelProposal', { params: { proposalId: proposal.id } })
            await queries.invalidateQueries()
            return 'Proposal withdrawn.'
          })
        }
      >
        Withdraw proposal
      </Button>
    </div>
  )
}

function matchesLeg(leg: Leg, holding: Holding): boolean {
  const { target } = leg
  if (target.kind === 'inscriptions') return target.inscriptionIds.includes(holding.inscriptionId)
  if (target.kind === 'all') return true
  return target.traits.every((group) =>
    holding.traits.some((trait) => trait.type === group.type && group.values.includes(trait.value)),
  )
}

function Accept({ proposal }: { proposal: Proposal }) {
  const { account } = useSession()
  if (!account) return <ConnectFirst title={words.acceptConnect} />
  return <AcceptTicket proposal={proposal} account={account} />
}

function AcceptTicket({
  proposal,
  account,
}: {
  proposal: Proposal
  account: { ordinalsAddress: string; walletBindingId: string }
}) {
  const { run, busy } = useAct(proposal.id)
  const [fills, setFills] = useState<Record<string, string[]>>({})
  const used = new Set(Object.values(fills).flat())
  const isFull = proposal.wantedLegs.every((leg) => (fills[leg.id] ?? []).length === leg.quantity)
  const toggle = (leg: Leg, id: string) =>
    setFills((before) => {
      const now = before[leg.id] ?? []
      return {
        ...before,
        [leg.id]: now.includes(id) ? now.filter((each) => each !== id) : [...now, id].slice(-leg.quantity),
      }
    })
  const chosen = Object.entries(fills).flatMap(([legId, ids]) =>
    ids.map((inscriptionId) => ({ legId, inscriptionId })),
  )
  const quote = useRead(
    'quoteAcceptance',
    {
      params: { proposalId: proposal.id },
      body: { walletBindingId: account.walletBindingId, fills: chosen },
    },
    { enabled: isFull && proposal.available, refetchInterval: 60_000 },
  )
  const quotedSats = quote.data?.exact ? quote.data.totalSats : undefined
  const moved = useMoved(JSON.stringify(chosen), isFull ? quotedSats : undefined, 'seller')
  const guarded = useGuarded(words.accept, moved.guards, proposal.id)
  const submit = () =>
    run(words.accepting, async (trades, trading) => {
      await trades.acceptTrade(trading, proposal, chosen, shownOf(quote.data))
      return words.accepted
    })
  return (
    <section className="grid gap-5">
      <h2 className="text-h2">{words.acceptHeading}</h2>
      {proposal.wantedLegs.map((leg) => (
        <LegChoice
          key={leg.id}
          leg={leg}
          legs={proposal.wantedLegs}
          address={account.ordinalsAddress}
          chosen={fills[leg.id] ?? []}
          used={used}
          onToggle={(id) => toggle(leg, id)}
        />
      ))}
      <div className="panel grid gap-4 p-4 sm:max-w-lg">
        {isFull ? <SwapBill of={quote} /> : <p className="text-small text-soft">{words.fillFirst}</p>}
        <GuardList guards={moved.guards} ways={{ 'new-total': moved.accept }} />
        <Button
          kind="main"
          large
          disabled={!isFull || !quote.data || busy !== null || !proposal.available || guarded.isStopped}
          onClick={() => guarded.press(() => void submit())}
        >
          {guarded.label}
        </Button>
        <p className="text-small text-soft">{words.withdrawable}</p>
      </div>
    </section>
  )
}

function LegChoice({
  leg,
  legs,
  address,
  chosen,
  used,
  onToggle,
}: {
  leg: Leg
  legs: readonly Leg[]
  address: string
  chosen: readonly string[]
  used: ReadonlySet<string>
  onToggle: (id: string) => void
}) {
  const held = usePages('listHoldings', { params: { address }, query: { slug: leg.collection.slug } })
  return (
    <div className="panel p-4">
      <h3 className="mb-3 flex flex-wrap items-center gap-x-1.5 font-medium" aria-live="polite">
        <WantedItems leg={leg} legs={legs} />
        <span>· {words.chosenOf(chosen.length, leg.quantity)}</span>
      </h3>
      <Loaded of={held}>
        {({ pages }) => {
          const mine = pages
            .flatMap((page) => page.holdings)
            .filter(
              (holding) =>
                matchesLeg(leg, holding) &&
                (chosen.includes(holding.inscriptionId) || !used.has(holding.inscriptionId)),
            )
          return (
            <>
              {mine.length === 0 && !held.hasNextPage && (
                <p className="text-sm text-soft">You have no matching items.</p>
              )}
              <Picks
                of={mine.map(pickOf)}
                isChosen={(id) => chosen.includes(id)}
                onToggle={({ inscriptionId }) => onToggle(inscriptionId)}
              />
              <More of={held} />
            </>
          )
        }}
      </Loaded>
    </div>
  )
}
