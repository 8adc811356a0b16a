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

function OwnerActions(props: Props) {
  const { inscription, collection, royalty } = props
  const { listing, inscriptionId, escrow, name } = inscription
  const { run, busy } = useAct(inscriptionId)
  const subject = `list ${inscriptionId}`
  const listingTicket = useTicket(subject)
  const bestBid = useBestBids([inscriptionId]).get(inscriptionId) ?? null
  const isSelling = listing?.state === 'hidden_locked'
  const delist = () =>
    run('Delisting', async (trades, trading) => {
      const entry = { inscriptionId, listingId: listing!.listingId }
      await trades.delistItems(trading, collection.slug, [entry])
      return 'The item is no longer for sale.'
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
            list={(trades, trading, inputs, days, quotes) =>
              escrow
                ? trades.relistItems(
                    trading,
                    inputs.map((input) => ({ ...input, inscriptionIds: [inscriptionId] })),
                    days,
                    quotes,
                  )
                : trades.listItems(trading, collection.slug, inputs, days, quotes)
            }
          />
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
        You receive about <Price sats={netSats} /> after all fees
        {collectionSlug ? ', from a collection offer.' : '.'}
      </span>
    </p>
  )
}
