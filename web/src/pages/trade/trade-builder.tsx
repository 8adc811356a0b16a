import { usePages, useRead, useSettled } from '@ordbook/web-ui/api/client.ts'
import { useSettings } from '@ordbook/web-ui/api/settings.tsx'
import { type AmountText, typedOf } from '@ordbook/web-ui/money/amount-text.ts'
import type { Fiat } from '@ordbook/web-ui/money/units.ts'
import { goTo, Link, useSearch } from '@ordbook/web-ui/routing/routing.tsx'
import { useSession } from '@ordbook/web-ui/session/session.tsx'
import { useAct } from '@ordbook/web-ui/signing/act.tsx'
import { swap as words } from '@ordbook/web-ui/strings/swap.ts'
import { ticket } from '@ordbook/web-ui/strings/trade.ts'
import { AmountField, useFirstUnit } from '@ordbook/web-ui/ticket/fields/amount-field.tsx'
import { BUTTON, Button, Field, KINDS, Loading, Select, Tabs } from '@ordbook/web-ui/ui/basics.tsx'
import { type FormEvent, useState } from 'react'
import { type Hours, VALIDITY } from '../forms/offer-form.tsx'
import { ConnectFirst } from '../parts/connect-first.tsx'
import { type Balance, type BoardItem, balanceOf, type Sides } from './boards/board.ts'
import { guardsOf, TradeBalance, TradeBill, TradeGuards } from './boards/trade-balance.tsx'
import { TradeBoard, TradeSides } from './boards/trade-board.tsx'
import { entriesOfNewLeg, useBoardItems } from './boards/use-board-items.ts'
import { MAX_GIVEN } from './most-given.ts'
import { useTradeButton } from './trade-actions.tsx'
import { TradeGiven } from './trade-given.tsx'
import { type Leg, targetOfLeg, toggledIn } from './trade-legs.ts'
import { TradeMatches } from './trade-matches.tsx'
import { type Pick, pickOf } from './trade-picks.tsx'
import { TradeWanted } from './trade-wanted.tsx'

const VISIBILITY = [
  ['public', words.everyone],
  ['private', words.withLink],
] as const

export default function TradeBuilder() {
  const { account } = useSession()
  if (account === undefined) return <Loading />
  return (
    <div className="grid gap-5">
      <header className="flex flex-wrap items-end justify-between gap-3">
        <div>
          <h1 className="text-h1">{words.newTrade}</h1>
          <p className="max-w-prose text-soft">{words.about}</p>
        </div>
        <nav aria-label={words.others} className="flex gap-1">
          <Link to="/trades" className={`${BUTTON} ${KINDS.ghost}`}>
            {words.open}
          </Link>
          <Link to="/trades" search={{ tab: 'own' }} className={`${BUTTON} ${KINDS.ghost}`}>
            {words.own}
          </Link>
        </nav>
      </header>
      {account === null ? (
        <ConnectFirst title={words.connect} />
      ) : (
        <>
          <Builder address={account.ordinalsAddress} walletBindingId={account.walletBindingId} />
          <TradeMatches />
        </>
      )}
    </div>
  )
}

function toggled(before: ReadonlyMap<string, Pick>, pick: Pick): ReadonlyMap<string, Pick> {
  const after = new Map(before)
  if (!after.delete(pick.inscriptionId) && after.size < MAX_GIVEN) after.set(pick.inscriptionId, pick)
  return after
}

/** Returns the items to give, preset from the `give` parameter. */
function useGiven(address: string) {
  const { give } = useSearch({ from: '/trades/new' })
  const found = usePages('listHoldings', { params: { address }, query: {} }, { enabled: give !== undefined })
  const [chosen, setChosen] = useState<ReadonlyMap<string, Pick> | null>(null)
  const named = new Set(give?.split(',', MAX_GIVEN))
  const holdings = found.data?.pages.flatMap((page) => page.holdings) ?? []
  const asked = holdings.filter((each) => named.has(each.inscriptionId))
  const given = chosen ?? new Map(asked.map((each) => [each.inscriptionId, pickOf(each)]))
  return {
    given,
    setGiven: (next: (before: ReadonlyMap<string, Pick>) => ReadonlyMap<string, Pick>) =>
      setChosen(next(given)),
  }
}

function useAmounts() {
  const { fiat } = useSettings()
  const unit = useFirstUnit()
  const [amounts, setAmounts] = useState({ give: { text: '', unit }, want: { text: '', unit } })
  return { ...amounts, setAmounts, fiat }
}

