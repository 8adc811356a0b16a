import { useAct } from '../act.tsx'
import { useCart } from '../cart.tsx'
import { money, untilDate } from '../format.ts'
import { offerGuards } from '../guards.ts'
import { useBalance } from '../ticket/balance.ts'
import { exactTotal, usePurchaseQuote } from '../ticket/purchase-quote.ts'
import { QuoteBill } from '../ticket/quote-bill.tsx'
import { ticketActions, useTicket } from '../ticket/tickets.ts'
import { Button } from '../ui/basics.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { ticket } from '../words/trade.ts'
import { OfferForm, useOffer } from './offer-form.tsx'
import type { Inscription, Membership, Royalty } from './traded.ts'

const OFFER_STEP_SATS = 1000

interface Props {
  inscription: Inscription
  collection: Membership
  royalty: Royalty
}

/** Buying an inscription, or offering for it. */
export function BuyerActions(props: Props) {
  const { inscription, collection, royalty } = props
  const cart = useCart()
  const { listing, inscriptionId, name, contentType } = inscription
  const { slug } = collection
  const { run, busy } = useAct(inscriptionId)
  const line = listing?.state === 'buyable' && {
    inscriptionId,
    listingId: listing.listingId,
    slug,
    name,
    priceSats: listing.priceSats,
    contentType,
  }
  const quoted = usePurchaseQuote(slug, line ? [{ listingId: line.listingId, inscriptionId }] : [])
  const buy = () => {
    if (!line) return
    const shownSats = exactTotal(quoted.data)
    void run(`Buying ${name}`, async (trades, trading) => {
      const txid = await trades.buyItems(trading, slug, [line], royalty.buyerBps, shownSats)
      return `Bought in ${txid}. In the mempool. Yours after the next block, about 10 minutes.`
    })
  }
  return (
    <div className="grid gap-3">
      {line && <QuoteBill of={quoted} total={ticket.youPay} />}
      <div className="flex flex-wrap gap-2">
        {line && (
          <>
            <Button kind="main" disabled={busy !== null} onClick={buy}>
              {ticket.buyNow}
            </Button>
            <Button aria-pressed={cart.has(inscriptionId)} onClick={() => cart.toggle(line)}>
              {cart.has(inscriptionId) ? 'In the cart' : 'Add to cart'}
            </Button>
          </>
        )}
        <MakeOffer {...props} listingSats={line ? line.priceSats : null} buy={buy} />
      </div>
    </div>
  )
}

/** The ticket of an offer on one item. */
function MakeOffer({
  inscription: { inscriptionId, name },
  collection: { slug, floorSats },
  royalty: { buyerBps },
  listingSats,
  buy,
}: Props & { listingSats: number | null; buy: () => void }) {
  const subject = `offer ${inscriptionId}`
  const offering = useTicket(subject)
  const { run, busy } = useAct(subject)
  const { sats: priceSats, empty } = useOffer(subject, OFFER_STEP_SATS)
  const balanceSats = useBalance()
  const guards = priceSats ? offerGuards({ priceSats, listingSats, floorSats, balanceSats }) : []
  const buyInstead = () => {
    ticketActions.close(subject)
    buy()
  }
  return (
    <>
      <Button disabled={busy !== null} onClick={() => ticketActions.edit(subject, empty)}>
        {ticket.makeOffer}
      </Button>
      <Sheet
        open={offering?.phase === 'editing'}
        title={`Offer for ${name}`}
        onClose={() => ticketActions.close(subject)}
      >
        <OfferForm
          subject={subject}
          label={ticket.yourOffer}
          submit={ticket.reviewOffer}
          stepSats={OFFER_STEP_SATS}
          leastSats={2000}
          guards={guards}
          ways={{ 'buy-now': buyInstead }}
          onSubmit={(offeredSats, hours) => {
            void run('Making the offer', async (trades, trading) => {
              await trades.makeOffer(trading, slug, inscriptionId, offeredSats, hours, buyerBps)
              return `Offer placed. ${money(offeredSats)} on ${name} until ${untilDate(hours)}.`
            })
          }}
        />
      </Sheet>
    </>
  )
}
