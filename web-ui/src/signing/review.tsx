import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { type Effects, effectsOf } from '@ordbook/sdk/effects.ts'
import { WalletDeclined } from '@ordbook/sdk/errors.ts'
import type { CoinProof } from '@ordbook/sdk/payment-coins.ts'
import type { SigningRequest, Wallet } from '@ordbook/sdk/wallet.ts'
import { useEffect, useState } from 'react'
import { shortId } from '../format/format.ts'
import { exactBtc } from '../money/typed.ts'
import { progress as progressTexts } from '../strings/progress.ts'
import { review as words } from '../strings/trade.ts'
import { stepsOfReview } from '../ticket/progress/steps.ts'
import { Button, Price } from '../ui/basics.tsx'
import { type Carried, carriedText } from '../ui/carried.tsx'
import { Guard } from '../ui/guard.tsx'
import { ShieldIcon } from '../ui/icons.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { Timeline } from '../ui/timeline.tsx'
import { type SpentCoin, spentCoinsOf } from './own-coins.ts'
import { ReviewCoins } from './review-coins.tsx'
import { ReviewTransaction } from './review-transaction.tsx'

/** Inscription of a trade and its location. */
export interface Known {
  inscriptionId: string
  name: string
  outpoint: string
  offset: number
  /** Null if the market could not provide them. */
  carries: readonly Carried[] | null
  /** Direction of the coin for the signer. */
  goes: 'leaves' | 'arrives' | 'stays'
}

/** The visitor's intent, and facts that a PSBT does not contain. */
export interface Intent {
  title: string
  outcome: string
  known: readonly Known[]
  /** Total of each transaction as shown, in sats; undefined for an estimate. */
  quotedSats?: readonly (number | undefined)[]
  prices?: readonly { name: string; sats: number }[]
  isLater?: boolean
  /** True if the market broadcasts the transaction immediately. */
  settles?: boolean
}

interface ReviewInput {
  intent: Intent
  wallet: Wallet
  requests: readonly SigningRequest[]
}

interface Review extends ReviewInput {
  transactions: readonly Read[]
  coins: readonly SpentCoin[]
  confirm(): void
  refuse(error: Error): void
}

/** The mounted dialog and the reviews that wait for it. */
let show: ((review: Review) => void) | null = null
let waiting: (() => void)[] = []

/**
 * Shows what the PSBTs do and waits for confirmation. Throws WalletDeclined if the visitor declines, and Error if a payment coin holds an
 * inscription.
 */
export async function review(input: ReviewInput, prove: CoinProof): Promise<void> {
  const transactions = readAll(input)
  const given = input.intent.known.flatMap(({ goes, outpoint }) => (goes === 'arrives' ? [] : [outpoint]))
  const coins = await spentCoinsOf(
    transactions.map(({ effects }) => effects),
    new Set(given),
    prove,
  )
  while (!show) await new Promise<void>((resolve) => waiting.push(resolve))
  const showReview = show
  return new Promise((resolve, reject) => {
    showReview({ ...input, transactions, coins, confirm: resolve, refuse: reject })
  })
}

/** Dialog before every signature. Items and costs are derived from the PSBTs. */
export function ReviewDialog() {
  // Several actions can wait for review at the same time.
  const [reviews, setReviews] = useState<readonly Review[]>([])
  const [shown] = reviews

  useEffect(() => {
    show = (review) => setReviews((before) => [...before, review])
    for (const resume of waiting) resume()
    waiting = []
    return () => {
      show = null
    }
  }, [])
  if (!shown) return null
  const close = (act: () => void) => {
    setReviews((before) => before.slice(1))
    act()
  }
  return <Shown key={shown.requests[0]?.psbtBase64} review={shown} close={close} />
}

function Shown({ review, close }: { review: Review; close(act: () => void): void }) {
  const { intent, requests, wallet, transactions, coins } = review
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set())
  const untickedCount = coins.filter(({ isUnproven, outpoint }) => isUnproven && !ticked.has(outpoint)).length
  const refuse = () => close(() => review.refuse(new WalletDeclined('You did not sign.')))
  const tick = (outpoint: string, isTicked: boolean) =>
    setTicked(
      (before) =>
        new Set([...[...before].filter((each) => each !== outpoint), ...(isTicked ? [outpoint] : [])]),
    )
  return (
    <Sheet
      open
      title={intent.title}
      wide
      onClose={refuse}
      footer={
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={refuse}>{words.cancel}</Button>
          <Button kind="main" disabled={untickedCount > 0} onClick={() => close(review.confirm)}>
            {untickedCount > 0 ? words.tickFirst(untickedCount) : words.sign}
          </Button>
        </div>
      }
    >
      <div className="grid gap-5 md:grid-cols-[minmax(0,1fr)_208px] md:gap-6">
        <div className="grid min-w-0 content-start gap-5">
          <p className="text-body">{intent.outcome}</p>
          <Sides intent={intent} transactions={transactions} />
          <TotalsChanged intent={intent} transactions={transactions} />
          <p className="flex items-start gap-3 rounded-lg bg-tint p-3 text-small">
            <ShieldIcon className="mt-0.5 shrink-0 text-lg text-accent" />
            <span>{requests.length === 1 ? words.checked : words.checkedSeveral(requests.length)}</span>
          </p>
          <AlsoInside known={intent.known} />
          <Priced prices={intent.prices} />
          <ReviewCoins
            coins={coins}
            isOneAddress={equalBytes(wallet.ordinalsScript, wallet.paymentScript)}
            ticked={ticked}
            onTick={tick}
            nameOf={transactions[0]?.nameOf ?? shortId}
          />
          <Transactions transactions={transactions} />
        </div>
        <aside aria-label={progressTexts.next} className="content-start md:border-l md:border-line md:pl-6">
          <h3 className="mb-3 text-h3">{progressTexts.next}</h3>
          <Timeline steps={stepsOfReview(wallet.name ?? null, requests.length, intent.settles === true)} />
        </aside>
      </div>
    </Sheet>
  )
}

