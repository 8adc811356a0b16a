import { useEffect, useRef, useState } from 'react'
import { client, queries } from '../api/client.ts'
import { Link } from '../routing/routing.tsx'
import { type CartLine, type GoneListing, purchasesOf } from '../rules/cart-lines.ts'
import { useSession } from '../session/session.tsx'
import { useAct } from '../signing/act.tsx'
import { cart as words } from '../strings/cart.ts'
import { progress } from '../strings/progress.ts'
import { ticket } from '../strings/trade.ts'
import { replacementsOf } from '../ticket/cheapest.ts'
import { SweepControl } from '../ticket/fields/sweep-control.tsx'
import { Failure } from '../ticket/progress/failure.tsx'
import { PurchaseFigures } from '../ticket/quotes/purchase-figures.tsx'
import { quoteOnScreen, usePurchaseQuote } from '../ticket/quotes/purchase-quote.ts'
import { QuoteBill } from '../ticket/quotes/quote-bill.tsx'
import { Button, Empty, Price } from '../ui/basics.tsx'
import { CollectionName } from '../ui/collection-name.tsx'
import { Guard } from '../ui/guard.tsx'
import { Media } from '../ui/media/media.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { SidePanel } from '../ui/side-panel.tsx'
import { useCart } from './cart.tsx'

/** Cart with the bill of each purchase. Removes listings that are no longer available. `isAside`: next to the page, otherwise over it. */
export default function CartDialog({ isAside }: { isAside: boolean }) {
  const { lines, heal, show } = useCart()
  const { account } = useSession()
  const { checkOut, busy, isRunning } = useCheckOut(isAside)
  const [changes, setChanges] = useState<string[]>([])
  const purchases = purchasesOf(lines)
  const healing = useRef(new Set<string>())
  const takeOut = async (gone: readonly GoneListing[]) => {
    const fresh = gone.filter(({ listingId }) => !healing.current.has(listingId))
    for (const { listingId } of fresh) healing.current.add(listingId)
    const isGone = ({ listingId }: CartLine) =>
      fresh.some((each) => each.listingId === listingId && each.replacedBy === null)
    const removed = lines.filter((line) => isGone(line) && line.sweep !== undefined)
    const more = await replacementsOf(removed, lines, account?.ordinalsAddress)
    const replaced = new Set(removed.slice(0, more.length))
    const changed = heal(fresh, more).map((change) => words.changed(change, replaced.has(change.line)))
    for (const { listingId } of fresh) healing.current.delete(listingId)
    if (changed.length > 0) setChanges((before) => [...new Set([...before, ...changed])])
  }
  const Place = isAside ? SidePanel : Sheet
  return (
    <Place
      open
      title={words.title}
      onClose={() => show(false)}
      footer={
        lines.length > 0 && (
          <>
            <Button
              kind="main"
              large
              className="w-full"
              busy={isRunning}
              disabled={busy !== null && !isRunning}
              onClick={() => void checkOut()}
            >
              {words.buy}
            </Button>
            <Failure subject="cart" />
          </>
        )
      }
    >
      <div className="grid gap-4">
        {changes.map((text) => (
          <Guard key={text} level="note" title="" text={text} />
        ))}
        {lines.length === 0 ? (
          <Empty title={words.empty}>{words.emptyText}</Empty>
        ) : (
          <>
            <p className="text-soft">
              {words.items(lines.length)}
              {purchases.length > 1 && `, ${words.purchases(purchases.length)}`}
            </p>
            {purchases.map((purchase) => (
              <Purchase key={purchase.slug} {...purchase} takeOut={takeOut} />
            ))}
          </>
        )}
      </div>
    </Place>
  )
}

/** Buys the items of the cart, one collection after the other. Closes the cart in the end, or before the review that covers it. */
function useCheckOut(isAside: boolean) {
  const { lines, remove, show } = useCart()
  const { account } = useSession()
  const { run, busy, isRunning } = useAct('cart')
  const checkOut = async () => {
    for (const { slug, lines: wanted } of purchasesOf(lines)) {
      const { buyerRoyaltyBps } = await queries.fetchQuery({
        queryKey: ['getCollection', { params: { slug } }],
        queryFn: () => client.call('getCollection', { params: { slug } }),
      })
      if (!isAside) show(false)
      const shown = quoteOnScreen(slug, wanted, account?.walletBindingId)
      const done = await run(
        `Buying ${wanted.length === 1 ? wanted[0]!.name : words.items(wanted.length)}`,
        async (trades, trading) => {
          const txid = await trades.buyItems(trading, slug, wanted, buyerRoyaltyBps, shown)
          return progress.bought(txid)
        },
      )
      if (!done) return
      remove(wanted.map((line) => line.inscriptionId))
    }
    show(false)
  }
  return { checkOut, busy, isRunning }
}

function Purchase({
  slug,
  lines,
  takeOut,
}: {
  slug: string
  lines: readonly CartLine[]
  takeOut: (gone: readonly GoneListing[]) => Promise<void>
}) {
  const { heal } = useCart()
  const quoted = usePurchaseQuote(slug, lines)
  const { data } = quoted
  // `data` is the previous quote while the next one loads.
  useEffect(() => {
    if (data && data.gone.length > 0) void takeOut(data.gone)
  }, [data, takeOut])
  const swept = lines.filter((line) => line.sweep !== undefined)
  const sweeps = new Set(swept.map((line) => line.sweep))
  const [sweep] = sweeps
  const replace = (more: readonly CartLine[]) =>
    heal(
      swept.map(({ listingId }) => ({ listingId, reason: '', replacedBy: null })),
      more,
    )
  return (
    <section className="grid grid-cols-[minmax(0,1fr)] gap-4">
      {sweep !== undefined && sweeps.size === 1 && (
        <SweepControl
          slug={slug}
          sweep={sweep}
          lines={swept}
          others={lines.filter((line) => line.sweep === undefined)}
          onReplace={replace}
        />
      )}
      <p className="flex h-6 min-w-0 items-center gap-1.5 font-[560]">
        {data && <CollectionName of={data.collection} />}
      </p>
      <ul className="grid gap-2">
        {lines.map((line) => (
          <CartItem key={line.inscriptionId} line={line} />
        ))}
      </ul>
      {lines.length > 1 && data && <PurchaseFigures slug={slug} lines={lines} quote={data} />}
      <QuoteBill of={quoted} total={ticket.youPay} />
    </section>
  )
}

function CartItem({ line }: { line: CartLine }) {
  const { remove, show } = useCart()
  return (
    <li className="flex items-center gap-3">
      <span className="w-12 shrink-0 overflow-hidden rounded-control">
        <Media id={line.inscriptionId} contentType={line.contentType} name="" />
      </span>
      <span className="min-w-0 flex-1">
        <Link
          to="/inscription/$id"
          params={{ id: line.inscriptionId }}
          onClick={() => show(false)}
          className="block truncate font-[560] hover:underline"
        >
          {line.name}
        </Link>
        <Price sats={line.priceSats} className="text-small" />
      </span>
      <Button
        kind="ghost"
        aria-label={`${words.remove} ${line.name}`}
        onClick={() => remove([line.inscriptionId])}
      >
        {words.remove}
      </Button>
    </li>
  )
}
