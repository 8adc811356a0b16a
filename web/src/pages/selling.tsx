import type { Answer } from '@ordbook/sdk/operations.ts'
import { type ReactNode, useState } from 'react'
import { useAct } from '../act.tsx'
import { client, queries } from '../client.ts'
import { type Guard, sellGuards } from '../guards.ts'
import { GuardList } from '../ticket/guard-list.tsx'
import { Button, Price } from '../ui/basics.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { guardText } from '../words/trade.ts'
import type { Royalty } from './traded.ts'

interface Item {
  inscriptionId: string
  name: string
}

/** An offer that can be taken now; without a slug it is on the item itself. */
type Bid = Omit<NonNullable<Answer<'getBestBid'>['bid']>, 'netSats'>

interface Asked {
  item: Item
  bid: Bid
  best: Bid
  guards: readonly Guard[]
}

/** The best bid on an item now; null where the market cannot say, which it then says again before the sale. */
async function bestBidOn(id: string) {
  const input = { params: { id } }
  const answer = await queries
    .fetchQuery({
      queryKey: ['getBestBid', input],
      queryFn: () => client.call('getBestBid', input),
      staleTime: 0,
    })
    .catch(() => null)
  return answer?.bid ?? null
}

/** Sells into an offer. `dialog` shows an offer that leaves the seller more, and then the lower one needs a press of its own. `onStart`: called when a sale begins. */
export function useSelling(
  subject: string,
  royalty: Royalty,
  onStart?: () => void,
): {
  sell(item: Item, bid: Bid): Promise<void>
  dialog: ReactNode
  busy: string | null
} {
  const { run, busy } = useAct(subject)
  const [asked, setAsked] = useState<Asked | null>(null)
  const go = (
    { inscriptionId, name }: Item,
    { offerId, priceSats, collectionSlug }: Bid,
    isLower: boolean,
  ) => {
    setAsked(null)
    onStart?.()
    void run(`Selling ${name}`, async (trades, trading) => {
      const at = { inscriptionId, offerId, priceSats }
      const txid = collectionSlug
        ? await trades.fillBid(
            trading,
            collectionSlug,
            { ...at, evenBelowTopOffer: isLower },
            royalty.sellerBps + royalty.buyerBps,
          )
        : await trades.acceptOfferOf(trading, at, royalty.sellerBps)
      return `Sold in ${txid}.`
    })
  }
  const sell = async (item: Item, bid: Bid) => {
    const best = await bestBidOn(item.inscriptionId)
    const guards = sellGuards(bid, best)
    if (best && guards.length > 0) setAsked({ item, bid, best, guards })
    else go(item, bid, false)
  }
  const dialog = asked && (
    <Sheet open title={`Sell ${asked.item.name}`} onClose={() => setAsked(null)}>
      <div className="grid gap-4">
        <p>
          This offer: <Price sats={asked.bid.priceSats} className="font-semibold" />
        </p>
        <GuardList guards={asked.guards} ways={{ 'better-offer': () => go(asked.item, asked.best, false) }} />
        <Button onClick={() => go(asked.item, asked.bid, true)}>{guardText(asked.guards[0]!).risk}</Button>
      </div>
    </Sheet>
  )
  return { sell, dialog, busy }
}
