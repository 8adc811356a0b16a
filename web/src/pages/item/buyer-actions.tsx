import { type CartLine, useCart } from '@ordbook/web-ui/cart/cart.tsx'
import { collectionGuards, feeGuards, inLineGuards } from '@ordbook/web-ui/rules/guards.ts'
import { useAct } from '@ordbook/web-ui/signing/act.tsx'
import { cart as words } from '@ordbook/web-ui/strings/cart.ts'
import { progress } from '@ordbook/web-ui/strings/progress.ts'
import { ticket } from '@ordbook/web-ui/strings/trade.ts'
import { Comparison } from '@ordbook/web-ui/ticket/comparison.tsx'
import { GuardList } from '@ordbook/web-ui/ticket/guard-list.tsx'
import { useGuarded } from '@ordbook/web-ui/ticket/guarded.ts'
import { useMoved } from '@ordbook/web-ui/ticket/moved.ts'
import { Failure } from '@ordbook/web-ui/ticket/progress/failure.tsx'
import { ticketActions, useTicket } from '@ordbook/web-ui/ticket/progress/tickets.ts'
import { shownOf, usePurchaseQuote } from '@ordbook/web-ui/ticket/quotes/purchase-quote.ts'
import { QuoteBill } from '@ordbook/web-ui/ticket/quotes/quote-bill.tsx'
import { factsOf, referencesOf } from '@ordbook/web-ui/ticket/references.ts'
import { useVerifiedOne } from '@ordbook/web-ui/ticket/verified-one.ts'
import { Button, Price } from '@ordbook/web-ui/ui/basics.tsx'
import { Media } from '@ordbook/web-ui/ui/media/media.tsx'
import { Sheet } from '@ordbook/web-ui/ui/sheet.tsx'
import { useIsPhone } from '@ordbook/web-ui/ui/use-media.ts'
import { MakeOffer } from './make-offer.tsx'
import { PriceNow } from './price-now.tsx'
import type { Inscription, Membership, Royalty } from './traded.ts'

interface Props {
  inscription: Inscription
  collection: Membership
  royalty: Royalty
}

/** Actions to buy or make an offer. On phones, they are in a bar at the bottom. */
export function BuyerActions(props: Props) {
  const isPhone = useIsPhone()
  const { inscription } = props
  const { inscriptionId } = inscription
  const purchase = usePurchase(props)
  const { line, quoted, buy } = purchase
  const bought = line && { ...purchase, line }
  const { busy } = useAct(inscriptionId)
  const isOpen = useTicket(inscriptionId)?.phase === 'editing'
  const open = () => ticketActions.edit(inscriptionId, {})
  const offer = { ...props, listingSats: line?.priceSats ?? null }
  if (!isPhone)
    return (
      <div className="grid gap-3">
        <PriceNow {...props} />
        {bought && <PurchaseTicket {...bought} />}
        <div className="flex flex-wrap gap-2">
          {bought && <PurchaseButtons {...bought} />}
          <MakeOffer {...offer} buy={buy} />
        </div>
      </div>
    )
  return (
    <>
      {line && (
        // Reserves the height to avoid a layout shift.
        <div className="min-h-28">
          <Comparison sats={line.priceSats} of={referencesOf(quoted.data, inscriptionId)} />
        </div>
      )}
      <div data-trade-bar className={TRADE_BAR}>
        <PriceNow {...props} />
        <div className="grid auto-cols-fr grid-flow-col gap-3">
          <MakeOffer {...offer} buy={open} large />
          {line && (
            <Button kind="main" large aria-keyshortcuts="B" disabled={busy !== null} onClick={open}>
              {ticket.buyNow}
            </Button>
          )}
        </div>
      </div>
      {bought && (
        <Sheet
          open={isOpen}
          title={ticket.buyItem(bought.line.name)}
          onClose={() => ticketActions.close(inscriptionId)}
          footer={
            <div className="grid grid-flow-col gap-3">
              <PurchaseButtons {...bought} large />
            </div>
          }
        >
          <div className="grid gap-4">
            <TicketSubject line={bought.line} />
            <PurchaseTicket {...bought} />
          </div>
        </Sheet>
      )}
    </>
  )
}

