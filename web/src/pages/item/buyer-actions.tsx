import { type CartLine, useCart } from '@ordbook/web-ui/cart/cart.tsx'
import { collectionGuards, feeGuards, inLineGuards } from '@ordbook/web-ui/rules/guards.ts'
import { useAct } from '@ordbook/web-ui/signing/act.tsx'
import { useIsPhone } from '@ordbook/web-ui/state/use-media.ts'
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
import { CartIcon } from '@ordbook/web-ui/ui/icons.tsx'
import { Sheet } from '@ordbook/web-ui/ui/sheet.tsx'
import { useEffect, useRef } from 'react'
import { TicketSubject } from '../parts/ticket-subject.tsx'
import { TRADE_BAR } from '../parts/trade-bar.ts'
import { MakeOffer } from './make-offer.tsx'
import { PriceNow } from './price-now.tsx'
import { inscription as itemWords } from './strings.ts'
import type { Inscription, Membership, Royalty } from './traded.ts'

interface Props {
  inscription: Inscription
  collection: Membership
  royalty: Royalty
}

/** Actions to buy or make an offer. On phones, they are in a bar at the bottom. None while a sale is pending. */
export function BuyerActions({ isPending, ...props }: Props & { isPending: boolean }) {
  if (isPending) return <Paused {...props} />
  return <Actions {...props} />
}

function Paused({ inscription, collection }: Props) {
  const ref = useRef<HTMLDivElement>(null)
  // The pressed button is gone.
  useEffect(() => {
    if (document.activeElement === document.body) ref.current!.focus({ preventScroll: true })
  }, [])
  return (
    <div ref={ref} tabIndex={-1} className="grid gap-3 outline-none">
      {inscription.listing && <PriceNow inscription={inscription} collection={collection} />}
      <p className="text-small text-soft">{itemWords.paused}</p>
    </div>
  )
}

function Actions(props: Props) {
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
        <div className="grid gap-2">
          {bought && <PurchaseButtons {...bought} />}
          <MakeOffer {...offer} buy={buy} />
        </div>
        <Failure subject={inscriptionId} />
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
          footer={<PurchaseButtons {...bought} isInSheet />}
        >
          <div className="grid gap-4">
            <TicketSubject
              item={inscription}
              collection={{ ...props.collection, collectionName: props.collection.name }}
            >
              <Price sats={bought.line.priceSats} className="text-price-xl" />
            </TicketSubject>
            <PurchaseTicket {...bought} />
            <Failure subject={inscriptionId} />
          </div>
        </Sheet>
      )}
    </>
  )
}

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
    </>
  )
}

/** Buy now at full width, and the cart as an icon. */
function PurchaseButtons({ line, guarded, buy, isInSheet = false }: Bought & { isInSheet?: boolean }) {
  const cart = useCart()
  const { inscriptionId } = line
  const { busy, isRunning } = useAct(inscriptionId)
  const isInCart = cart.has(inscriptionId)
  const label = isInCart ? words.inCart : words.addToCart
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_auto] gap-2">
      <Button
        kind="main"
        large
        aria-keyshortcuts={isInSheet ? undefined : 'B'}
        // Not disabled while it runs: the focus returns to it after the review.
        busy={isRunning}
        disabled={guarded.isStopped || (busy !== null && !isRunning)}
        onClick={() => guarded.press(buy)}
      >
        {guarded.label}
      </Button>
      <Button
        large
        aria-pressed={isInCart}
        aria-label={label}
        title={label}
        className="!px-4 text-lg aria-pressed:border-accent aria-pressed:bg-tint"
        onClick={() => cart.toggle(line)}
      >
        <CartIcon />
      </Button>
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
