import { type FormEvent, useState } from 'react'
import { useAct } from '../act.tsx'
import { usePages, useRead, useSettled } from '../client.ts'
import type { Fiat } from '../money/units.ts'
import { goTo, useSearch } from '../routing/routing.tsx'
import { useSession } from '../session.tsx'
import { useSettings } from '../settings.tsx'
import { AmountField, type AmountText, typedOf, useFirstUnit } from '../ticket/amount-field.tsx'
import { Button, Field, Loading, Select } from '../ui/basics.tsx'
import { swap as words } from '../words/swap.ts'
import { ticket } from '../words/trade.ts'
import { ConnectFirst } from './connect-first.tsx'
import type { Holding } from './holdings.tsx'
import { MOST_GIVEN } from './most-given.ts'
import { type Hours, VALIDITY } from './offer-form.tsx'
import { TradeBalance } from './trade-balance.tsx'
import { TradeGiven } from './trade-given.tsx'
import { type Leg, TradeWanted, targetOfLeg } from './trade-wanted.tsx'

const VISIBILITY = [
  ['public', words.everyone],
  ['private', words.withLink],
] as const

/** The page that puts a proposal together, for a signed-in wallet. */
export default function TradeBuilder() {
  const { account } = useSession()
  if (account === undefined) return <Loading />
  return (
    <div className="grid gap-5">
      <header>
        <h1 className="text-h1">{words.newTrade}</h1>
        <p className="max-w-prose text-soft">{words.about}</p>
      </header>
      {account === null ? (
        <ConnectFirst title={words.connect} />
      ) : (
        <Builder address={account.ordinalsAddress} walletBindingId={account.walletBindingId} />
      )}
    </div>
  )
}

function toggled(before: ReadonlyMap<string, Holding>, holding: Holding): ReadonlyMap<string, Holding> {
  const after = new Map(before)
  if (!after.delete(holding.inscriptionId) && after.size < MOST_GIVEN)
    after.set(holding.inscriptionId, holding)
  return after
}

/** The items that are given: at first those that the page's address names, as far as the wallet holds them. */
function useGiven(address: string) {
  const { give } = useSearch({ from: '/trades/new' })
  const found = usePages('listHoldings', { params: { address }, query: {} }, { enabled: give !== undefined })
  const [chosen, setChosen] = useState<ReadonlyMap<string, Holding> | null>(null)
  // Only what the wallet holds is taken from the address.
  const named = new Set(give?.split(',', MOST_GIVEN))
  const held = found.data?.pages.flatMap((page) => page.holdings) ?? []
  const asked = held.filter((each) => named.has(each.inscriptionId))
  const given = chosen ?? new Map(asked.map((each) => [each.inscriptionId, each]))
  return {
    given,
    setGiven: (next: (before: ReadonlyMap<string, Holding>) => ReadonlyMap<string, Holding>) =>
      setChosen(next(given)),
  }
}

/** The sats of both sides as they are typed. */
function useAmounts() {
  const { fiat } = useSettings()
  const unit = useFirstUnit()
  const [amounts, setAmounts] = useState({ give: { text: '', unit }, want: { text: '', unit } })
  return { ...amounts, setAmounts, fiat }
}

interface Wish {
  given: ReadonlyMap<string, Holding>
  legs: readonly Leg[]
  /** Null for a text that is no amount. */
  offeredBtcSats: number | null
  requestedBtcSats: number | null
}

/** The terms of a proposal as the market takes them. */
const termsOf = ({ given, legs, offeredBtcSats, requestedBtcSats }: Wish) => ({
  offeredInscriptionIds: [...given.keys()],
  offeredBtcSats: offeredBtcSats ?? 0,
  requestedBtcSats: requestedBtcSats ?? 0,
  wantedLegs: legs.map((leg) => ({
    collectionSlug: leg.slug,
    quantity: leg.quantity,
    target: targetOfLeg(leg),
  })),
})

