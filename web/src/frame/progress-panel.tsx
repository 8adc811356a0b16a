import { useRead } from '@ordbook/web-ui/api/client.ts'
import { Link } from '@ordbook/web-ui/routing/routing.tsx'
import { progress as words } from '@ordbook/web-ui/strings/progress.ts'
import type { Flow } from '@ordbook/web-ui/ticket/progress/flow.ts'
import { leave } from '@ordbook/web-ui/ticket/progress/flows.ts'
import type { ShownStep } from '@ordbook/web-ui/ticket/progress/steps.ts'
import { BUTTON, Button, KINDS } from '@ordbook/web-ui/ui/basics.tsx'
import { Media } from '@ordbook/web-ui/ui/media/media.tsx'

const COLOURS: Record<ShownStep['state'], string> = {
  waiting: 'bg-line',
  now: 'bg-amber',
  done: 'bg-up',
  failed: 'bg-down',
}
/** Maximum ids of `listItems`. */
const MAX_NAMED = 20

/** Content of the chip's popover: the actions of this tab, newest first. */
export function ProgressPanel({ flows, onOpen }: { flows: readonly Flow[]; onOpen: () => void }) {
  const ids = flows.flatMap(({ items }) => items[0]?.inscriptionId ?? [])
  const inscriptionIds = [...new Set(ids)].slice(0, MAX_NAMED).join(',')
  const named = useRead(
    'listItems',
    { query: { inscriptionIds } },
    { enabled: inscriptionIds !== '', keep: true },
  )
  const itemOf = (id: string | undefined) => named.data?.items.find((item) => item.inscriptionId === id)
  return (
    <>
      <div className="flex items-center justify-between gap-2 py-2 pl-4">
        <h2 className="text-h3">{words.inProgress}</h2>
        <Link
          to="/wallet"
          search={{ tab: 'receipts' }}
          onClick={onOpen}
          className="inline-flex min-h-10 items-center px-3 text-small text-accent"
        >
          {words.allReceipts}
        </Link>
      </div>
      {flows.length === 0 && <p className="border-t border-line p-4 text-soft">{words.nothing}</p>}
      <ul>
        {flows.toReversed().map((flow) => (
          <li key={flow.key} className="flex gap-3 border-t border-line p-4">
            <Thumbnail item={itemOf(flow.items[0]?.inscriptionId)} />
            <Row flow={flow} onOpen={onOpen} />
          </li>
        ))}
      </ul>
    </>
  )
}

interface Pictured {
  inscriptionId: string
  contentType: string | null
  imageRenderingHint: 'auto' | 'pixelated' | null
}

const Thumbnail = ({ item }: { item: Pictured | undefined }) => (
  <span className="size-11 shrink-0 overflow-hidden rounded-control bg-raised">
    {item && (
      <Media id={item.inscriptionId} contentType={item.contentType} name="" hint={item.imageRenderingHint} />
    )}
  </span>
)

function Row({ flow, onOpen }: { flow: Flow; onOpen: () => void }) {
  const { title, text, steps, txid, state, items } = flow
  const [item] = items
  const isOver = state === 'done' || state === 'failed' || state === 'cancelled'
  return (
    <div className="grid min-w-0 flex-1 gap-2 text-small">
      <div>
        {item ? (
          <Link
            to="/inscription/$id"
            params={{ id: item.inscriptionId }}
            onClick={onOpen}
            className="font-semibold [overflow-wrap:anywhere] hover:underline"
          >
            {title}
          </Link>
        ) : (
          <p className="font-semibold [overflow-wrap:anywhere]">{title}</p>
        )}
        <p className={`[overflow-wrap:anywhere] ${state === 'failed' ? 'text-down' : 'text-soft'}`}>{text}</p>
      </div>
      {state !== 'cancelled' && (
        <div aria-hidden="true" className="flex gap-0.5">
          {steps.map((step) => (
            <span key={step.label} className={`h-1 flex-1 rounded-full ${COLOURS[step.state]}`} />
          ))}
        </div>
      )}
      {(txid !== null || isOver) && (
        <div className="flex flex-wrap gap-2">
          {txid !== null && (
            <Link
              to="/receipt/$txid"
              params={{ txid }}
              onClick={onOpen}
              className={`${BUTTON} ${KINDS.plain} !min-h-9`}
            >
              {words.viewReceipt}
            </Link>
          )}
          {isOver && (
            <Button
              kind="ghost"
              className="!min-h-9"
              aria-label={words.dismissOf(title)}
              onClick={() => leave(flow)}
            >
              {words.dismiss}
            </Button>
          )}
        </div>
      )}
    </div>
  )
}
