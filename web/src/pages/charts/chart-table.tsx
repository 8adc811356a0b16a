import { fullTime } from '@ordbook/web-ui/format/format.ts'
import { charts as words } from '@ordbook/web-ui/strings/charts.ts'
import { Price } from '@ordbook/web-ui/ui/basics.tsx'

const MAX_ROWS = 50

export function ChartTable({ rows, head }: { rows: readonly { at: string; sats: number }[]; head: string }) {
  if (rows.length === 0) return null
  return (
    <details className="mt-2 text-small">
      <summary className="min-h-6 text-soft underline">{words.table}</summary>
      <table className="mt-2 text-left">
        <thead className="text-caption text-soft">
          <tr>
            <th scope="col" className="pr-6 font-[560]">
              {words.time}
            </th>
            <th scope="col" className="font-[560]">
              {head}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows
            .slice(-MAX_ROWS)
            .toReversed()
            .map(({ at, sats }, n) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two sales of one block can be equal
              <tr key={n}>
                <td className="pr-6">{fullTime(at)}</td>
                <td>
                  <Price sats={sats} />
                </td>
              </tr>
            ))}
        </tbody>
      </table>
    </details>
  )
}
