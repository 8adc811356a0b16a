import { Link, usePath } from '@ordbook/web-ui/routing/routing.tsx'
import { progress as words } from '@ordbook/web-ui/strings/progress.ts'
import { isAbout, ticketIsAbout, useSettlement } from '@ordbook/web-ui/ticket/progress/progress.tsx'
import { type Sent, sentActions, useSent } from '@ordbook/web-ui/ticket/progress/sent.ts'
import { useProgress } from '@ordbook/web-ui/ticket/progress/tickets.ts'
import { Button } from '@ordbook/web-ui/ui/basics.tsx'
import { CloseIcon } from '@ordbook/web-ui/ui/icons.tsx'

const MAX_ENTRIES = 2

const CHIP =
  'panel pointer-events-auto flex min-h-10 max-w-full items-center gap-3 px-4 py-2 text-small shadow-toast [overflow-wrap:anywhere]'

/** Actions and trades in progress on other pages. */
export function ProgressStrip() {
  const path = usePath()
  const idHere = path.startsWith('/inscription/') ? path.slice('/inscription/'.length) : ''
  const running = useProgress().filter(
    (each) => each.phase === 'running' && !(idHere && ticketIsAbout(idHere, each)),
  )
  const sent = useSent().filter((each) => !(idHere && isAbout(idHere, each)))
  return (
    <div
      aria-live="polite"
      className="pointer-events-none fixed inset-x-3 bottom-[calc(var(--tabs-height)+var(--selection-height)+12px)] z-40 grid justify-items-start gap-2"
    >
      {sent.slice(-MAX_ENTRIES).map((each) => (
        <OneSent key={each.txid} sent={each} />
      ))}
      {running.slice(-MAX_ENTRIES).map(({ subject, what, step }) => (
        <p key={subject} className={CHIP} role="status">
          <span
            className="size-4 shrink-0 animate-spin rounded-full border-2 border-line border-t-accent"
            aria-hidden="true"
          />
          <span className="min-w-0">
            {what}: {words.states[step?.at ?? 'check']}
          </span>
        </p>
      ))}
    </div>
  )
}

function OneSent({ sent }: { sent: Sent }) {
  const settlement = useSettlement(sent).data
  const [item] = sent.items
  return (
    <div className={CHIP}>
      <span className="min-w-0">
        {item ? (
          <Link to="/inscription/$id" params={{ id: item.inscriptionId }} className="font-[560] underline">
            {sent.title}
          </Link>
        ) : (
          sent.title
        )}
        : {words.states[settlement?.state ?? 'sending']}
      </span>
      <Button
        kind="ghost"
        className="!min-h-6 !px-1"
        aria-label={words.hide(sent.title)}
        onClick={() => sentActions.dismiss(sent.txid)}
      >
        <CloseIcon />
      </Button>
    </div>
  )
}
