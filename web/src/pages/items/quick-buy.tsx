import { client, queries } from '@ordbook/web-ui/api/client.ts'
import { useSettings } from '@ordbook/web-ui/api/settings.tsx'
import type { CartLine } from '@ordbook/web-ui/cart/cart.tsx'
import { amount } from '@ordbook/web-ui/format/format.ts'
import { useAct } from '@ordbook/web-ui/signing/act.tsx'
import { card as words } from '@ordbook/web-ui/strings/collection.ts'
import { progress } from '@ordbook/web-ui/strings/progress.ts'
import { Button } from '@ordbook/web-ui/ui/basics.tsx'

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
