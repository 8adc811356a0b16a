import { useState } from 'react'
import { useRead } from '../../api/client.ts'
import { useSettings } from '../../api/settings.tsx'
import { Link } from '../../routing/routing.tsx'
import { progress as words } from '../../strings/progress.ts'
import { Button } from '../../ui/basics.tsx'
import { Timeline } from '../../ui/timeline.tsx'
import { endOf, isAbout } from './flow.ts'
import { leave, useFlows } from './flows.ts'
import { isDecided } from './steps.ts'
import { useTicket } from './tickets.ts'

const POLL_MILLISECONDS = 20_000

/** Polls the state of a sent trade until it is final. */
export const useSettlement = ({ txid }: { txid: string }) =>
  useRead('getSettlement', { params: { txid } }, { refetchInterval: POLL_MILLISECONDS, until: isDecided })

/** Timeline of the latest action of an item in this tab. */
export function ItemProgress({ inscriptionId }: { inscriptionId: string }) {
  // Restores the ticket after a reload.
  useTicket(inscriptionId)
  const flows = useFlows().filter((flow) => isAbout(inscriptionId, flow))
  // The ticket has the message of an action that ended before its submission.
  const flow = flows.findLast(({ txid, state }) => txid !== null || state === 'working' || state === 'wallet')
  if (!flow) return null
  const item = flow.items.find((each) => each.inscriptionId === inscriptionId)
  return (
    <section aria-label={words.title} className="panel grid gap-3 p-4">
      <h2 dir="auto" className="text-h3 [overflow-wrap:anywhere]">
        {flow.state === 'done' && item ? endOf(item, flow.kind) : flow.title}
      </h2>
      <Timeline steps={flow.steps} />
      {flow.txid !== null && (
        <div className="flex flex-wrap items-center gap-2">
          <Receipt txid={flow.txid} />
          {item?.goes === 'arrives' && (
            <Share text={words.shareText(item.name)} path={`/inscription/${inscriptionId}`} />
          )}
          <Button kind="ghost" onClick={() => leave(flow)}>
            {words.done}
          </Button>
        </div>
      )}
    </section>
  )
}

const Receipt = ({ txid }: { txid: string }) => (
  <>
    <TransactionLink txid={txid} />
    <Link to="/receipt/$txid" params={{ txid }} className={LINK}>
      {words.receipt}
    </Link>
  </>
)

export const LINK = 'inline-flex min-h-10 items-center px-2 font-[560] text-accent underline'

export function TransactionLink({ txid }: { txid: string }) {
  const { market } = useSettings()
  if (!market?.explorerUrl) return null
  return (
    <a href={`${market.explorerUrl}/tx/${txid}`} target="_blank" rel="noreferrer" className={LINK}>
      {words.transaction}
    </a>
  )
}

/** Shares a page, or copies the text if there is no share sheet. */
export function Share({ text, path }: { text: string; path: string }) {
  const [isCopied, setCopied] = useState(false)
  const share = async () => {
    const url = `${location.origin}${path}`
    if (navigator.share) return navigator.share({ text, url }).catch(() => {})
    await navigator.clipboard.writeText(`${text} ${url}`)
    setCopied(true)
  }
  return (
    <>
      <Button onClick={() => void share()}>{words.share}</Button>
      <span role="status" className="text-small text-up">
        {isCopied && words.shared}
      </span>
    </>
  )
}
