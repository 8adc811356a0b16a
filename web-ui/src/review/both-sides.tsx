import { addressOfScript } from '@ordbook/bitcoin/address.ts'
import { sumSats } from '@ordbook/bitcoin/sats.ts'
import type { Wallet } from '@ordbook/sdk/wallet.ts'
import type { ReactNode } from 'react'
import { useSettings } from '../api/settings.tsx'
import { shortAddress } from '../format/format.ts'
import { type Agreement, itemsOf, type TradedItem } from './agreement.ts'
import type { ReviewModel } from './model.ts'
import { AmountSide, ItemSide, Statement } from './sides.tsx'
import { afterText, review as words } from './texts.ts'

interface Props {
  model: ReviewModel
  wallet: Wallet
}

/** Art of the inscriptions that leave and arrive, and the amount. */
export function BothSides({ model, wallet }: Props) {
  const { agreement } = model
  const after = afterText(model.quotes.flatMap(({ bill }) => bill))
  const pays = (title: string) => <Pays model={model} title={title} />
  const sells = (title: string, item: TradedItem, note: string) => (
    <Pair
      left={<ItemSide title={title} items={[item]} />}
      right={<Proceeds model={model} wallet={wallet} note={note} />}
    />
  )
  switch (agreement.kind) {
    case 'buy':
    case 'accept-counter':
      return (
        <Pair left={<Receives items={itemsOf(agreement)} wallet={wallet} />} right={pays(words.youPay)} />
      )
    case 'offer':
      return (
        <Pair
          left={<ItemSide title={words.youOfferFor} items={[agreement.item]} />}
          right={pays(words.mostYouPay)}
        />
      )
    case 'bid':
      return (
        <Pair
          left={<Statement title={words.youOfferFor} text={agreement.about} />}
          right={pays(words.mostYouPay)}
        />
      )
    case 'list':
      return sells(words.youList, agreement.listed[0]!.item, words.whenSold(after))
    case 'accept':
    case 'sell':
      return sells(words.youGive, agreement.item, words.afterFees)
    case 'counter':
      return sells(words.youOffer, agreement.item, words.whenAccepted(after))
    case 'swap':
      return <Swapped model={model} wallet={wallet} sides={agreement} />
    default:
      return (
        <Pair
          left={<ItemSide title={words.staysYours} items={agreement.items} />}
          right={pays(words.youPay)}
        />
      )
  }
}

const Pair = ({ left, right }: { left: ReactNode; right: ReactNode }) => (
  <div className="grid gap-3 md:grid-cols-[minmax(0,1fr)_320px]">
    {left}
    {right}
  </div>
)

function useShortAddress() {
  const { market } = useSettings()
  return (script: Uint8Array) => shortAddress(addressOfScript(script, market!.addressNetwork) ?? words.script)
}

/** The amount of the bill: offers that may share coins have no separate amounts. */
const satsOf = ({ totalSats, quotes }: ReviewModel) => Math.abs(totalSats ?? quotes[0]?.totalSats ?? 0)

function Receives({ items, wallet }: { items: readonly TradedItem[]; wallet: Wallet }) {
  const short = useShortAddress()
  const postageSats = sumSats(items.map(({ valueSats }) => valueSats))
  return (
    <ItemSide
      title={words.youReceive}
      items={items}
      note={words.withPostage(postageSats, short(wallet.ordinalsScript))}
    />
  )
}

function Pays({ model, title }: { model: ReviewModel; title: string }) {
  const short = useShortAddress()
  const { paying } = model
  const from = paying ? [words.from(short(paying.script), paying.count)] : []
  return <AmountSide title={title} sats={satsOf(model)} notes={[words.allFees, ...from]} />
}

function Proceeds({ model, wallet, note }: Props & { note: string }) {
  const short = useShortAddress()
  return (
    <AmountSide
      title={words.youReceive}
      sats={satsOf(model)}
      notes={[note, words.to(short(wallet.paymentScript))]}
    />
  )
}

function Swapped({
  model,
  wallet,
  sides: { gives, gets, completes },
}: Props & { sides: Extract<Agreement, { kind: 'swap' }> }) {
  const total = model.totalSats ?? 0
  const hasFee = model.quotes.some(({ bill }) => bill.some(({ kind }) => kind === 'marketplaceFee'))
  const amount = (title: string) => (
    <AmountSide
      title={title}
      sats={Math.abs(total)}
      notes={[words.tradeFees({ completes, hasFee, pays: total < 0 })]}
    />
  )
  return (
    <div className="grid gap-3 md:grid-cols-2">
      <div className="grid content-start gap-3">
        {gives.length > 0 && <ItemSide title={words.youGive} items={gives} />}
        {total < 0 && amount(words.youPay)}
      </div>
      <div className="grid content-start gap-3">
        {gets.length > 0 && <Receives items={gets} wallet={wallet} />}
        {total > 0 && amount(words.youReceive)}
      </div>
    </div>
  )
}
