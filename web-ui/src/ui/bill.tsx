import type { ReactNode } from 'react'
import { count } from '../format/format.ts'
import { exactBtc } from '../money/typed.ts'

interface BillRow {
  label: string
  sats: number
  note?: ReactNode
  strong?: boolean
}

const exact = (sats: number, unit: 'btc' | 'sats') => {
  const text = unit === 'btc' ? exactBtc(Math.abs(sats)) : count(Math.abs(sats))
  return sats < 0 ? `−${text}` : text
}

/** Rows of a bill. Only the total has a unit. */
export function Bill({ rows, unit }: { rows: readonly BillRow[]; unit: 'btc' | 'sats' }) {
  return (
    <dl className="grid gap-2 text-small">
      {rows.map(({ label, sats, note, strong }) => (
        <div
          key={label}
          className={`grid grid-cols-[minmax(0,1fr)_auto] items-baseline gap-x-4 ${strong ? 'mt-1 border-t border-line pt-3' : ''}`}
        >
          <dt className={strong ? 'text-h3' : 'text-soft'}>
            {label}
            {note && <span className="block text-caption text-faint">{note}</span>}
          </dt>
          <dd className={`tabular text-right ${strong ? 'text-price' : ''}`}>
            {exact(sats, unit)}
            {strong && (
              <span className="text-caption font-normal text-soft"> {unit === 'btc' ? 'BTC' : 'sats'}</span>
            )}
          </dd>
        </div>
      ))}
    </dl>
  )
}
