import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { useAct } from '../act.tsx'
import { usePages, useRead, useSettled } from '../client.ts'
import type { Fiat } from '../money/units.ts'
import { useSession } from '../session.tsx'
import { useSettings } from '../settings.tsx'
import { AmountField, type AmountText, typedOf, useFirstUnit } from '../ticket/amount-field.tsx'
import { Badge, Button, Field, INPUT, Loading, Price, Select } from '../ui/basics.tsx'
import { LoadedList } from '../ui/loaded-list.tsx'
import { ticket } from '../words/trade.ts'
import { ConnectFirst } from './connect-first.tsx'
import { HoldingChoice } from './holdings.tsx'
import { type Hours, VALIDITY } from './offer-form.tsx'
import { type Trait, TraitSelect, targetOf } from './trait-select.tsx'

interface Leg {
  key: number
  slug: string
  name: string
  quantity: number
  trait: Trait | null
  /** Named inscriptions; empty: by collection or trait. */
  ids: string
}

const VISIBILITY = [
  ['public', 'Everybody'],
  ['private', 'Only who has its address'],
] as const
let keys = 0

/** The page that puts a proposal together, for a signed-in wallet. */
export default function TradeBuilder() {
  const { account } = useSession()
  if (account === undefined) return <Loading />
  if (account === null)
    return (
      <div className="grid gap-5">
        <h1 className="text-2xl font-semibold">Propose a trade</h1>
        <ConnectFirst title="Connect your wallet to offer what you hold" />
      </div>
    )
  return <Builder address={account.ordinalsAddress} />
}

/** Most inscriptions that one side of a trade gives. */
const MOST_GIVEN = 50

function toggled(before: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const after = new Set(before)
  if (!after.delete(id) && after.size < MOST_GIVEN) after.add(id)
  return after
}

/** The sats of both sides as they are typed. */
function useAmounts() {
  const { fiat } = useSettings()
  const unit = useFirstUnit()
  const [amounts, setAmounts] = useState({ give: { text: '', unit }, want: { text: '', unit } })
  return { ...amounts, setAmounts, fiat }
}

/** Puts a proposal together: the inscriptions and sats that are given, and those that are wanted. */
function Builder({ address }: { address: string }) {
  const { run, busy } = useAct('new trade')
  const navigate = useNavigate()
  const [given, setGiven] = useState<ReadonlySet<string>>(new Set())
  const [legs, setLegs] = useState<Leg[]>([])
  const { give, want, setAmounts, fiat } = useAmounts()
  const [visibility, setVisibility] = useState<(typeof VISIBILITY)[number][0]>('public')
  const [hours, setHours] = useState<Hours>(168)
  const [problem, setProblem] = useState<string | null>(null)
  const offeredBtcSats = satsOrNone(give, fiat)
  const requestedBtcSats = satsOrNone(want, fiat)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const wrong = problemOf(given.size, legs.length, offeredBtcSats, requestedBtcSats)
    setProblem(wrong)
    if (wrong) return
    let id: string | undefined
    const done = await run('Proposing the trade', async (trades, trading) => {
      const made = await trades.proposeTrade(trading, {
        visibility,
        offeredInscriptionIds: [...given],
        offeredBtcSats: offeredBtcSats!,
        requestedBtcSats: requestedBtcSats!,
        wantedLegs: legs.map((leg) => ({
          collectionSlug: leg.slug,
          quantity: leg.quantity,
          target: targetOfLeg(leg),
        })),
        validityHours: hours,
      })
      id = made.id
      return 'Trade proposed. You sign it once another collector accepts.'
    })
    if (done && id) void navigate({ to: '/trades/$id', params: { id } })
  }
  return (
    <form onSubmit={(event) => void submit(event)} className="grid gap-6" noValidate>
      <header>
        <h1 className="text-2xl font-semibold">Propose a trade</h1>
        <p className="max-w-prose text-soft">
          Nothing is signed or locked by it. Another trader accepts with inscriptions of theirs and signs;
          then you sign, and both sides change hands in one transaction.
        </p>
      </header>
      <div className="grid items-start gap-6 lg:grid-cols-2">
        <section className="panel grid gap-4 p-4">
          <h2 className="text-lg font-semibold">
            You give <Badge tone="lamp">{given.size} chosen</Badge>
          </h2>
          <Given
            address={address}
            chosen={given}
            onToggle={(id) => setGiven((before) => toggled(before, id))}
          />
          <ExtraSats value={give} onChange={(next) => setAmounts({ give: next, want })} />
        </section>
        <section className="panel grid gap-4 p-4">
          <h2 className="text-lg font-semibold">You want</h2>
          <Wanted legs={legs} setLegs={setLegs} />
          <ExtraSats value={want} onChange={(next) => setAmounts({ give, want: next })} />
        </section>
      </div>
      <section className="panel flex flex-wrap items-end gap-4 p-4">
        <Field label="Who sees it">
          <Select options={VISIBILITY} value={visibility} onChange={setVisibility} />
        </Field>
        <Field label="Expires in">
          <Select options={VALIDITY} value={hours} onChange={setHours} />
        </Field>
        <Button kind="main" type="submit" disabled={busy !== null}>
          Propose it
        </Button>
        <p aria-live="assertive" className="w-full text-sm text-bad">
          {problem}
        </p>
      </section>
    </form>
  )
}

