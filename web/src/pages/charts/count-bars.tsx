import { count } from '@ordbook/web-ui/format/format.ts'
import { charts as words } from '@ordbook/web-ui/strings/charts.ts'

interface Bar {
  name: string
  count: number
  isRest?: boolean
}

/** Bar chart of counts, with a table. `ends`: labels of the first and last bar. */
export function CountBars({
  bars,
  say,
  ends,
  heads,
}: {
  bars: readonly Bar[]
  say: (name: string, count: number) => string
  ends: readonly [string, string]
  heads: readonly [string, string]
}) {
  const most = Math.max(1, ...bars.map((bar) => bar.count))
  return (
    <>
      <div aria-hidden="true" data-varies className="flex h-24 items-end gap-0.5">
        {bars.map((bar) => (
          <span
            key={bar.name}
            title={say(bar.name, bar.count)}
            className={`min-w-0 flex-1 rounded-t-sm ${bar.isRest ? 'bg-edge' : 'bg-accent'}`}
            style={{ height: `${bar.count === 0 ? 0 : Math.max(4, (bar.count / most) * 100)}%` }}
          />
        ))}
      </div>
      <p className="tabular mt-1 flex justify-between border-t border-line pt-1 text-caption text-soft">
        {ends.map((end) => (
          <span key={end}>{end}</span>
        ))}
      </p>
      <details className="mt-2 text-small">
        <summary className="min-h-6 text-soft underline">{words.table}</summary>
        <table className="mt-2 text-left">
          <thead className="text-caption text-soft">
            <tr>
              <th scope="col" className="pr-6 font-[560]">
                {heads[0]}
              </th>
              <th scope="col" className="font-[560]">
                {heads[1]}
              </th>
            </tr>
          </thead>
          <tbody>
            {bars
              .filter((bar) => bar.count > 0)
              .map((bar) => (
                <tr key={bar.name}>
                  <th scope="row" className="pr-6 font-normal">
                    {bar.name}
                  </th>
                  <td className="tabular">{count(bar.count)}</td>
                </tr>
              ))}
          </tbody>
        </table>
      </details>
    </>
  )
}
