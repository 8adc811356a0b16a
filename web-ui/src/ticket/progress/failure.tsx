import { useLayoutEffect } from 'react'
import { progress as words } from '../../strings/progress.ts'
import { Button } from '../../ui/basics.tsx'
import { CloseIcon, InfoIcon, WarningIcon } from '../../ui/icons.tsx'
import { shownHere } from './flows.ts'
import { ticketActions, useTicket } from './tickets.ts'

/** Line with the last error of a ticket. Below the button, so that the button does not move. Cancelling is not an error. */
export function Failure({ subject }: { subject: string }) {
  const ticket = useTicket(subject)
  const isShown = Boolean(ticket?.failure)
  useLayoutEffect(() => {
    if (!isShown) return
    shownHere.set(new Set([...shownHere.get(), subject]))
    return () => shownHere.set(new Set([...shownHere.get()].filter((each) => each !== subject)))
  }, [isShown, subject])
  if (!ticket?.failure) return null
  const { failure, isCancelled, phase, fields } = ticket
  const dismiss = () =>
    phase === 'editing' ? ticketActions.edit(subject, fields) : ticketActions.close(subject)
  const Icon = isCancelled ? InfoIcon : WarningIcon
  return (
    <p
      role={isCancelled ? 'status' : 'alert'}
      data-tone={isCancelled ? 'note' : 'bad'}
      className="flex min-h-11 items-center gap-2 rounded-button bg-raised pl-3 text-small"
    >
      <Icon className={`shrink-0 text-base ${isCancelled ? 'text-soft' : 'text-down'}`} />
      <span className="min-w-0 flex-1 py-1 [overflow-wrap:anywhere]">
        {!isCancelled && <strong className="text-down">{words.failed}</strong>} {failure}
      </span>
      <Button kind="ghost" className="size-11 shrink-0 !px-0" aria-label={words.dismiss} onClick={dismiss}>
        <CloseIcon />
      </Button>
    </p>
  )
}
