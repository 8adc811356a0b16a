import { addressOfScript } from '@ordbook/bitcoin/address.ts'
import type { Piece } from '@ordbook/sdk/effects.ts'
import type { ReactNode } from 'react'
import { useSettings } from '../api/settings.tsx'
import { shortAddress } from '../format/format.ts'
import { Badge, Price } from '../ui/basics.tsx'
import { ShieldIcon } from '../ui/icons.tsx'
import type { ReadTransaction, ReviewModel } from './model.ts'
import { type BilledFees, purposeText, recipientText, review as words } from './texts.ts'

/** The checks that passed. `notes`: what was not checked. */
export function Checks({ model, notes }: { model: ReviewModel; notes: readonly string[] }) {
  const { checks, transactions } = model
  return (
    <details className="rounded-card bg-up-bg px-4 text-small">
      <summary className="flex min-h-11 items-center gap-3">
        <ShieldIcon className="shrink-0 text-lg text-up" />
        <span className="min-w-0 flex-1">
          <span className="font-semibold">
            {transactions.length === 1
              ? words.checks(checks.length)
              : words.checksOfAll(checks.length, transactions.length)}
          </span>{' '}
          <span className="max-md:sr-only">{words.byBrowser(transactions.length)}</span>
        </span>
        <span className="shrink-0">{words.showChecks}</span>
      </summary>
      <ul className="grid list-disc gap-1 pb-3 pl-8">
        {[...checks, ...notes].map((check) => (
          <li key={check}>{check}</li>
        ))}
      </ul>
    </details>
  )
}

/** Inputs, outputs and PSBTs of all transactions. */
export function Transactions({ model, fees }: { model: ReviewModel; fees: BilledFees }) {
  const { transactions } = model
  const { length } = transactions
  const [only] = transactions
  return (
    <details className="text-small">
      <summary className="min-h-6 text-soft">
        {words.transactions(length, only!.effects.inputs.length, only!.effects.outputs.length)}
      </summary>
      <div className="mt-3 grid gap-3">
        {transactions.map((each, n) => (
          <Transaction
            key={each.request.psbtBase64}
            of={each}
            heading={length === 1 ? null : words.transactionOf(n + 1, length)}
            model={model}
            fees={fees}
          />
        ))}
      </div>
    </details>
  )
}

function Transaction({
  of: { effects, request, purposes },
  heading,
  model,
  fees,
}: {
  of: ReadTransaction
  heading: string | null
  model: ReviewModel
  fees: BilledFees
}) {
  const { market } = useSettings()
  const { agreement, nameOf } = model
  const purposeAt = (n: number) => {
    const flow = purposes[n]
    if (!flow) return null
    const text = purposeText(agreement, flow, { market: market!.name, nameOf, fees, flows: purposes })
    return `${text}: ${recipientText(flow.to, market!.name)}`
  }
  return (
    <section className="panel p-4">
      {heading && <h4 className="mb-2 font-semibold">{heading}</h4>}
      {effects.isOpen && (
        <p className="mb-2">
          <Badge tone="lamp">{words.onlyWithPayment}</Badge>
        </p>
      )}
      <div className="grid gap-4 md:grid-cols-2">
        <Pieces
          title={words.inputs}
          pieces={effects.inputs}
          noteOf={(n) => effects.inputs[n]!.inscriptionIds.map(nameOf).join(', ')}
        />
        <Pieces title={words.outputs} pieces={effects.outputs} noteOf={purposeAt} />
      </div>
      {effects.feeSats === null && <p className="mt-2">{words.buyerPaysNetwork}</p>}
      <p className="mt-2 font-mono text-caption [overflow-wrap:anywhere]">{request.psbtBase64}</p>
    </section>
  )
}

function Pieces({
  title,
  pieces,
  noteOf,
}: {
  title: string
  pieces: readonly (Piece & { signed?: boolean; outpoint?: string })[]
  noteOf: (index: number) => ReactNode
}) {
  const { market } = useSettings()
  return (
    <div>
      <h5 className="mb-1 font-medium">{title}</h5>
      <ol className="grid gap-1">
        {pieces.map((piece, n) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: inputs and outputs are identified by their index
          <li key={n} className="flex flex-wrap items-center gap-x-2 rounded bg-raised px-2 py-1.5">
            <span title={piece.outpoint} className="font-mono text-xs">
              {shortAddress(addressOfScript(piece.script, market!.addressNetwork) ?? words.script)}
            </span>
            {piece.own && <Badge tone="good">{words.yours}</Badge>}
            {piece.signed && <Badge tone="lamp">{words.youSign}</Badge>}
            <Price sats={piece.valueSats} className="ml-auto" />
            <span className="basis-full text-caption text-soft">{noteOf(n)}</span>
          </li>
        ))}
      </ol>
    </div>
  )
}