interface ProposalInput {
  given: ReadonlyMap<string, Pick>
  legs: readonly Leg[]
  /** Null if the text is not an amount. */
  offeredBtcSats: number | null
  requestedBtcSats: number | null
}

const termsOf = ({ given, legs, offeredBtcSats, requestedBtcSats }: ProposalInput) => ({
  offeredInscriptionIds: [...given.keys()],
  offeredBtcSats: offeredBtcSats ?? 0,
  requestedBtcSats: requestedBtcSats ?? 0,
  wantedLegs: legs.map((leg) => ({
    collectionSlug: leg.slug,
    quantity: leg.quantity,
    target: targetOfLeg(leg),
  })),
})

/** Returns the quote of a proposal when the visitor stops typing. */
function useProposalQuote(input: ProposalInput, walletBindingId: string) {
  const now = problemOf(input) ? '' : JSON.stringify(termsOf(input))
  const settled = useSettled(now)
  const asked: ReturnType<typeof termsOf> | null = settled === '' ? null : JSON.parse(settled)
  const quote = useRead(
    'quoteProposal',
    { body: { walletBindingId, ...asked! } },
    { enabled: asked !== null, keep: true, refetchInterval: 60_000 },
  )
  return now === '' ? { data: undefined, error: null } : quote
}

function Builder({ address, walletBindingId }: { address: string; walletBindingId: string }) {
  const { run, busy } = useAct('new trade')
  const { given, setGiven } = useGiven(address)
  const [legs, setLegs] = useState<readonly Leg[]>([])
  const { with: from = '' } = useSearch({ from: '/trades/new' })
  const [step, setStep] = useState<Step>('give')
  const { give, want, setAmounts, fiat } = useAmounts()
  const [visibility, setVisibility] = useState<Visibility>('public')
  const [hours, setHours] = useState<Hours>(168)
  const [isSent, setSent] = useState(false)
  const input = {
    given,
    legs,
    offeredBtcSats: satsOrNone(give, fiat),
    requestedBtcSats: satsOrNone(want, fiat),
  }
  const quote = useProposalQuote(input, walletBindingId)
  const { sides, isWhole, balance } = useNewSides(input)
  const guards = balance ? guardsOf(sides, balance) : []
  const button = useTradeButton(words.send, words.sendAt, guards, 'new trade')
  const send = async () => {
    let id: string | undefined
    const done = await run(words.sending, async (trades, trading) => {
      const terms = { ...termsOf(input), visibility, validityHours: hours }
      id = (await trades.proposeTrade(trading, terms)).id
      return words.sent
    })
    if (done && id) goTo({ to: '/trades/$id', params: { id } })
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setSent(true)
    if (!problemOf(input)) button.press(() => void send())
  }
  const toggleGiven = (pick: Pick) => setGiven((before) => toggled(before, pick))
  return (
    <form onSubmit={submit} className="grid gap-5" noValidate>
      <div className="sm:hidden">
        <Tabs label={words.sides} tabs={STEPS} value={step} onChange={setStep} />
      </div>
      <TradeSides>
        <TradeBoard
          title={words.youGive}
          board={sides.gives}
          valueSats={balance?.givesSats ?? null}
          btcNote={words.fromYou}
          onRemove={(item) => toggleGiven(given.get(item.key)!)}
          className={step === 'give' ? '' : 'max-sm:hidden'}
        >
          <TradeGiven address={address} chosen={given} onToggle={toggleGiven} />
          <ExtraSats value={give} onChange={(next) => setAmounts({ give: next, want })} />
        </TradeBoard>
        <TradeBoard
          title={words.youGet}
          board={sides.gets}
          valueSats={balance?.getsSats ?? null}
          btcNote={words.toYou}
          onRemove={(item) => setLegs((before) => withoutItem(before, item))}
          className={step === 'get' ? '' : 'max-sm:hidden'}
        >
          <TradeWanted legs={legs} setLegs={setLegs} own={address} from={from} />
          <ExtraSats value={want} onChange={(next) => setAmounts({ give, want: next })} />
        </TradeBoard>
      </TradeSides>
      <div className={step === 'get' ? '' : 'max-sm:hidden'}>
        <Terms quote={quote} {...{ visibility, setVisibility, hours, setHours }} />
      </div>
      {isWhole && <TradeGuards sides={sides} balance={balance} />}
      <SendBar
        balance={balance}
        label={button.label}
        isDisabled={busy !== null || (isWhole && balance === null)}
        problem={isSent ? problemOf(input) : null}
        {...(step === 'give' ? { onNext: () => setStep('get') } : {})}
      />
    </form>
  )
}

