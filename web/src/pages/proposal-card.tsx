import type { Answer } from '@ordbook/sdk/operations.ts'
import { shortAddress } from '../format.ts'
import { Link } from '../routing/routing.tsx'
import { Badge, Price, Time } from '../ui/basics.tsx'
import { SwapIcon } from '../ui/icons.tsx'
import { Media } from '../ui/media.tsx'

type Public = Answer<'listTradeProposals'>['proposals'][number]
type Own = Answer<'getProposal'>
export type AnyProposal = Omit<Public, 'visibility' | 'status'> &
  Partial<Pick<Own, 'state' | 'visibility' | 'available'>>

const SMALL = 'w-14 overflow-hidden rounded-lg'

/** The wish of a leg in words. */
export function legText(leg: AnyProposal['wantedLegs'][number]): string {
  const { target, quantity, collection } = leg
  if (target.kind === 'all') return `${quantity} of ${collection.name}`
  if (target.kind === 'inscriptions')
    return target.inscriptionIds.length === quantity
      ? leg.specificItems.map((each) => each.inscriptionTitle ?? `#${each.inscriptionNumber}`).join(', ')
      : `${quantity} of ${target.inscriptionIds.length} named ones of ${collection.name}`
  return `${quantity} of ${collection.name} with ${target.traits.map(({ type, values }) => `${type} ${values.join(' or ')}`).join(', ')}`
}

/** Both sides of a proposal. */
export function ProposalSides({ proposal }: { proposal: AnyProposal }) {
  return (
    <div className="grid items-start gap-4 sm:grid-cols-[1fr_auto_1fr]">
      <div>
        <p className="mb-2 text-xs font-medium tracking-wide text-soft uppercase">Gives</p>
        <ul className="flex flex-wrap gap-2">
          {proposal.offeredItems.map((item) => (
            <li key={item.inscriptionId} className={SMALL}>
              <Link
                to="/inscription/$id"
                params={{ id: item.inscriptionId }}
                aria-label={item.inscriptionTitle ?? 'Inscription'}
                title={item.inscriptionTitle ?? ''}
              >
                <Media
                  id={item.inscriptionId}
                  contentType={item.rawContentType ?? null}
                  name=""
                  hint={item.imageRenderingHint ?? null}
                />
              </Link>
            </li>
          ))}
        </ul>
        <ul className="mt-1 text-sm">
          {proposal.offeredItems.map((item) => (
            <li key={item.inscriptionId}>
              {item.inscriptionTitle ?? `Inscription ${item.inscriptionSequenceNumber}`}
            </li>
          ))}
        </ul>
        {proposal.offeredBtcSats > 0 && (
          <p className="mt-1 font-medium">
            + <Price sats={proposal.offeredBtcSats} />
          </p>
        )}
      </div>
      <SwapIcon className="hidden text-2xl text-soft sm:mt-8 sm:block" />
      <div>
        <p className="mb-2 text-xs font-medium tracking-wide text-soft uppercase">Wants</p>
        <ul className="grid gap-1 text-sm">
          {proposal.wantedLegs.map((leg) => (
            <li key={leg.id} className="flex items-center gap-2">
              {leg.collection.previewInscriptionId && (
                <span className="w-9 overflow-hidden rounded">
                  <Media
                    id={leg.specificItems[0]?.inscriptionId ?? leg.collection.previewInscriptionId}
                    contentType={
                      leg.specificItems[0]?.rawContentType ?? leg.collection.previewContentType ?? null
                    }
                    name=""
                    hint={leg.collection.imageRenderingHint ?? null}
                  />
                </span>
              )}
              {legText(leg)}
            </li>
          ))}
        </ul>
        {proposal.requestedBtcSats > 0 && (
          <p className="mt-1 font-medium">
            {proposal.wantedLegs.length > 0 ? '+ ' : ''}
            <Price sats={proposal.requestedBtcSats} />
          </p>
        )}
      </div>
    </div>
  )
}

/** A proposal in a list. */
export function ProposalCard({ proposal }: { proposal: AnyProposal }) {
  return (
    <article className="panel grid gap-4 p-4">
      <ProposalSides proposal={proposal} />
      <footer className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line pt-3 text-sm text-soft">
        <span className="font-mono text-xs">{shortAddress(proposal.creatorAddress)}</span>
        {proposal.state && proposal.state !== 'active' && <Badge>{proposal.state}</Badge>}
        {proposal.available === false && proposal.state === 'active' && (
          <Badge tone="bad">waits: something moves</Badge>
        )}
        {proposal.visibility === 'private' && <Badge>private</Badge>}
        <span>
          worth <Price sats={proposal.estimatedOfferedValueSats} /> for{' '}
          <Price sats={proposal.estimatedRequestedValueSats} /> by floors
        </span>
        <span>
          ends <Time at={proposal.expiresAt} until />
        </span>
        <Link
          to="/trades/$id"
          params={{ id: proposal.id }}
          className="ml-auto font-medium text-accent underline"
        >
          Look at it<span className="sr-only">: trade by {shortAddress(proposal.creatorAddress)}</span>
        </Link>
      </footer>
    </article>
  )
}
