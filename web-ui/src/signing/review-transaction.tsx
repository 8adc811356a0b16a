import { addressOfScript } from '@ordbook/bitcoin/address.ts'
import type { Effects, Piece } from '@ordbook/sdk/effects.ts'
import { useSettings } from '../api/settings.tsx'
import { shortAddress } from '../format/format.ts'
import { review as words } from '../strings/trade.ts'
import { Badge, Price } from '../ui/basics.tsx'

export function ReviewTransaction({
  heading,
  effects,
  psbtBase64,
  nameOf,
  isOpenAtFirst,
}: {
  heading: string
  effects: Effects
  psbtBase64: string
  nameOf: (id: string) => string
  isOpenAtFirst: boolean
}) {
  return (
    <details open={isOpenAtFirst} className="panel p-4 text-small" aria-label={heading}>
      <summary className="min-h-6 font-semibold">
        {heading} {effects.isOpen && <Badge tone="lamp">{words.onlyWithPayment}</Badge>}
      </summary>
      <ul className="mt-2 grid gap-1">
        {effects.outputs.map((piece, n) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: outputs are identified by their index
          <Output key={n} piece={piece} nameOf={nameOf} />
        ))}
        <li className="flex flex-wrap gap-x-3">
          {effects.feeSats === null ? (
            words.buyerPaysNetwork
          ) : (
            <>
              <Price sats={Math.max(0, effects.feeSats)} className="font-medium" /> {words.toMiners}
            </>
          )}
        </li>
      </ul>
      <details className="mt-3">
        <summary className="min-h-6 text-soft underline">{words.details}</summary>
        <div className="mt-2 grid gap-4 md:grid-cols-2">
          <Pieces title="Inputs" pieces={effects.inputs} nameOf={nameOf} />
          <Pieces title="Outputs" pieces={effects.outputs} nameOf={nameOf} />
        </div>
        <p className="mt-2 font-mono text-caption [overflow-wrap:anywhere]">{psbtBase64}</p>
      </details>
    </details>
  )
}

function Output({ piece, nameOf }: { piece: Piece; nameOf: (id: string) => string }) {
  const { market } = useSettings()
  const address = addressOfScript(piece.script, market!.addressNetwork)
  return (
    <li className="flex flex-wrap items-baseline gap-x-3 border-b border-line py-1">
      <span className="min-w-0 font-medium [overflow-wrap:anywhere]">
        {piece.inscriptionIds.map(nameOf).join(', ') || <Price sats={piece.valueSats} />}
      </span>
      <span className="text-soft">{words.goesTo(piece.own)}</span>
      <span className="ml-auto font-mono text-caption">{address ? shortAddress(address) : words.script}</span>
      {piece.own && <Badge tone="good">{words.yours}</Badge>}
    </li>
  )
}

function Pieces({
  title,
  pieces,
  nameOf,
}: {
  title: string
  pieces: readonly (Piece & { signed?: boolean })[]
  nameOf: (id: string) => string
}) {
  const { market } = useSettings()
  return (
    <div>
      <h4 className="mb-1 font-medium">{title}</h4>
      <ol className="grid gap-1">
        {pieces.map((piece, n) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: inputs and outputs are identified by their index
          <li key={n} className="flex flex-wrap items-center gap-x-2 rounded bg-raised px-2 py-1.5">
            <span className="font-mono text-xs">
              {shortAddress(addressOfScript(piece.script, market!.addressNetwork) ?? words.script)}
            </span>
            {piece.own && <Badge tone="good">{words.yours}</Badge>}
            {piece.signed && <Badge tone="lamp">{words.youSign}</Badge>}
            {piece.inscriptionIds.map((id) => (
              <Badge key={id}>{nameOf(id)}</Badge>
            ))}
            <Price sats={piece.valueSats} className="ml-auto" />
          </li>
        ))}
      </ol>
    </div>
  )
}
