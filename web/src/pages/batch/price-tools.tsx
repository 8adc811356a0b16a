import { type AmountText, filledAmount, inUnit, satsIn } from '@ordbook/web-ui/money/amount-text.ts'
import type { ListFields } from '@ordbook/web-ui/ticket/fields/fields.ts'
import { Button, INPUT } from '@ordbook/web-ui/ui/basics.tsx'
import { useId, useState } from 'react'
import { adjustmentIn, pricesBy, TOOLS, type Tool } from './batch-prices.ts'
import { batch as words } from './strings.ts'
import type { Batch } from './use-batch.ts'

const FIRST_STEP_SATS = 1000

/** State of the tools: which price is filled in, with which adjustment. */
function useTools({ lines, fields, setFields, unit, fiat, leastSats }: Batch) {
  const [tool, setTool] = useState<Tool>('trait')
  const [percent, setPercent] = useState('')
  const [step, setStep] = useState<AmountText>(() => filledAmount(FIRST_STEP_SATS, unit, fiat))
  const [previous, setPrevious] = useState<ListFields['prices'] | null>(null)
  const [isMissing, setMissing] = useState(false)
  const chosen = lines.filter(({ isChosen }) => isChosen)
  const adjustment = adjustmentIn(percent)
  const shownStep = inUnit(step, unit, fiat)
  const stepSats = satsIn(shownStep, fiat)
  const canApply = chosen.length > 0 && adjustment !== null && (tool !== 'ladder' || stepSats !== null)
  const apply = () => {
    if (!canApply) return
    const found = pricesBy(
      tool,
      chosen.map(({ row }) => row),
      { percent: adjustment, stepSats: stepSats ?? 0 },
    )
    setMissing(found.size === 0)
    const filled = [...found].map(
      ([id, sats]) => [id, filledAmount(Math.max(sats, leastSats), unit, fiat)] as const,
    )
    setPrevious(fields.prices)
    setFields({ ...fields, prices: { ...fields.prices, ...Object.fromEntries(filled) } })
  }
  return {
    tool,
    setTool,
    percent: { text: percent, isWrong: adjustment === null, type: setPercent },
    step: {
      text: shownStep.text,
      isWrong: stepSats === null,
      type: (text: string) => setStep({ text, unit }),
    },
    chosen: chosen.length,
    isMissing,
    canApply,
    apply,
    undo:
      previous &&
      (() => {
        setFields({ ...fields, prices: previous })
        setPrevious(null)
      }),
  }
}

/** Fills in the prices of the chosen items: floor, trait floor, best bid or a ladder, adjusted by a percentage. */
export function PriceTools({ of }: { of: Batch }) {
  const { tool, setTool, percent, step, chosen, isMissing, canApply, apply, undo } = useTools(of)
  const note = useId()
  return (
    <section aria-label={words.tools} className="panel grid gap-2 p-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <h2 className="text-h3">{words.toolsFor(chosen)}</h2>
        <fieldset className="flex max-w-full flex-wrap rounded-control bg-raised p-0.5">
          <legend className="sr-only">{words.tools}</legend>
          {TOOLS.map((each) => (
            <button
              key={each}
              type="button"
              aria-pressed={tool === each}
              onClick={() => setTool(each)}
              className="min-h-10 rounded-badge px-3 text-small text-soft aria-pressed:bg-surface aria-pressed:text-ink md:min-h-9"
            >
              {words.tool[each]}
            </button>
          ))}
        </fieldset>
        <Small label={words.adjust} of={percent} placeholder="+0.0" note={note} onEnter={apply} />
        {tool === 'ladder' && <Small label={words.ladderStep} of={step} note={note} onEnter={apply} />}
        <Button disabled={!canApply} onClick={apply}>
          {words.apply}
        </Button>
        {undo && (
          <Button kind="ghost" onClick={undo}>
            {words.undo}
          </Button>
        )}
      </div>
      <p id={note} aria-live="polite" className="text-caption text-soft">
        {percent.isWrong ? words.adjustWrong : isMissing ? words.noneFilled : words.rounded}
      </p>
    </section>
  )
}

function Small({
  label,
  of: { text, isWrong, type },
  placeholder,
  note,
  onEnter,
}: {
  label: string
  of: { text: string; isWrong: boolean; type: (text: string) => void }
  placeholder?: string
  note: string
  onEnter: () => void
}) {
  return (
    <label className="flex items-center gap-2 text-small text-soft">
      {label}
      <input
        value={text}
        placeholder={placeholder}
        autoComplete="off"
        aria-invalid={isWrong}
        aria-describedby={note}
        onChange={(event) => type(event.currentTarget.value)}
        onKeyDown={(event) => event.key === 'Enter' && onEnter()}
        className={`${INPUT} !w-24 text-right`}
      />
    </label>
  )
}
