import type { Answer } from '@ordbook/sdk/operations.ts'
import { usePages, useRead } from '@ordbook/web-ui/api/client.ts'
import { useSession } from '@ordbook/web-ui/session/session.tsx'
import { swap as words } from '@ordbook/web-ui/strings/swap.ts'
import { useMoved } from '@ordbook/web-ui/ticket/moved.ts'
import { Loaded, More } from '@ordbook/web-ui/ui/basics.tsx'
import { useState } from 'react'
import type { Holding } from '../holdings/holdings.tsx'
import { type Entry, entriesOfLeg } from './boards/use-board-items.ts'
import { WantedItems } from './proposal-card.tsx'
import { Picks, pickOf } from './trade-picks.tsx'

type Proposal = Answer<'getProposal'>
type Leg = Proposal['wantedLegs'][number]
/** Chosen inscriptions by leg. */
type Fills = Readonly<Record<string, readonly string[]>>

/** State of an acceptance that the visitor prepares: the chosen items, and their bill. */
export function useAccepting(proposal: Proposal, isOpen: boolean) {
  const { account } = useSession()
  const [fills, setFills] = useState<Fills>({})
  const chosenIn = (leg: Leg) => fills[leg.id] ?? []
  const isFull = proposal.wantedLegs.every((leg) => chosenIn(leg).length === leg.quantity)
  const chosen = Object.entries(fills).flatMap(([legId, ids]) =>
    ids.map((inscriptionId) => ({ legId, inscriptionId })),
  )
  const quote = useRead(
    'quoteAcceptance',
    {
      params: { proposalId: proposal.id },
      body: { walletBindingId: account?.walletBindingId ?? '', fills: chosen },
    },
    {
      enabled: isOpen && account != null && isFull && proposal.available,
      refetchInterval: 60_000,
    },
  )
  const quotedSats = quote.data?.exact ? quote.data.totalSats : undefined
  const moved = useMoved(JSON.stringify(chosen), isFull ? quotedSats : undefined, 'seller')
  return {
    fills,
    chosen,
    isFull,
    quote,
    moved,
    toggle: (leg: Leg, id: string) =>
      setFills((before) => {
        const now = before[leg.id] ?? []
        const next = now.includes(id) ? now.filter((each) => each !== id) : [...now, id].slice(-leg.quantity)
        return { ...before, [leg.id]: next }
      }),
  }
}

export type Accepting = ReturnType<typeof useAccepting>

/** Returns the board of the visitor: chosen items, and legs without a choice. */
export function entriesToGive({ wantedLegs }: Proposal, { fills }: Pick<Accepting, 'fills'>): Entry[] {
  return wantedLegs.flatMap((leg) => {
    const chosen = (fills[leg.id] ?? []).map((inscriptionId) => ({ inscriptionId }))
    const left = leg.quantity - chosen.length
    if (chosen.length === 0 || left === 0) return left === 0 ? chosen : entriesOfLeg(leg)
    return [...chosen, ...anyOf(entriesOfLeg(leg), left)]
  })
}

const anyOf = (entries: readonly Entry[], quantity: number): Entry[] =>
  entries.flatMap((entry) => ('inscriptionId' in entry ? [] : [{ ...entry, quantity }]))

/** The visitor's items that each leg can take. */
export function TradeFills({ proposal, accepting }: { proposal: Proposal; accepting: Accepting }) {
  const { account } = useSession()
  if (!account) return null
  const { wantedLegs: legs } = proposal
  const used = new Set(accepting.chosen.map(({ inscriptionId }) => inscriptionId))
  return legs.map((leg) => (
    <LegChoice
      key={leg.id}
      leg={leg}
      legs={legs}
      address={account.ordinalsAddress}
      chosen={accepting.fills[leg.id] ?? []}
      used={used}
      onToggle={(id) => accepting.toggle(leg, id)}
    />
  ))
}

function matchesLeg(leg: Leg, holding: Holding): boolean {
  const { target } = leg
  if (target.kind === 'inscriptions') return target.inscriptionIds.includes(holding.inscriptionId)
  if (target.kind === 'all') return true
  return target.traits.every((group) =>
    holding.traits.some((trait) => trait.type === group.type && group.values.includes(trait.value)),
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
    <div className="grid gap-3 border-t border-line pt-4">
      <h3 className="flex flex-wrap items-center gap-x-1.5 text-small font-semibold" aria-live="polite">
        <WantedItems leg={leg} legs={legs} />
        <span className="font-normal text-soft">· {words.chosenOf(chosen.length, leg.quantity)}</span>
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
                <p className="text-small text-soft">{words.noMatching}</p>
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
