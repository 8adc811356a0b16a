import { sellGuards } from '@ordbook/web-ui/rules/guards.ts'
import { useAct } from '@ordbook/web-ui/signing/act.tsx'
import { sale as words } from '@ordbook/web-ui/strings/sale.ts'
import { ticket } from '@ordbook/web-ui/strings/trade.ts'
import { Comparison } from '@ordbook/web-ui/ticket/comparison.tsx'
import { GuardList } from '@ordbook/web-ui/ticket/guard-list.tsx'
import { useGuarded } from '@ordbook/web-ui/ticket/guarded.ts'
import { Failure } from '@ordbook/web-ui/ticket/progress/failure.tsx'
import { ticketActions, useTicket } from '@ordbook/web-ui/ticket/progress/tickets.ts'
import { QuoteBill } from '@ordbook/web-ui/ticket/quotes/quote-bill.tsx'
import { referencesOf } from '@ordbook/web-ui/ticket/references.ts'
import { type Bid, bidIn, saleOf, useSaleQuote } from '@ordbook/web-ui/ticket/sale.ts'
import { Button, Price } from '@ordbook/web-ui/ui/basics.tsx'
import { Sheet } from '@ordbook/web-ui/ui/sheet.tsx'
import { useState } from 'react'
import { TicketSubject } from '../parts/ticket-subject.tsx'

export interface SoldItem {
  inscriptionId: string
  name: string
  contentType: string | null
}

interface Props {
  item: SoldItem
  /** Called when the ticket closes, also after a sale. */
  onClose?: (() => void) | undefined
}

/** Sheet to sell an item into an offer. Render it while its ticket (`saleOf`) is open. */
export function SaleSheet({ item, onClose }: Props) {
  const subject = saleOf(item.inscriptionId)
  const open = useTicket(subject)
  const bid = bidIn(open?.fields)
  if (open?.phase !== 'editing' || !bid) return null
  const close = () => {
    ticketActions.close(subject)
    onClose?.()
  }
  return (
    <Sheet open title={words.sell(item.name)} onClose={close}>
      <SaleTicket key={bid.offerId} item={item} bid={bid} onClose={onClose} />
    </Sheet>
  )
}

type Quote = ReturnType<typeof useSaleQuote>['data']

/** Returns true if the seller must review a changed total or best offer. */
const isOther = (shown: Quote, fresh: Quote) =>
  shown?.totalSats !== fresh?.totalSats || bestOf(shown)?.offerId !== bestOf(fresh)?.offerId

/** The postage is shown on a separate line. */
const billOf = (quote: Quote) =>
  quote && {
    bill: quote.bill,
    totalSats: quote.totalSats,
    targetFeeRateSatVb: quote.targetFeeRateSatVb,
  }

const bestOf = (quote: Quote) => quote?.comparisons[0]?.bestBid ?? null

function SaleTicket({ item, bid, onClose }: Props & { bid: Bid }) {
  const { inscriptionId } = item
  const subject = saleOf(inscriptionId)
  const { busy } = useAct(subject)
  const quote = useSaleQuote(inscriptionId, bid)
  const sell = useSale(item, bid, onClose)
  const [checking, setChecking] = useState<'now' | 'changed' | null>(null)
  const guards = quote.data ? sellGuards(bid, bestOf(quote.data)) : []
  const guarded = useGuarded(words.sellFor(bid.priceSats), guards, bid.offerId)
  const press = async () => {
    setChecking('now')
    const { data, isError } = await quote.refetch()
    if (isError || isOther(quote.data, data)) return setChecking('changed')
    setChecking(null)
    guarded.press(() => data && sell(data, guards.length > 0 ? bestOf(data)?.offerId : undefined))
  }
  const takeBetter = () => {
    const best = bestOf(quote.data)
    if (best) ticketActions.edit(subject, { ...best })
  }
  return (
    <div className="grid gap-4">
      <TicketSubject item={item} collection={quote.data?.collection}>
        <p className="text-small text-soft">{words.thisOffer}</p>
        <Price sats={bid.priceSats} className="text-h2" />
      </TicketSubject>
      {quote.data && <Comparison sats={bid.priceSats} of={referencesOf(quote.data, inscriptionId)} />}
      <GuardList guards={guards} ways={{ 'better-offer': takeBetter }} />
      <QuoteBill of={{ data: billOf(quote.data), error: quote.error }} total={ticket.youReceive} />
      {quote.data && (
        <p className="text-small text-soft">
          {(quote.data.postageReturned ? words.postageBack : words.postageLeaves)(
            quote.data.inscriptionUtxoValueSats,
          )}
        </p>
      )}
      {checking === 'changed' && (
        <p role="status" className="text-small">
          {words.changed}
        </p>
      )}
      <Button
        kind="sell"
        large
        busy={checking === 'now'}
        disabled={busy !== null || !quote.data}
        onClick={() => void press()}
      >
        {guarded.label}
      </Button>
      <Failure subject={subject} />
      <p className="text-small text-soft">{words.once}</p>
    </div>
  )
}

/** `passedOver`: id of a better offer that the seller ignored. */
function useSale({ inscriptionId, name }: SoldItem, bid: Bid, onClose: Props['onClose']) {
  const { run } = useAct(saleOf(inscriptionId))
  const { offerId, priceSats, collectionSlug } = bid
  return async (quote: NonNullable<Quote>, passedOver: string | undefined) => {
    const { sellerCreatorRoyaltyBps: royaltyBps } = quote
    const isSold = await run(words.running(name), async (trades, trading) => {
      const at = { inscriptionId, offerId, priceSats, quote }
      const txid =
        collectionSlug === null
          ? await trades.acceptOfferOf(trading, at, royaltyBps)
          : await trades.fillBid(trading, collectionSlug, { ...at, passedOver }, royaltyBps)
      return words.done(txid)
    })
    if (isSold) onClose?.()
  }
}