/** The first problem of a proposal, in words; null for none. Amounts in sats, null for a text that is none. */
function problemOf(
  givenCount: number,
  legCount: number,
  offeredBtcSats: number | null,
  requestedBtcSats: number | null,
): string | null {
  if (offeredBtcSats === null || requestedBtcSats === null) return 'Check the amounts.'
  if (offeredBtcSats > 0 && requestedBtcSats > 0) return 'Sats go one way: give some or want some, not both.'
  if (givenCount === 0 && offeredBtcSats === 0) return 'Choose something to give.'
  if (legCount === 0 && requestedBtcSats === 0) return 'Say what you want.'
  if (givenCount === 0 && legCount === 0) return 'An inscription has to be part of it.'
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

/** The wanted inscriptions, a leg for each collection or trait. */
function Wanted({
  legs,
  setLegs,
}: {
  legs: readonly Leg[]
  setLegs: (change: (before: Leg[]) => Leg[]) => void
}) {
  return (
    <>
      {legs.map((leg) => (
        <LegFields
          key={leg.key}
          leg={leg}
          onChange={(change) =>
            setLegs((before) => before.map((each) => (each.key === leg.key ? { ...each, ...change } : each)))
          }
          onRemove={() => setLegs((before) => before.filter((each) => each.key !== leg.key))}
        />
      ))}
      <AddLeg
        onAdd={(slug, name) =>
          setLegs((before) => [...before, { key: ++keys, slug, name, quantity: 1, trait: null, ids: '' }])
        }
      />
    </>
  )
}

function targetOfLeg(leg: Leg) {
  const ids = leg.ids.split(/[\s,]+/).filter(Boolean)
  if (ids.length > 0) return { kind: 'inscriptions' as const, inscriptionIds: ids }
  return targetOf(leg.trait)
}

function Given({
  address,
  chosen,
  onToggle,
}: {
  address: string
  chosen: ReadonlySet<string>
  onToggle: (id: string) => void
}) {
  const found = usePages('listHoldings', { params: { address } })
  return (
    <LoadedList
      of={found}
      rows={(page) => page.holdings}
      empty={<p className="text-sm text-soft">You hold no inscriptions.</p>}
      className="max-h-[30rem] overflow-y-auto p-1"
    >
      {(holdings) => <HoldingChoice of={holdings} isChosen={(id) => chosen.has(id)} onToggle={onToggle} />}
    </LoadedList>
  )
}

function AddLeg({ onAdd }: { onAdd: (slug: string, name: string) => void }) {
  const [text, setText] = useState('')
  const asked = useSettled(text.trim())
  const query = { limit: 6, sort: 'volume' as const, ...(asked ? { q: asked } : {}) }
  const found = useRead('browseCollections', { query }, { keep: true })
  return (
    <div className="grid gap-2">
      <Field label="Add a collection">
        <input
          type="search"
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
          placeholder="By its name"
          className={INPUT}
        />
      </Field>
      <ul className="flex flex-wrap gap-2" aria-live="polite">
        {found.data?.collections.map(({ slug, name }) => (
          <li key={slug}>
            <Button
              onClick={() => {
                onAdd(slug, name)
                setText('')
              }}
            >
              <span aria-hidden="true">+</span>
              <span className="sr-only">Add</span> {name}
            </Button>
          </li>
        ))}
        {found.data?.collections.length === 0 && (
          <li className="text-sm text-soft">No collection of that name.</li>
        )}
      </ul>
    </div>
  )
}

function LegFields({
  leg,
  onChange,
  onRemove,
}: {
  leg: Leg
  onChange: (change: Partial<Leg>) => void
  onRemove: () => void
}) {
  const found = useRead('getCollection', { params: { slug: leg.slug } })
  return (
    <fieldset className="grid gap-3 rounded-lg border border-line p-3">
      <legend className="px-1 text-sm font-medium">{leg.name}</legend>
      {found.data?.floorSats != null && (
        <p className="text-sm text-soft">
          floor <Price sats={found.data.floorSats} />
        </p>
      )}
      <div className="grid gap-3 sm:grid-cols-[6rem_1fr]">
        <Field label="How many">
          <input
            type="number"
            min={1}
            max={50}
            value={leg.quantity}
            onChange={(event) =>
              onChange({ quantity: Math.max(1, Math.min(50, Number(event.target.value) || 1)) })
            }
            className={INPUT}
          />
        </Field>
        <Field label="With the trait">
          <TraitSelect
            any="any"
            slug={leg.slug}
            value={leg.trait}
            disabled={leg.ids.trim() !== ''}
            onChange={(trait) => onChange({ trait })}
          />
        </Field>
      </div>
      <Field label="Or only these inscriptions" hint="Ids, separated by spaces.">
        <input
          value={leg.ids}
          onChange={(event) => onChange({ ids: event.target.value })}
          className={INPUT}
        />
      </Field>
      <div>
        <Button kind="ghost" onClick={onRemove}>
          Remove<span className="sr-only"> {leg.name}</span>
        </Button>
      </div>
    </fieldset>
  )
}
