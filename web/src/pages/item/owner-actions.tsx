import { useAct } from '@ordbook/web-ui/signing/act.tsx'
import { sale } from '@ordbook/web-ui/strings/sale.ts'
import { ticket } from '@ordbook/web-ui/strings/trade.ts'
import { ticketActions, useTicket } from '@ordbook/web-ui/ticket/progress/tickets.ts'
import { saleOf } from '@ordbook/web-ui/ticket/sale.ts'
import { Button, Price } from '@ordbook/web-ui/ui/basics.tsx'
import { Sheet } from '@ordbook/web-ui/ui/sheet.tsx'
import { type BestBid, useBestBids } from '../forms/best-bids.ts'
import { ListForm, NO_PRICES } from '../forms/list-form.tsx'
import { SaleSheet } from '../forms/sale-ticket.tsx'
import { EscrowActions, ListingGuarantee } from './escrow-actions.tsx'
import type { Inscription, Membership, Royalty } from './traded.ts'

interface Props {
  inscription: Inscription
  collection: Membership
  royalty: Royalty
}

/** The owner's actions, and the guarantee of the listing or escrow. */
export function OwnerPanel(props: Props) {
  const { escrow, listing, inscriptionId } = props.inscription
  return (
    <>
      <OwnerActions {...props} />
      {escrow ? (
        <EscrowActions inscriptionId={inscriptionId} form={escrow.escrowForm} />
      ) : (
        listing && <ListingGuarantee />
      )}
    </>
  )
}

/** Sells the visitor's inscription: into the best offer, or by a listing. */
function OwnerActions(props: Props) {
  const { inscription, collection, royalty } = props
  const { listing, inscriptionId, escrow, name } = inscription
  const { run, busy } = useAct(inscriptionId)
  const subject = `list ${inscriptionId}`
  const listingTicket = useTicket(subject)
  const bestBid = useBestBids([inscriptionId]).get(inscriptionId) ?? null
  const isSelling = listing?.state === 'hidden_locked'
  const delist = () =>
    run('Taking it down', async (trades, trading) => {
      const one = { inscriptionId, listingId: listing!.listingId }
      await trades.delistItems(trading, collection.slug, [one])
      return 'It is no longer for sale.'
    })
  return (
    <>
      {!isSelling && !escrow && <SellNow inscriptionId={inscriptionId} bid={bestBid} />}
      <SaleSheet item={inscription} />
      <div className="flex flex-wrap gap-2">
        {listing && !isSelling && (
          <Button disabled={busy !== null} onClick={() => void delist()}>
            Delist
          </Button>
        )}
        <Button
          kind="main"
          disabled={listingTicket?.phase === 'running'}
          onClick={() => ticketActions.edit(subject, NO_PRICES)}
        >
          {listing ? ticket.editPrice : ticket.listForSale}
        </Button>
      </div>
      {listingTicket?.phase === 'editing' && (
        <Sheet open title={`List ${name}`} onClose={() => ticketActions.close(subject)}>
          <ListForm
            subject={subject}
            items={[
              {
                inscriptionId,
                name,
                slug: collection.slug,
                floorSats: collection.floorSats,
                royaltyBps: royalty.sellerBps,
                listedSats: listing?.priceSats,
                isInEscrow: escrow !== null,
              },
            ]}
            ways={{ 'sell-now': () => ticketActions.close(subject) }}
            list={(trades, trading, wishes, days) =>
              escrow
                ? trades.relistItems(
                    trading,
                    wishes.map((wish) => ({ ...wish, inscriptionIds: [inscriptionId] })),
                    days,
                  )
                : trades.listItems(trading, collection.slug, wishes, days)
            }
          />
        </Sheet>
      )}
    </>
  )
}

/** Button to sell into the offer with the highest payout; hidden if no offer is executable. */
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
        You receive about <Price sats={netSats} /> after all fees
        {collectionSlug ? ', from an offer for the collection.' : '.'}
      </span>
    </p>
  )
}
