import type { Answer } from '@ordbook/sdk/operations.ts'
import { shortAddress } from '@ordbook/web-ui/format/format.ts'
import { Link } from '@ordbook/web-ui/routing/routing.tsx'
import { swap as words } from '@ordbook/web-ui/strings/swap.ts'
import { Badge, Price, Time } from '@ordbook/web-ui/ui/basics.tsx'
import { CollectionName } from '@ordbook/web-ui/ui/collection-name.tsx'
import { SwapIcon } from '@ordbook/web-ui/ui/icons.tsx'
import { Media } from '@ordbook/web-ui/ui/media/media.tsx'
import { useCollections } from '../parts/use-collections.ts'

type Public = Answer<'listTradeProposals'>['proposals'][number]
type Own = Answer<'getProposal'>
export type AnyProposal = Omit<Public, 'visibility' | 'status'> &
  Partial<Pick<Own, 'state' | 'visibility' | 'available'>>

const SMALL = 'w-14 overflow-hidden rounded-lg'

type AnyLeg = AnyProposal['wantedLegs'][number]

/** Returns the names of a leg that wants all of its specific items, otherwise null. */
const namedItems = ({ target, quantity, specificItems }: AnyLeg): string | null =>
  target.kind === 'inscriptions' && target.inscriptionIds.length === quantity
    ? specificItems
        .map((specificItem) => specificItem.inscriptionTitle ?? `#${specificItem.inscriptionNumber}`)
        .join(', ')
    : null

/** Describes the items that a leg wants. All legs load their verification marks with one request. */
export function WantedItems({ leg, legs }: { leg: AnyLeg; legs: readonly AnyLeg[] }) {
  const { target, quantity, collection } = leg
  const mark = useCollections(legs.map((leg) => leg.collection.slug)).get(collection.slug)
  const named = namedItems(leg)
  if (named !== null) return named
  return (
    <span className="flex min-w-0 flex-wrap items-center gap-x-1.5">
      {target.kind === 'inscriptions'
        ? words.ofNamed(quantity, target.inscriptionIds.length)
        : words.of(quantity)}
      <span className="flex max-w-full min-w-0 items-center gap-1">
        <CollectionName
          of={{
            collectionName: collection.name,
            verificationStatus: mark?.verificationStatus ?? null,
            sameNameAs: mark?.sameNameAs ?? null,
          }}
        />
      </span>
      {target.kind === 'traits' && words.withTraits(target.traits)}
    </span>
  )
}

function ProposalSides({ proposal }: { proposal: AnyProposal }) {
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
              <WantedItems leg={leg} legs={proposal.wantedLegs} />
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

export function ProposalCard({ proposal }: { proposal: AnyProposal }) {
  const { state = 'active' } = proposal
  return (
    <article className="panel grid gap-4 p-4">
      <ProposalSides proposal={proposal} />
      <footer className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line pt-3 text-sm text-soft">
        <span className="font-mono text-xs">{shortAddress(proposal.creatorAddress)}</span>
        {state !== 'active' && <Badge>{words.states[state]}</Badge>}
        {proposal.available === false && state === 'active' && <Badge tone="bad">{words.onHold}</Badge>}
        {proposal.visibility === 'private' && <Badge>{words.privateMark}</Badge>}
        <span>
          {words.atFloors} <Price sats={proposal.estimatedOfferedValueSats} /> {words.for}{' '}
          <Price sats={proposal.estimatedRequestedValueSats} />
        </span>
        {state === 'active' && (
          <span>
            {words.ends} <Time at={proposal.expiresAt} until />
          </span>
        )}
        <Link
          to="/trades/$id"
          params={{ id: proposal.id }}
          className="ml-auto font-medium text-accent underline"
        >
          {words.viewTrade}
          <span className="sr-only"> by {shortAddress(proposal.creatorAddress)}</span>
        </Link>
      </footer>
    </article>
  )
}
