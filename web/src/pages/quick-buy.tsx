import { useAct } from '../act.tsx'
import type { CartLine } from '../cart.tsx'
import { client, queries } from '../client.ts'
import { amount } from '../format.ts'
import { useSettings } from '../settings.tsx'
import { Button } from '../ui/basics.tsx'
import { card as words } from '../words/collection.ts'
import { progress } from '../words/progress.ts'

/** Buys one item at once. The review before the signature has its bill. */
export function QuickBuy({ line }: { line: CartLine }) {
  const { unit, fiat } = useSettings()
  const { run, busy } = useAct(line.inscriptionId)
  const { slug, name, priceSats } = line
  const buy = () =>
    run(`Buying ${name}`, async (trades, trading) => {
      const { buyerRoyaltyBps } = await queries.fetchQuery({
        queryKey: ['getCollection', { params: { slug } }],
        queryFn: () => client.call('getCollection', { params: { slug } }),
      })
      const txid = await trades.buyItems(trading, slug, [line], buyerRoyaltyBps)
      return progress.bought(txid)
    })
  const text = `${words.buy} ${amount(priceSats, unit, fiat).text}`
  return (
    <Button
      kind="main"
      aria-keyshortcuts="B"
      className="w-full !px-2"
      aria-label={`${text}: ${name}`}
      busy={busy !== null}
      onClick={() => void buy()}
    >
      {text}
    </Button>
  )
}
