import { useAct } from '@ordbook/web-ui/signing/act.tsx'
import { sale } from '@ordbook/web-ui/strings/sale.ts'
import { ticket } from '@ordbook/web-ui/strings/trade.ts'
import { Failure } from '@ordbook/web-ui/ticket/progress/failure.tsx'
import { ticketActions, useTicket } from '@ordbook/web-ui/ticket/progress/tickets.ts'
import { saleOf } from '@ordbook/web-ui/ticket/sale.ts'
import { Button, Price } from '@ordbook/web-ui/ui/basics.tsx'
import { Sheet } from '@ordbook/web-ui/ui/sheet.tsx'
import { type BestBid, useBestBids } from '../forms/best-bids.ts'
import { ListForm } from '../forms/list-form.tsx'
import { NO_PRICES } from '../forms/priced.ts'
import { SaleSheet } from '../forms/sale-ticket.tsx'
import { TicketSubject } from '../parts/ticket-subject.tsx'
import { EscrowActions, ListingGuarantee } from './escrow-actions.tsx'
import type { Inscription, Membership, Royalty } from './traded.ts'
import type { Waiting } from './use-item-turn.ts'

interface Props {
  inscription: Inscription
  collection: Membership
  royalty: Royalty
  /** The task that leads the panel: listing is then not the main action, and an offer that leads it is not repeated. */
  turn: Waiting | null
}

export function OwnerPanel(props: Props) {
  const { escrow, listing, inscriptionId } = props.inscription
  return (
    <>
      <OwnerActions {...props} />
      {escrow ? (
        <EscrowActions inscriptionId={inscriptionId} form={escrow.escrowForm} />
      ) : (
        listing && listing.state !== 'hidden_locked' && <ListingGuarantee />
      )}
    </>
  )
}

function OwnerActions(props: Props) {
  const { inscription, collection, royalty, turn } = props
  const { listing, inscriptionId, escrow, name } = inscription
  const { run, busy } = useAct(inscriptionId)
  const subject = `list ${inscriptionId}`
  const listingTicket = useTicket(subject)
  const bestBid = useBestBids([inscriptionId]).get(inscriptionId) ?? null
  const isSelling = listing?.state === 'hidden_locked'
  const delist = () =>
    run('Delisting', async (trades, trading) => {
      const { listingId } = listing!
      await trades.delistItems(trading, [{ inscriptionId, listingId, slug: collection.slug }])
      return 'The item is no longer for sale.'
    })
  return (
    <>
      {!isSelling && !escrow && bestBid?.offerId !== turn?.orderId && (
        <SellNow inscriptionId={inscriptionId} bid={bestBid} />
      )}
      <SaleSheet item={inscription} />
      <div className="flex flex-wrap gap-2 empty:hidden">
        {listing && !isSelling && (
          <Button disabled={busy !== null} onClick={() => void delist()}>
            Delist
          </Button>
        )}
        {!isSelling && (
          <Button
            kind={turn ? 'plain' : 'main'}
            disabled={listingTicket?.phase === 'running'}
            onClick={() => ticketActions.edit(subject, NO_PRICES)}
          >
            {listing ? ticket.editPrice : ticket.listForSale}
          </Button>
        )}
      </div>
      <Failure subject={inscriptionId} />
      {listingTicket?.phase === 'editing' && (
        <Sheet
          open
          title={listing ? ticket.editPriceOf(name) : ticket.listItem(name)}
          onClose={() => ticketActions.close(subject)}
        >
          <div className="grid gap-4">
            <TicketSubject
              item={inscription}
              collection={{ ...collection, collectionName: collection.name }}
            />
            <ListForm
              subject={subject}
              item={{
                inscriptionId,
                name,
                slug: collection.slug,
                floorSats: collection.floorSats,
                royaltyBps: royalty.sellerBps,
                listedSats: listing?.priceSats ?? null,
                isInEscrow: escrow !== null,
              }}
              ways={{ 'sell-now': () => ticketActions.close(subject) }}
              list={(trades, trading, input, days, quotes) =>
                escrow
                  ? trades.relistItems(trading, [{ ...input, inscriptionIds: [inscriptionId] }], days, quotes)
                  : trades.listItems(trading, [{ ...input, slug: collection.slug }], days, quotes)
              }
            />
          </div>
        </Sheet>
      )}
    </>
  )
}

/** Button to sell into the offer with the highest payout. */
function SellNow({ inscriptionId, bid }: { inscriptionId: string; bid: BestBid | null }) {
  const subject = saleOf(inscriptionId)
  const { busy } = useAct(subject)
  if (!bid) return null
  const { priceSats, netSats, collectionSlug } = bid
  return (
    <p className="flex flex-wrap items-center gap-3 rounded-lg bg-tint p-3 text-sm">
      <Button kind="sell" disabled={busy !== null} onClick={() => ticketActions.edit(subject, { ...bid })}>
        {sale.sellNowFor} <Price sats={priceSats} />
      </Button>
      <span>
        {sale.youReceive(collectionSlug !== null)} <Price sats={netSats} /> after all fees
        {collectionSlug ? ', from a collection offer.' : '.'}
      </span>
    </p>
  )
}