/** The bill of a proposal, asked once the visitor pauses. */
function useProposalQuote(wish: Wish, walletBindingId: string) {
  const now = problemOf(wish) ? '' : JSON.stringify(termsOf(wish))
  const settled = useSettled(now)
  const asked: ReturnType<typeof termsOf> | null = settled === '' ? null : JSON.parse(settled)
  const quote = useRead(
    'quoteProposal',
    { body: { walletBindingId, ...asked! } },
    { enabled: asked !== null, keep: true, refetchInterval: 60_000 },
  )
  return now === '' ? { data: undefined, error: null } : quote
}

/** Puts a proposal together: the inscriptions and sats that are given, and those that are wanted. */
function Builder({ address, walletBindingId }: { address: string; walletBindingId: string }) {
  const { run, busy } = useAct('new trade')
  const { given, setGiven } = useGiven(address)
  const [legs, setLegs] = useState<Leg[]>([])
  const { give, want, setAmounts, fiat } = useAmounts()
  const [visibility, setVisibility] = useState<(typeof VISIBILITY)[number][0]>('public')
  const [hours, setHours] = useState<Hours>(168)
  const [isSent, setSent] = useState(false)
  const wish = {
    given,
    legs,
    offeredBtcSats: satsOrNone(give, fiat),
    requestedBtcSats: satsOrNone(want, fiat),
  }
  const quote = useProposalQuote(wish, walletBindingId)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setSent(true)
    if (problemOf(wish)) return
    let id: string | undefined
    const done = await run(words.sending, async (trades, trading) => {
      const terms = { ...termsOf(wish), visibility, validityHours: hours }
      id = (await trades.proposeTrade(trading, terms)).id
      return words.sent
    })
    if (done && id) goTo({ to: '/trades/$id', params: { id } })
  }
  return (
    <form onSubmit={(event) => void submit(event)} className="grid gap-5" noValidate>
      <div className="grid items-start gap-5 lg:grid-cols-2">
        <section className="panel grid min-w-0 gap-4 p-4" aria-label={words.youGive}>
          <h2 className="text-h2">{words.youGive}</h2>
          <TradeGiven
            address={address}
            chosen={given}
            onToggle={(holding) => setGiven((before) => toggled(before, holding))}
          />
          <ExtraSats value={give} onChange={(next) => setAmounts({ give: next, want })} />
        </section>
        <section className="panel grid min-w-0 gap-4 p-4" aria-label={words.youGet}>
          <h2 className="text-h2">{words.youGet}</h2>
          <TradeWanted legs={legs} setLegs={setLegs} />
          <ExtraSats value={want} onChange={(next) => setAmounts({ give, want: next })} />
        </section>
      </div>
      <section className="panel grid gap-4 p-4">
        <TradeBalance of={quote} />
        <div className="flex flex-wrap items-end gap-4">
          <Field label={words.whoCanAccept}>
            <Select options={VISIBILITY} value={visibility} onChange={setVisibility} />
          </Field>
          <Field label={ticket.expiresIn}>
            <Select options={VALIDITY} value={hours} onChange={setHours} />
          </Field>
          <Button kind="main" large type="submit" disabled={busy !== null}>
            {words.send}
          </Button>
        </div>
        <p className="text-small text-soft">{words.nothingLocked}</p>
        <p aria-live="assertive" className="text-small text-down">
          {isSent && problemOf(wish)}
        </p>
      </section>
    </form>
  )
}

/** The first problem of a proposal, in words; null for none. */
function problemOf({ given, legs, offeredBtcSats, requestedBtcSats }: Wish): string | null {
  if (offeredBtcSats === null || requestedBtcSats === null) return words.checkAmounts
  if (offeredBtcSats > 0 && requestedBtcSats > 0) return words.oneWay
  if (given.size === 0 && offeredBtcSats === 0) return words.giveSomething
  if (legs.length === 0 && requestedBtcSats === 0) return words.wantSomething
  if (given.size === 0 && legs.length === 0) return words.needsItem
  return null
}

function ExtraSats(props: { value: AmountText; onChange: (value: AmountText) => void }) {
  return <AmountField label={ticket.addAmount} isSent={false} {...props} />
}

/** Sats of a side: none for an empty field, null for a text that is no amount. */
function satsOrNone(value: AmountText, fiat: Fiat | null): number | null {
  const typed = typedOf(value, fiat)
  return typed.kind === 'empty' ? 0 : typed.kind === 'sats' ? typed.sats : null
}
