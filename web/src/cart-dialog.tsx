import { Link } from '@tanstack/react-router'
import { useAct } from './act.tsx'
import { useCart } from './cart.tsx'
import { client, queries } from './client.ts'
import { Button, Empty, Price } from './ui/basics.tsx'
import { Media } from './ui/media.tsx'
import { Sheet } from './ui/sheet.tsx'

const MOST_AT_ONCE = 20

/** The cart and its purchase: each collection in transactions of its own, at most twenty inscriptions each. */
export default function CartDialog() {
  const { lines, remove, show } = useCart()
  const { run, busy } = useAct('cart')
  const total = lines.reduce((sum, line) => sum + line.priceSats, 0)
  const bySlug = [...Map.groupBy(lines, (line) => line.slug)]
  const checkOut = async () => {
    for (const [slug, wanted] of bySlug)
      for (let at = 0; at < wanted.length; at += MOST_AT_ONCE) {
        const part = wanted.slice(at, at + MOST_AT_ONCE)
        const { buyerRoyaltyBps } = await queries.fetchQuery({
          queryKey: ['getCollection', { params: { slug } }],
          queryFn: () => client.call('getCollection', { params: { slug } }),
        })
        show(false)
        const done = await run(
          `Buying ${part.length === 1 ? part[0]!.name : `${part.length} inscriptions`}`,
          async (trades, trading) => {
            const txid = await trades.buyItems(trading, slug, part, buyerRoyaltyBps)
            return `Bought in ${txid}. In the mempool. Yours after the next block, about 10 minutes.`
          },
        )
        if (!done) return
        remove(part.map((line) => line.inscriptionId))
      }
  }
  return (
    <Sheet open title="Cart" onClose={() => show(false)}>
      {lines.length === 0 ? (
        <Empty title="Nothing in it yet">Put listings in here and buy them in one transaction.</Empty>
      ) : (
        <div className="grid gap-4">
          <ul className="grid gap-2">
            {lines.map((line) => (
              <li key={line.inscriptionId} className="flex items-center gap-3">
                <span className="w-12 shrink-0 overflow-hidden rounded-lg">
                  <Media id={line.inscriptionId} contentType={line.contentType} name="" />
                </span>
                <span className="min-w-0 flex-1">
                  <Link
                    to="/inscription/$id"
                    params={{ id: line.inscriptionId }}
                    onClick={() => show(false)}
                    className="block truncate text-sm font-medium hover:underline"
                  >
                    {line.name}
                  </Link>
                  <Price sats={line.priceSats} className="text-sm" />
                </span>
                <Button
                  kind="ghost"
                  aria-label={`Remove ${line.name}`}
                  onClick={() => remove([line.inscriptionId])}
                >
                  Remove
                </Button>
              </li>
            ))}
          </ul>
          <p className="flex items-baseline justify-between border-t border-line pt-3">
            <span>
              {lines.length} {lines.length === 1 ? 'inscription' : 'inscriptions'}, before fees
            </span>
            <Price sats={total} className="text-lg font-semibold" />
          </p>
          {bySlug.length > 1 && (
            <p className="text-sm text-soft">
              They are of {bySlug.length} collections: one transaction for each, which you sign one after the
              other.
            </p>
          )}
          <Button kind="main" disabled={busy !== null} onClick={() => void checkOut()}>
            Buy
          </Button>
        </div>
      )}
    </Sheet>
  )
}
