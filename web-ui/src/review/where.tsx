import { addressOfScript } from '@ordbook/bitcoin/address.ts'
import { useSettings } from '../api/settings.tsx'
import { shortAddress } from '../format/format.ts'
import { exactBtc } from '../money/typed.ts'
import { Badge } from '../ui/basics.tsx'
import type { Flow, FlowTable } from './flows.ts'
import type { ReviewModel } from './model.ts'
import { reconciled } from './reconciled.ts'
import { type BilledFees, purposeText, recipientText, review as words } from './texts.ts'

/** Every amount of the transaction with its purpose and recipient. */
export function Where({
  model,
  table,
  fees,
  title,
}: {
  model: ReviewModel
  table: FlowTable
  fees: BilledFees
  title: string
}) {
  return (
    <section aria-label={title} className="min-w-0">
      <h3 className="mb-2 flex justify-between text-h3">
        {title} <span className="text-small font-normal text-soft md:hidden">{words.columns.sats}</span>
      </h3>
      <p aria-hidden="true" className={`${ROW} text-small text-soft max-md:hidden`}>
        <span className="text-right">{words.columns.sats}</span>
        <span>{words.columns.purpose}</span>
        <span>{words.columns.recipient}</span>
      </p>
      <ul className="text-small">
        {table.flows.map((flow) => (
          <FlowRow
            key={`${flow.purpose} ${flow.inscriptionIds.join()} ${flow.script?.join()}`}
            flow={flow}
            flows={table.flows}
            model={model}
            fees={fees}
          />
        ))}
      </ul>
      <Reconciled model={model} table={table} />
    </section>
  )
}

const ROW = 'md:grid md:grid-cols-[92px_minmax(0,1fr)_minmax(0,0.75fr)] md:gap-4'

function FlowRow({
  flow,
  flows,
  model,
  fees,
}: {
  flow: Flow
  flows: readonly Flow[]
  model: ReviewModel
  fees: BilledFees
}) {
  const { market } = useSettings()
  const { name, addressNetwork } = market!
  const address = flow.script && addressOfScript(flow.script, addressNetwork)
  const outputs = words.outputsOf(flow.outputs, flow.purpose)
  const isDim = flow.purpose === 'returned' || flow.purpose === 'others-change'
  return (
    <li
      data-purpose={flow.purpose}
      className={`${ROW} grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-3 border-t border-line py-2`}
    >
      <span
        className={`tabular text-right max-md:row-span-2 max-md:[grid-column:2] ${isDim ? 'text-soft' : ''}`}
      >
        {exactBtc(flow.sats)}
      </span>
      <span
        dir="auto"
        className={`[overflow-wrap:anywhere] max-md:[grid-column:1] max-md:[grid-row:1] ${isDim ? 'text-soft' : ''}`}
      >
        {purposeText(model.agreement, flow, { market: name, nameOf: model.nameOf, fees, flows })}
        {outputs && <span className="text-soft">, {outputs}</span>}
      </span>
      <span className="flex min-w-0 items-center gap-2 max-md:[grid-column:1] md:justify-between">
        {flow.script && (
          <span title={address ?? ''} className="font-mono text-caption text-soft">
            {address ? shortAddress(address) : words.script}
          </span>
        )}
        <span className="md:ml-auto">
          <Badge tone={flow.to === 'you' ? 'good' : 'soft'}>{recipientText(flow.to, name)}</Badge>
        </span>
      </span>
    </li>
  )
}

function Reconciled({ model, table }: { model: ReviewModel; table: FlowTable }) {
  const { market } = useSettings()
  const { agreement, totalSats, tables } = model
  return (
    <p className="mt-2 border-t border-line pt-2 text-caption text-soft">
      {reconciled(agreement, table, { totalSats, market: market!.name, tables: tables.length })}
    </p>
  )
}