interface Read {
  request: SigningRequest
  effects: Effects
  nameOf: (id: string) => string
}

function readAll({ intent, wallet, requests }: ReviewInput): Read[] {
  const located = new Map(
    [...Map.groupBy(intent.known, (each) => each.outpoint)].map(([outpoint, all]) => [
      outpoint,
      all.map(({ inscriptionId, offset }) => ({ inscriptionId, offset })),
    ]),
  )
  const names = new Map(intent.known.map((each) => [each.inscriptionId, each.name]))
  const nameOf = (id: string) => names.get(id) ?? shortId(id)
  return requests.map((request) => {
    const step = { ...request, inputsToSign: request.inputsToSign.map((each) => ({ ...each })) }
    return { request, effects: effectsOf(wallet, step, located), nameOf }
  })
}

/** Shows both sides of a complete transaction. */
function Sides({ intent, transactions }: { intent: Intent; transactions: readonly Read[] }) {
  const [only] = transactions
  if (!only || transactions.length > 1 || only.effects.isOpen || intent.isLater) return null
  const { effects, nameOf } = only
  const { netSats } = effects
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <Side title={words.youGive} names={effects.leaves.map(nameOf)} sats={Math.max(0, -netSats)} />
      <Side title={words.youReceive} names={effects.arrives.map(nameOf)} sats={Math.max(0, netSats)} />
    </div>
  )
}

function TotalsChanged({ intent, transactions }: { intent: Intent; transactions: readonly Read[] }) {
  const { quotedSats = [] } = intent
  if (quotedSats.length !== transactions.length) return null
  return transactions.map(({ effects, request }, n) => {
    const [quoted, now] = [quotedSats[n], Math.abs(effects.netSats)]
    if (quoted === undefined || quoted === now || effects.isOpen) return null
    return (
      <Guard
        key={request.psbtBase64}
        level="confirm"
        title={words.totalChanged(exactBtc(quoted), exactBtc(now))}
        text=""
      />
    )
  })
}

function Side({ title, names, sats }: { title: string; names: readonly string[]; sats: number }) {
  if (names.length === 0 && sats === 0) return null
  return (
    <div className="rounded-lg bg-raised p-4">
      <p className="text-small text-soft">{title}</p>
      {names.map((name) => (
        <p key={name} dir="auto" className="font-semibold [overflow-wrap:anywhere]">
          {name}
        </p>
      ))}
      {sats > 0 && (
        <p className="tabular text-h2">
          {exactBtc(sats)} <span className="text-caption text-soft">BTC</span>
        </p>
      )}
    </div>
  )
}

function Priced({ prices = [] }: { prices: Intent['prices'] }) {
  if (prices.length < 2) return null
  return (
    <ul className="panel grid max-h-64 divide-y divide-line overflow-y-auto text-small">
      {prices.map(({ name, sats }) => (
        <li key={name} className="flex justify-between gap-3 px-4 py-2">
          <span dir="auto" className="min-w-0 [overflow-wrap:anywhere]">
            {name}
          </span>
          <Price sats={sats} />
        </li>
      ))}
    </ul>
  )
}

function Transactions({ transactions }: { transactions: readonly Read[] }) {
  const list = transactions.map(({ request, effects, nameOf }, n) => (
    <ReviewTransaction
      key={request.psbtBase64}
      heading={
        transactions.length === 1 ? words.transaction : words.transactionOf(n + 1, transactions.length)
      }
      effects={effects}
      psbtBase64={request.psbtBase64}
      nameOf={nameOf}
      isOpenAtFirst={transactions.length === 1}
    />
  ))
  if (list.length <= 2) return list
  return (
    <details>
      <summary className="min-h-6 text-small underline">{words.showAll(list.length)}</summary>
      <div className="mt-3 grid gap-3">{list}</div>
    </details>
  )
}

const WAYS = {
  leaves: 'goes with it to the new owner. To keep it, cancel, and move it to another coin first.',
  arrives: 'comes to you with it.',
  stays: 'stays with it.',
}

/** Lists the other contents of the coins. */
function AlsoInside({ known }: { known: readonly Known[] }) {
  const names = new Set(known.map((each) => each.inscriptionId))
  const found = known.flatMap(({ carries, ...each }) => {
    const others = (carries ?? []).filter(({ kind, name }) => kind !== 'inscription' || !names.has(name))
    return others.length > 0 ? [{ ...each, others }] : []
  })
  const isUnknown = known.some(({ carries }) => carries === null)
  if (isUnknown)
    return (
      <p className="text-sm text-soft">
        The market did not report what else the {known.length === 1 ? 'coin holds' : 'coins hold'}, such as
        runes.
      </p>
    )
  if (found.length === 0) return null
  return (
    <section className="panel border-accent p-4 text-sm" aria-label="Also in the coins">
      <h3 className="font-semibold">Also in {found.length === 1 ? 'the coin' : 'the coins'}</h3>
      <ul className="mt-2 grid gap-1">
        {found.map(({ inscriptionId, name, others, goes }) => (
          <li key={inscriptionId} className="[overflow-wrap:anywhere]">
            {name}: <strong>{others.map(carriedText).join(', ')}</strong> {WAYS[goes]}
          </li>
        ))}
      </ul>
      <p className="mt-2 text-soft">Source: the market’s index. Your wallet may not show it.</p>
    </section>
  )
}
