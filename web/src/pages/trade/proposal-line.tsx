import { shortAddress } from '@ordbook/web-ui/format/format.ts'
import { Link } from '@ordbook/web-ui/routing/routing.tsx'
import { swap as words } from '@ordbook/web-ui/strings/swap.ts'
import { Price, Time } from '@ordbook/web-ui/ui/basics.tsx'
import { SwapIcon } from '@ordbook/web-ui/ui/icons.tsx'
import { Media } from '@ordbook/web-ui/ui/media/media.tsx'
import { type AnyProposal, WantedItems } from './proposal-card.tsx'

/** Maximum number of images of given items. */
const PICTURES = 3

/** A proposal as a list row. */
export function ProposalLine({ proposal }: { proposal: AnyProposal }) {
  const { id, offeredItems, offeredBtcSats, wantedLegs, requestedBtcSats, creatorAddress, expiresAt } =
    proposal
  const [leg] = wantedLegs
  const more = offeredItems.length - PICTURES
  return (
    <Link
      to="/trades/$id"
      params={{ id }}
      className="panel flex min-h-16 items-center gap-3 px-3 py-2 text-small hover:bg-raised"
    >
      <span className="sr-only">{words.tradeBy(shortAddress(creatorAddress))}</span>
      <span className="flex shrink-0 items-center gap-1">
        {offeredItems.slice(0, PICTURES).map((item) => (
          <span
            key={item.inscriptionId}
            title={item.inscriptionTitle ?? ''}
            className="w-10 overflow-hidden rounded-control"
          >
            <Media
              id={item.inscriptionId}
              contentType={item.rawContentType ?? null}
              name={item.inscriptionTitle ?? ''}
              hint={item.imageRenderingHint ?? null}
            />
          </span>
        ))}
        {more > 0 && <span className="tabular text-soft">{words.more(more)}</span>}
        {offeredBtcSats > 0 && <Price sats={offeredBtcSats} className="font-[560]" />}
      </span>
      <SwapIcon className="shrink-0 text-soft" />
      <span className="min-w-0 flex-1">
        {leg && <WantedItems leg={leg} legs={wantedLegs} />}
        {wantedLegs.length > 1 && (
          <span className="block text-soft">{words.more(wantedLegs.length - 1)}</span>
        )}
        {requestedBtcSats > 0 && (
          <span className="block font-[560]">
            {leg ? '+ ' : ''}
            <Price sats={requestedBtcSats} />
          </span>
        )}
      </span>
      <span className="shrink-0 text-caption text-soft">
        <Time at={expiresAt} until />
      </span>
    </Link>
  )
}

/** Proposals as rows, on wide screens in two columns. */
export function ProposalLines({ proposals }: { proposals: readonly AnyProposal[] }) {
  return (
    <ul className="grid gap-3 xl:grid-cols-2">
      {proposals.map((proposal) => (
        <li key={proposal.id} className="min-w-0">
          <ProposalLine proposal={proposal} />
        </li>
      ))}
    </ul>
  )
}
