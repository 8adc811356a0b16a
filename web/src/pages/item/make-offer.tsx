import { useAct } from '@ordbook/web-ui/signing/act.tsx'
import { ticket } from '@ordbook/web-ui/strings/trade.ts'
import { ticketActions, useTicket } from '@ordbook/web-ui/ticket/progress/tickets.ts'
import { Button } from '@ordbook/web-ui/ui/basics.tsx'
import { onDemand } from '@ordbook/web-ui/ui/on-demand.tsx'
import { Sheet } from '@ordbook/web-ui/ui/sheet.tsx'
import { TicketSubject } from '../parts/ticket-subject.tsx'
import type { OfferTicketProps } from './offer-ticket.tsx'

const OfferTicket = onDemand(() => import('./offer-ticket.tsx').then((part) => part.OfferTicket))

type Props = Omit<OfferTicketProps, 'subject' | 'close'> & { large?: boolean }

export function MakeOffer({ large = false, ...props }: Props) {
  const { inscriptionId, name } = props.inscription
  const subject = `offer ${inscriptionId}`
  const offering = useTicket(subject)
  const { busy } = useAct(subject)
  const close = () => ticketActions.close(subject)
  return (
    <>
      <Button
        large={large}
        aria-keyshortcuts="O"
        disabled={busy !== null}
        onClick={() => ticketActions.edit(subject, {})}
      >
        {ticket.makeOffer}
      </Button>
      <Sheet open={offering?.phase === 'editing'} title={ticket.offerFor(name)} onClose={close}>
        <div className="grid gap-4">
          <TicketSubject
            item={props.inscription}
            collection={{ ...props.collection, collectionName: props.collection.name }}
          />
          <OfferTicket {...props} subject={subject} close={close} />
        </div>
      </Sheet>
    </>
  )
}
