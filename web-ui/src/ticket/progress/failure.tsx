import { Button } from '../../ui/basics.tsx'
import { CloseIcon } from '../../ui/icons.tsx'
import { ticketActions, useTicket } from './tickets.ts'

/** Shows the last error in an open ticket. */
export function Failure({ subject }: { subject: string }) {
  const ticket = useTicket(subject)
  if (ticket?.phase !== 'editing' || !ticket.failure) return null
  return (
    <p role="alert" data-tone="bad" className="flex items-start gap-3 rounded-lg bg-raised p-3 text-sm">
      <span className="min-w-0 flex-1 [overflow-wrap:anywhere]">
        <strong className="text-down">Failed:</strong> {ticket.failure}
      </span>
      <Button
        kind="ghost"
        className="!min-h-6 !px-1"
        aria-label="Dismiss"
        onClick={() => ticketActions.edit(subject, ticket.fields)}
      >
        <CloseIcon />
      </Button>
    </p>
  )
}
