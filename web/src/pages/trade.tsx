import type { Answer } from '@ordbook/sdk/operations.ts'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useAct } from '../act.tsx'
import { client, queries, usePages, useRead } from '../client.ts'
import { shortAddress } from '../format.ts'
import { useSession } from '../session.tsx'
import { Badge, Button, Loaded, More, Price, Time } from '../ui/basics.tsx'
import { ConnectFirst } from './connect-first.tsx'
import { type Holding, HoldingChoice } from './holdings.tsx'
import { legText, ProposalSides } from './proposal-card.tsx'

type Proposal = Answer<'getProposal'>
type Leg = Proposal['wantedLegs'][number]

/** One proposal: take it back, or accept it with what one holds. */
export default function TradePage() {
  const { id } = useParams({ from: '/trades/$id' })
  const { account } = useSession()
  const found = useRead('getProposal', { params: { proposalId: id } })
  return (
    <Loaded of={found} what="Loading the trade">
      {(proposal) => (
        <div className="grid gap-6">
          <header>
            <h1 className="text-2xl font-semibold">
              A trade by <span className="font-mono text-xl">{shortAddress(proposal.creatorAddress)}</span>
            </h1>
            <p className="mt-1 flex flex-wrap items-center gap-3 text-sm text-soft">
              {proposal.state === 'active' ? (
                proposal.available ? (
                  <Badge tone="good">open</Badge>
                ) : (
                  <Badge tone="bad">waits: an offered item is being moved</Badge>
                )
              ) : (
                <Badge>{proposal.state}</Badge>
              )}
              {proposal.visibility === 'private' && <Badge>private: only who has this address sees it</Badge>}
              <span>
                ends <Time at={proposal.expiresAt} until />
              </span>
              <span>
                by floors worth <Price sats={proposal.estimatedOfferedValueSats} /> for{' '}
                <Price sats={proposal.estimatedRequestedValueSats} />
              </span>
            </p>
          </header>
          <section className="panel p-5">
            <ProposalSides proposal={proposal} />
          </section>
          {proposal.state === 'active' &&
            (account?.ordinalsAddress === proposal.creatorAddress ? (
              <Withdraw proposal={proposal} />
            ) : (
              <Accept proposal={proposal} />
            ))}
        </div>
      )}
    </Loaded>
  )
}

function Withdraw({ proposal }: { proposal: Proposal }) {
  const { run, busy } = useAct(proposal.id)
  return (
    <div>
      <Button
        kind="danger"
        disabled={busy !== null}
        onClick={() =>
          void run('Taking it back', async () => {
            await client.call('cancelProposal', { params: { proposalId: proposal.id } })
            await queries.invalidateQueries()
            return 'Your proposal is taken back.'
          })
        }
      >
        Take this proposal back
      </Button>
    </div>
  )
}

function fits(leg: Leg, holding: Holding): boolean {
  const { target } = leg
  if (target.kind === 'inscriptions') return target.inscriptionIds.includes(holding.inscriptionId)
  if (target.kind === 'all') return true
  return target.traits.every((group) =>
    holding.traits.some((each) => each.type === group.type && group.values.includes(each.value)),
  )
}

function Accept({ proposal }: { proposal: Proposal }) {
  const { account } = useSession()
  const { run, busy } = useAct(proposal.id)
  const [fills, setFills] = useState<Record<string, string[]>>({})
  const used = new Set(Object.values(fills).flat())
  const isFull = proposal.wantedLegs.every((leg) => (fills[leg.id] ?? []).length === leg.quantity)
  if (!account) return <ConnectFirst title="Accept it with what you hold" />
  const toggle = (leg: Leg, id: string) =>
    setFills((before) => {
      const now = before[leg.id] ?? []
      return {
        ...before,
        [leg.id]: now.includes(id) ? now.filter((each) => each !== id) : [...now, id].slice(-leg.quantity),
      }
    })
  const submit = () =>
    run('Accepting the trade', async (trades, trading) => {
      const chosen = Object.entries(fills).flatMap(([legId, ids]) =>
        ids.map((inscriptionId) => ({ legId, inscriptionId })),
      )
      await trades.acceptTrade(trading, proposal, chosen)
      return 'Accepted and signed. It completes when the proposer signs too.'
    })
  return (
    <section className="grid gap-5">
      <h2 className="text-lg font-semibold">Accept it</h2>
      {proposal.wantedLegs.map((leg) => (
        <LegChoice
          key={leg.id}
          leg={leg}
          address={account.ordinalsAddress}
          chosen={fills[leg.id] ?? []}
          used={used}
          onToggle={(id) => toggle(leg, id)}
        />
      ))}
      <p className="text-sm text-soft">
        You pay the network{proposal.marketplaceFeeSats > 0 ? ' and the market’s fee of ' : '.'}
        {proposal.marketplaceFeeSats > 0 && <Price sats={proposal.marketplaceFeeSats} />} You see the whole
        transaction before you sign it.
      </p>
      <div>
        <Button
          kind="main"
          disabled={!isFull || busy !== null || !proposal.available}
          onClick={() => void submit()}
        >
          Accept and sign
        </Button>
      </div>
    </section>
  )
}

function LegChoice({
  leg,
  address,
  chosen,
  used,
  onToggle,
}: {
  leg: Leg
  address: string
  chosen: readonly string[]
  used: ReadonlySet<string>
  onToggle: (id: string) => void
}) {
  const held = usePages('listHoldings', { params: { address }, query: { slug: leg.collection.slug } })
  return (
    <div className="panel p-4">
      <h3 className="mb-3 font-medium" aria-live="polite">
        {legText(leg)} · {chosen.length} of {leg.quantity} chosen
      </h3>
      <Loaded of={held}>
        {({ pages }) => {
          const mine = pages
            .flatMap((page) => page.holdings)
            .filter(
              (each) =>
                fits(leg, each) && (chosen.includes(each.inscriptionId) || !used.has(each.inscriptionId)),
            )
          return (
            <>
              {mine.length === 0 && !held.hasNextPage && (
                <p className="text-sm text-soft">You hold none of these.</p>
              )}
              <HoldingChoice of={mine} isChosen={(id) => chosen.includes(id)} onToggle={onToggle} />
              <More of={held} />
            </>
          )
        }}
      </Loaded>
    </div>
  )
}
