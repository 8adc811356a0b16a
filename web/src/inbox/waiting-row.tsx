import type { Answer } from '@ordbook/sdk/operations.ts'
import { money } from '@ordbook/web-ui/format/format.ts'
import { Link } from '@ordbook/web-ui/routing/routing.tsx'
import { turn, waitingTitle, inbox as words } from '@ordbook/web-ui/strings/inbox/inbox.ts'
import { BUTTON, KINDS, Time } from '@ordbook/web-ui/ui/basics.tsx'
import { Media } from '@ordbook/web-ui/ui/media/media.tsx'

export type Waiting = Answer<'listWaiting'>['waiting'][number]

const ACTIONS: Record<Waiting['kind'], string> = {
  offer: turn.review,
  counter: turn.review,
  acceptance: turn.toTrade,
  escrow: turn.listAgain,
}

/** Thumbnail of an event's item, or an empty square. */
export function EventPicture({
  of,
}: {
  of: Pick<Waiting, 'inscriptionId' | 'contentType' | 'imageRenderingHint'>
}) {
  return (
    <span className="size-11 shrink-0 overflow-hidden rounded-control bg-raised">
      {of.inscriptionId && (
        <Media id={of.inscriptionId} contentType={of.contentType} name="" hint={of.imageRenderingHint} />
      )}
    </span>
  )
}

/** A task: what waits, until when, and the link to its page, which leads with the task. */
export function WaitingRow({ row, onOpen }: { row: Waiting; onOpen?: () => void }) {
  const { kind, name, expiresAt, offeredSats, otherCount, proposalId, inscriptionId } = row
  const look = `${BUTTON} ${KINDS.plain} mt-2 !min-h-9 justify-self-start`
  return (
    <div className="flex gap-3 p-4">
      <EventPicture of={row} />
      <div className="grid min-w-0 flex-1 text-small">
        <span className="font-semibold [overflow-wrap:anywhere]">{waitingTitle(row)}</span>
        {name && <span className="truncate">{name}</span>}
        <span className="text-soft">
          {offeredSats !== null && `${turn.offered(money(offeredSats))} `}
          {otherCount > 0 && `${words.others(otherCount)}. `}
          {expiresAt ? (
            <>
              {words.ends} <Time at={expiresAt} until />
            </>
          ) : (
            words.noDeadline
          )}
        </span>
        {proposalId ? (
          <Link
            to="/trades/$id"
            params={{ id: proposalId }}
            className={look}
            {...(onOpen ? { onClick: onOpen } : {})}
          >
            {ACTIONS[kind]}
          </Link>
        ) : (
          <Link
            to="/inscription/$id"
            params={{ id: inscriptionId ?? '' }}
            className={look}
            {...(onOpen ? { onClick: onOpen } : {})}
          >
            {ACTIONS[kind]}
          </Link>
        )}
      </div>
    </div>
  )
}
