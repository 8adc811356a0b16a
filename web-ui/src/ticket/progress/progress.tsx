import { useState } from 'react'
import { useRead } from '../../api/client.ts'
import { useSettings } from '../../api/settings.tsx'
import { Link } from '../../routing/routing.tsx'
import { progress as words } from '../../strings/progress.ts'
import { Button } from '../../ui/basics.tsx'
import { Timeline } from '../../ui/timeline.tsx'
import { type Sent, sentActions, useSent } from './sent.ts'
import { isDecided, stepsOfSent, stepsOfTicket } from './steps.ts'
import { type OfSubject, ticketActions, useProgress, useTicket } from './tickets.ts'

const POLL_MILLISECONDS = 20_000

/** Polls the state of a sent trade until it is final. */
export const useSettlement = ({ txid }: Pick<Sent, 'txid'>) =>
  useRead('getSettlement', { params: { txid } }, { refetchInterval: POLL_MILLISECONDS, until: isDecided })

export const isAbout = (inscriptionId: string, { items }: { items: Sent['items'] }) =>
  items.some((item) => item.inscriptionId === inscriptionId)
export const ticketIsAbout = (inscriptionId: string, { subject, about }: OfSubject) =>
  subject.endsWith(inscriptionId) || (about !== null && isAbout(inscriptionId, about))

/** Timeline of the latest trade of an item in this tab. */
export function ItemProgress({ inscriptionId }: { inscriptionId: string }) {
  // Restores the ticket after a reload.
  useTicket(inscriptionId)
  const running = useProgress().findLast((each) => ticketIsAbout(inscriptionId, each))
  const sent = useSent().findLast((each) => isAbout(inscriptionId, each))
  if (running?.phase === 'running' || running?.phase === 'failed') return <Running ticket={running} />
  return sent ? <OnTheWay key={sent.txid} sent={sent} inscriptionId={inscriptionId} /> : null
}

function Running({ ticket }: { ticket: OfSubject }) {
  return (
    <section aria-label={words.title} className="panel grid gap-3 p-4">
      <h2 className="text-h3">{ticket.what}</h2>
      <Timeline steps={stepsOfTicket(ticket)} />
      {ticket.phase === 'failed' && (
        <Button className="justify-self-start" onClick={() => ticketActions.close(ticket.subject)}>
          {words.done}
        </Button>
      )}
    </section>
  )
}

function OnTheWay({ sent, inscriptionId }: { sent: Sent; inscriptionId: string }) {
  const settlement = useSettlement(sent).data
  const { name, goes } = sent.items.find((item) => item.inscriptionId === inscriptionId)!
  const isDone = settlement?.state === 'confirmed'
  const done =
    goes === 'arrives'
      ? words.yours(name)
      : goes === 'leaves'
        ? words.sold(name)
        : settlement?.kind === 'move'
          ? words.moved(name)
          : words.home(name)
  return (
    <section aria-label={words.title} className="panel grid gap-3 p-4">
      <h2 dir="auto" className="text-h3 [overflow-wrap:anywhere]">
        {isDone ? done : sent.title}
      </h2>
      <Timeline steps={stepsOfSent(settlement)} />
      <div className="flex flex-wrap items-center gap-2">
        <TransactionLink txid={sent.txid} />
        <Link to="/receipt/$txid" params={{ txid: sent.txid }} className={LINK}>
          {words.receipt}
        </Link>
        {goes === 'arrives' && <Share text={words.shareText(name)} path={`/inscription/${inscriptionId}`} />}
        <Button kind="ghost" onClick={() => sentActions.dismiss(sent.txid)}>
          {words.done}
        </Button>
      </div>
    </section>
  )
}

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
