import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useAct } from './act.tsx'
import { useCart } from './cart.tsx'
import { type CartLine, type GoneListing, purchasesOf } from './cart-lines.ts'
import { client, queries } from './client.ts'
import { useSession } from './session.tsx'
import { shownTotal, usePurchaseQuote } from './ticket/purchase-quote.ts'
import { QuoteBill } from './ticket/quote-bill.tsx'
import { Button, Empty, Price } from './ui/basics.tsx'
import { Guard } from './ui/guard.tsx'
import { Media } from './ui/media.tsx'
import { Sheet } from './ui/sheet.tsx'
import { cart as words } from './words/cart.ts'
import { ticket } from './words/trade.ts'

/** The cart and its purchases, each with its bill. Listings that went are taken out by name, and the rest can be bought. */
export default function CartDialog() {
  const { lines, remove, heal, show } = useCart()
  const { account } = useSession()
  const { run, busy } = useAct('cart')
  const [changes, setChanges] = useState<string[]>([])
  const purchases = purchasesOf(lines)
  const takeOut = (gone: readonly GoneListing[]) => {
    const changed = heal(gone).map(words.changed)
    if (changed.length > 0) setChanges((before) => [...new Set([...before, ...changed])])
  }
  const checkOut = async () => {
    for (const { slug, lines: wanted } of purchases) {
      const { buyerRoyaltyBps } = await queries.fetchQuery({
        queryKey: ['getCollection', { params: { slug } }],
        queryFn: () => client.call('getCollection', { params: { slug } }),
      })
      show(false)
      const totalSats = shownTotal(slug, wanted, account?.walletBindingId)
      const done = await run(
        `Buying ${wanted.length === 1 ? wanted[0]!.name : words.items(wanted.length)}`,
        async (trades, trading) => {
          const txid = await trades.buyItems(trading, slug, wanted, buyerRoyaltyBps, totalSats)
          return `Bought in ${txid}. In the mempool. Yours after the next block, about 10 minutes.`
        },
      )
      if (!done) return
      remove(wanted.map((line) => line.inscriptionId))
    }
  }
  return (
    <Sheet
      open
      title={words.title}
      onClose={() => show(false)}
      footer={
        lines.length > 0 && (
          <Button kind="main" className="w-full" disabled={busy !== null} onClick={() => void checkOut()}>
            {words.buy}
          </Button>
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
              <Purchase key={purchase.lines[0]!.inscriptionId} {...purchase} takeOut={takeOut} />
            ))}
          </>
        )}
      </div>
    </Sheet>
  )
}

/** One transaction: its items and its bill. */
function Purchase({
  slug,
  lines,
  takeOut,
}: {
  slug: string
  lines: readonly CartLine[]
  takeOut: (gone: readonly GoneListing[]) => void
}) {
  const quoted = usePurchaseQuote(slug, lines)
  const { data } = quoted
  // The former answer stays while the next is on its way: its listings are out already.
  useEffect(() => {
    if (data && data.gone.length > 0) takeOut(data.gone)
  }, [data, takeOut])
  return (
    <section className="grid gap-4">
      <ul className="grid gap-2">
        {lines.map((line) => (
          <CartItem key={line.inscriptionId} line={line} />
        ))}
      </ul>
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