/** Removes the item or the items of a tile. */
function withoutItem(legs: readonly Leg[], { key }: BoardItem): readonly Leg[] {
  const [pick] = legs.flatMap(({ picks }) => picks.get(key) ?? [])
  return pick ? toggledIn(legs, pick) : legs.filter((leg) => String(leg.key) !== key)
}

/** Balance of both sides, and the button. `onNext`: on phones, the next side instead of the button. */
function SendBar({
  balance,
  label,
  isDisabled,
  problem,
  onNext,
}: {
  balance: Balance | null
  label: string
  isDisabled: boolean
  problem: string | null
  onNext?: () => void
}) {
  return (
    <section aria-label={words.balance} data-balance-bar className={BAR}>
      <TradeBalance balance={balance} />
      {onNext && (
        <Button large className="sm:hidden" onClick={onNext}>
          {words.next}
        </Button>
      )}
      <Button kind="main" large type="submit" className={onNext ? 'max-sm:hidden' : ''} disabled={isDisabled}>
        {label}
      </Button>
      <p aria-live="assertive" className="text-small text-down empty:hidden sm:col-span-2">
        {problem}
      </p>
    </section>
  )
}

/** Both sides as the proposer sees them. `balance` is null until both have something and all prices are loaded. */
function useNewSides({ given, legs, offeredBtcSats, requestedBtcSats }: ProposalInput) {
  const offered = [...given.keys()].map((inscriptionId) => ({ inscriptionId }))
  const { boards, isPriced } = useBoardItems([offered, legs.flatMap(entriesOfNewLeg)])
  const sides: Sides = {
    gives: { items: boards[0]!, btcSats: offeredBtcSats ?? 0 },
    gets: { items: boards[1]!, btcSats: requestedBtcSats ?? 0 },
  }
  const isWhole = [sides.gives, sides.gets].every(({ items, btcSats }) => items.length > 0 || btcSats > 0)
  return { sides, isWhole, balance: isWhole && isPriced ? balanceOf(sides) : null }
}

type Visibility = (typeof VISIBILITY)[number][0]

function Terms({
  quote,
  visibility,
  setVisibility,
  hours,
  setHours,
}: {
  quote: Parameters<typeof TradeBill>[0]['of']
  visibility: Visibility
  setVisibility: (visibility: Visibility) => void
  hours: Hours
  setHours: (hours: Hours) => void
}) {
  return (
    <section aria-label={words.terms} className="panel grid items-start gap-4 p-4 lg:grid-cols-2">
      <TradeBill of={quote} />
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label={words.whoCanAccept}>
          <Select options={VISIBILITY} value={visibility} onChange={setVisibility} />
        </Field>
        <Field label={ticket.expiresIn}>
          <Select options={VALIDITY} value={hours} onChange={setHours} />
        </Field>
        <p className="text-small text-soft sm:col-span-2">{words.nothingLocked}</p>
      </div>
    </section>
  )
}

/** Phones show the two sides as steps. */
type Step = 'give' | 'get'
const STEPS = [
  { id: 'give', label: words.stepGive },
  { id: 'get', label: words.stepGet },
] as const

/** Bar with both values and the next step. */
const BAR =
  'panel grid items-center gap-x-6 gap-y-3 p-4 max-sm:sticky max-sm:bottom-[calc(var(--tabs-height)+8px)] max-sm:z-20 max-sm:shadow-floating sm:grid-cols-[minmax(0,1fr)_auto]'

/** Returns the first problem of a proposal, or null. */
function problemOf({ given, legs, offeredBtcSats, requestedBtcSats }: ProposalInput): string | null {
  if (offeredBtcSats === null || requestedBtcSats === null) return words.checkAmounts
  if (offeredBtcSats > 0 && requestedBtcSats > 0) return words.oneWay
  if (given.size === 0 && offeredBtcSats === 0) return words.giveSomething
  if (legs.length === 0 && requestedBtcSats === 0) return words.wantSomething
  if (given.size === 0 && legs.length === 0) return words.needsItem
  return null
}

function ExtraSats(props: { value: AmountText; onChange: (value: AmountText) => void }) {
  return <AmountField label={ticket.addAmount} isSent={false} isOptional {...props} />
}

/** Returns 0 if the field is empty, null if the amount is invalid. */
function satsOrNone(value: AmountText, fiat: Fiat | null): number | null {
  const typed = typedOf(value, fiat)
  return typed.kind === 'empty' ? 0 : typed.kind === 'sats' ? typed.sats : null
}