const TRADE_BAR =
  'fixed inset-x-0 bottom-0 z-30 grid gap-2 border-t border-line bg-surface px-4 pt-3 pb-[calc(12px+env(safe-area-inset-bottom))] shadow-floating'

type Purchase = ReturnType<typeof usePurchase>
type Bought = Purchase & { line: CartLine }

/** Returns quote, guards and buy function of a listing. `line` is null if it is not buyable. */
function usePurchase({ inscription, collection, royalty }: Props) {
  const { listing, inscriptionId, name, contentType } = inscription
  const { slug } = collection
  const { run } = useAct(inscriptionId)
  const line: CartLine | null =
    listing?.state === 'buyable'
      ? { inscriptionId, listingId: listing.listingId, slug, name, priceSats: listing.priceSats, contentType }
      : null
  const quoted = usePurchaseQuote(slug, line ? [{ listingId: line.listingId, inscriptionId }] : [])
  const { guards, ways } = usePurchaseGuards(line, quoted, collection)
  const guarded = useGuarded(ticket.buyNow, guards, inscriptionId)
  const buy = () => {
    if (!line) return
    const shown = shownOf(quoted.data)
    void run(ticket.buying(name), async (trades, trading) => {
      const txid = await trades.buyItems(trading, slug, [line], royalty.buyerBps, shown)
      return progress.bought(txid)
    })
  }
  return { line, quoted, guards, ways, guarded, buy }
}

function PurchaseTicket({ line, quoted, guards, ways }: Bought) {
  return (
    <>
      <Comparison sats={line.priceSats} of={referencesOf(quoted.data, line.inscriptionId)} />
      <GuardList guards={guards} ways={ways} />
      <QuoteBill of={quoted} total={ticket.youPay} keepsPlace />
      <Failure subject={line.inscriptionId} />
    </>
  )
}

function PurchaseButtons({ line, guarded, buy, large = false }: Bought & { large?: boolean }) {
  const cart = useCart()
  const { inscriptionId } = line
  const { busy, isRunning } = useAct(inscriptionId)
  const isInCart = cart.has(inscriptionId)
  return (
    <>
      <Button
        kind="main"
        large={large}
        aria-keyshortcuts={large ? undefined : 'B'}
        // Not disabled while it runs: the focus returns to it after the review.
        busy={isRunning}
        disabled={guarded.isStopped || (busy !== null && !isRunning)}
        onClick={() => guarded.press(buy)}
      >
        {guarded.label}
      </Button>
      <Button large={large} aria-pressed={isInCart} onClick={() => cart.toggle(line)}>
        {isInCart ? words.inCart : words.addToCart}
      </Button>
    </>
  )
}

function TicketSubject({ line }: { line: CartLine }) {
  return (
    <div className="flex items-center gap-3">
      <span className="w-13 shrink-0 overflow-hidden rounded-control">
        <Media id={line.inscriptionId} contentType={line.contentType} name="" />
      </span>
      <div className="min-w-0">
        <p dir="auto" className="truncate font-[560]">
          {line.name}
        </p>
        <Price sats={line.priceSats} className="text-price-xl" />
      </div>
    </div>
  )
}

function usePurchaseGuards(
  line: CartLine | null,
  { data, isPlaceholderData }: ReturnType<typeof usePurchaseQuote>,
  { verificationStatus }: Membership,
) {
  const present = isPlaceholderData ? undefined : data
  const moved = useMoved(
    line?.listingId ?? '',
    line && present?.exact ? present.totalSats : undefined,
    'buyer',
  )
  const verified = useVerifiedOne(data?.collection.sameNameAs?.slug)
  const ways = { 'new-total': moved.accept, 'verified-one': verified }
  if (!line) return { guards: [], ways }
  // Shown before the quote arrives, to avoid a layout shift.
  if (!data) return { guards: collectionGuards({ verificationStatus, sameNameAs: null }), ways }
  const facts = factsOf(data, line.inscriptionId)
  return {
    guards: [
      ...moved.guards,
      ...collectionGuards(data.collection),
      ...feeGuards(line.priceSats, present?.estimatedNetworkFeeSats ?? 0),
      ...inLineGuards(line.priceSats, facts?.traitSales ?? null, facts?.traitFloor?.value ?? null),
    ],
    ways,
  }
}
