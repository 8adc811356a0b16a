import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import type { Wallet } from '@ordbook/sdk/wallet.ts'
import { useState } from 'react'
import { exactBtc } from '../money/typed.ts'
import { split } from '../strings/split.ts'
import { guardText, ticket } from '../strings/trade.ts'
import { stepsOfReview } from '../ticket/progress/steps.ts'
import { QuoteBill } from '../ticket/quotes/quote-bill.tsx'
import { Button } from '../ui/basics.tsx'
import { Guard } from '../ui/guard.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { type Agreement, itemsOf, settles, type TradedItem, unverifiedIn } from './agreement.ts'
import { billOf } from './bill.ts'
import { BothSides } from './both-sides.tsx'
import { Tick, UnprovenCoins } from './coins.tsx'
import { AlsoContains } from './contents.tsx'
import { contentRulesOf, type Extra, extraName, extrasOf } from './extras.ts'
import { Checks, Transactions } from './folded.tsx'
import { ListingRows } from './listing-rows.tsx'
import { listingTable } from './listing-table.ts'
import type { ReviewModel, SpentCoin } from './model.ts'
import { footnoteOf, headingOf, laterOf, laterWhen, sentence } from './sentence.ts'
import { Statement } from './sides.tsx'
import { StepBar } from './step-bar.tsx'
import { type BilledFees, review as words } from './texts.ts'
import { Where } from './where.tsx'

interface Props {
  model: ReviewModel
  wallet: Wallet
  /** Wallet windows that open, if known. */
  windows?: number | undefined
  coins: readonly SpentCoin[]
  onSign(): void
  onCancel(): void
  /** Separates the coin of an item instead of signing. */
  onSeparate(item: TradedItem): void
  /** Reads the other contents of the coins again. */
  onRetry(): void
}

/** Dialog before every signature. Everything follows from the agreement and the verified transactions. */
export function Review({ model, wallet, windows, coins, onSign, onCancel, onSeparate, onRetry }: Props) {
  const { agreement, listings, transactions, blocked } = model
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set())
  const tick = (name: string, isTicked: boolean) =>
    setTicked(
      (before) => new Set([...[...before].filter((each) => each !== name), ...(isTicked ? [name] : [])]),
    )
  const unproven = coins.filter(({ isUnproven, outpoint }) => isUnproven && !ticked.has(outpoint)).length
  const { blocking, ticks, isUnreported } = contentRulesOf(agreement)
  const label =
    unproven > 0
      ? words.confirmCoin(unproven)
      : ticks.every((text) => ticked.has(text))
        ? words.signIn(wallet.name ?? null, listings.length)
        : words.tickFirst
  const separable = blocked === null && !isInEscrow(agreement) ? blocking[0]?.item : undefined
  const isBlocked = blocked !== null || blocking.length > 0
  const canSign = !isBlocked && unproven === 0 && ticks.every((text) => ticked.has(text))
  const isList = listings.length > 1
  return (
    <Sheet
      open
      title={headingOf(agreement)}
      width={isList ? 1200 : 1040}
      onClose={onCancel}
      footer={
        <div className="flex flex-wrap items-center justify-end gap-x-2 gap-y-1 max-md:flex-col-reverse max-md:items-stretch">
          <p className="mr-auto text-small text-soft max-md:sr-only">{footnoteOf(agreement)}</p>
          <Button kind="plain" onClick={onCancel}>
            {words.cancel}
          </Button>
          {separable ? (
            <Button kind="main" onClick={() => onSeparate(separable)}>
              {split.separate}
            </Button>
          ) : (
            <Button kind="main" disabled={!canSign} onClick={onSign}>
              {isBlocked ? words.blocked : label}
            </Button>
          )}
        </div>
      }
    >
      <div className="grid gap-4">
        <StepBar
          steps={stepsOfReview(wallet.name ?? null, transactions.length, settles(agreement), windows)}
        />
        {blocked !== null && <Guard level="stop" title={words.blocked} text={blocked} />}
        {blocked === null && blocking.length > 0 && (
          <Guard
            level="stop"
            title={`${words.blocked} ${words.wouldLeave(blocking.map(extraName), coinsIn(blocking))}`}
            text={`${words.wouldLeaveWhy(namesOf(blocking))} ${separable ? words.separateWhy : words.inEscrow}`}
          />
        )}
        {isUnreported && <Unreported onRetry={onRetry} />}
        <Body model={model} wallet={wallet} />
        <AlsoContains extras={extrasOf(agreement)} />
        {(isBlocked ? [] : ticks).map((text) => (
          <p key={text} className="rounded-card bg-raised p-3 text-small">
            <Tick label={text} isTicked={ticked.has(text)} onTick={(isTicked) => tick(text, isTicked)} />
          </p>
        ))}
        <UnprovenCoins
          coins={coins}
          isOneAddress={equalBytes(wallet.ordinalsScript, wallet.paymentScript)}
          ticked={ticked}
          onTick={tick}
        />
        {!isBlocked && <Checks model={model} notes={notesOf(agreement)} />}
        <Transactions model={model} fees={feesOf(model)} />
      </div>
    </Sheet>
  )
}

function Unreported({ onRetry }: Pick<Props, 'onRetry'>) {
  const retry = (
    <button type="button" className="min-h-6 underline" onClick={onRetry}>
      {words.retry}
    </button>
  )
  return <Guard level="note" title={words.contentsFailed} text="" action={retry} />
}

const isInEscrow = (agreement: Agreement) => agreement.kind === 'list' && agreement.isInEscrow
const coinsIn = (extras: readonly Extra[]) => new Set(extras.map(({ item }) => item.outpoint)).size
const namesOf = (extras: readonly Extra[]) => [...new Set(extras.map(({ item }) => item.name))]

/** What was not checked. */
const notesOf = (agreement: Agreement): string[] =>
  itemsOf(agreement).some(({ carries }) => carries === 'unchecked') ? [words.runesUnchecked] : []

function feesOf({ quotes }: ReviewModel): BilledFees {
  const rows = quotes.flatMap(({ bill }) => bill)
  const fee = rows.find(({ kind }) => kind === 'marketplaceFee')
  const royalty = rows.find(({ kind }) => kind === 'creatorRoyalty')
  const cpfp = rows.find(({ kind }) => kind === 'cpfpFee')
  return {
    buyerFeeSats: Math.max(0, fee?.sats ?? 0),
    sellerFeeSats: Math.max(0, -(fee?.sats ?? 0)),
    buyerRoyaltySats: Math.max(0, royalty?.sats ?? 0),
    sellerRoyaltySats: Math.max(0, -(royalty?.sats ?? 0)),
    cpfpSats: cpfp?.sats ?? 0,
    royaltyBps: royalty?.rateBps ?? null,
    feeRateSatVb: quotes[0]?.targetFeeRateSatVb ?? null,
  }
}

function Body({ model, wallet }: { model: ReviewModel; wallet: Wallet }) {
  const { agreement, listings, tables, moved } = model
  const later = laterOf(agreement)
  const fees = feesOf(model)
  const statements = later && (
    <>
      <Statement title={words.leavesNow} text={later.leavesNow} />
      <Statement title={words.leavesThen(laterWhen(agreement))} text={later.leavesThen} />
      <Statement title={words.arrivesThen(laterWhen(agreement))} text={later.arrivesThen} />
    </>
  )
  const change = moved && (
    <Guard level="confirm" title={words.totalChanged(exactBtc(moved.from), exactBtc(moved.to))} text="" />
  )
  if (listings.length > 1)
    return (
      <div className="grid items-start gap-5 md:grid-cols-[minmax(0,1fr)_320px]">
        <div className="grid min-w-0 gap-4">
          <p>{sentence(agreement)}</p>
          <ListingRows rows={listings} hasRoyalty={fees.sellerRoyaltySats > 0} />
        </div>
        <div className="grid min-w-0 gap-3">
          {statements}
          <ReviewBill model={model} title={ticket.ifAllSell} />
        </div>
      </div>
    )
  const shown = listings.length === 1 ? [listingTable(model)] : tables
  return (
    <>
      <BothSides model={model} wallet={wallet} />
      <p>{sentence(agreement)}</p>
      <UnverifiedNote agreement={agreement} />
      {change}
      {statements && <div className="grid gap-3 md:grid-cols-3">{statements}</div>}
      <div className="grid items-start gap-x-8 gap-y-5 md:grid-cols-[280px_minmax(0,1fr)]">
        <ReviewBill model={model} title={totalTitle(agreement)} />
        <div className="grid min-w-0 gap-5">
          {shown.map((table, n) => (
            <Where
              // biome-ignore lint/suspicious/noArrayIndexKey: the transactions of a review are in order
              key={n}
              model={model}
              table={table}
              fees={fees}
              title={
                shown.length > 1
                  ? words.whereOf(n + 1, shown.length)
                  : listings.length === 1
                    ? words.whenItSells
                    : words.where
              }
            />
          ))}
        </div>
      </div>
    </>
  )
}

/** A swap warns here too: its page may have been read days ago. */
function UnverifiedNote({ agreement }: { agreement: Agreement }) {
  const collections = agreement.kind === 'swap' ? unverifiedIn(agreement) : 0
  if (collections === 0) return null
  const { title, text } = guardText({ id: 'unverified', level: 'note', collections })
  return <Guard level="note" title={title} text={text} />
}

function totalTitle(agreement: Agreement): string {
  switch (agreement.kind) {
    case 'offer':
    case 'bid':
      return words.mostYouPay
    case 'list':
    case 'accept':
    case 'sell':
    case 'counter':
      return words.youReceive
    default:
      return words.youPay
  }
}

function ReviewBill({ model, title }: { model: ReviewModel; title: string }) {
  const { agreement } = model
  const bill = billOf(model)
  const isSwap = agreement.kind === 'swap'
  const receives = isSwap && (model.totalSats ?? 0) > 0
  return (
    <section className="grid min-w-0 gap-2" aria-labelledby="review-bill">
      <h3 id="review-bill" className="text-h3">
        {words.bill}
      </h3>
      <QuoteBill
        of={{ data: bill, error: null }}
        total={receives ? words.youReceive : title}
        isSwap={isSwap}
        {...(agreement.kind === 'withdraw'
          ? { note: words.networkFeeByMarket }
          : model.quotes.length > 0
            ? { note: words.sameBill(model.transactions.length) }
            : {})}
      />
    </section>
  )
}
