import { useId } from 'react'
import { amount, fullTime } from '../format.ts'
import { useSettings } from '../settings.tsx'

interface Point {
  at: string
  sats: number | null
}

interface Sale {
  at: string
  priceSats: number
}

const WIDTH = 960
const HEIGHT = 260
const PAD = { left: 8, right: 8, top: 14, bottom: 24 }

/** The floor as steps and sales as dots, with a table of the sales for screen readers. */
export function FloorChart({
  floor,
  sales,
  days,
}: {
  floor: readonly Point[]
  sales: readonly Sale[]
  days: number
}) {
  const { unit, fiat } = useSettings()
  const id = useId()
  const known = floor.filter((each): each is { at: string; sats: number } => each.sats !== null)
  const prices = [...known.map((each) => each.sats), ...sales.map((each) => each.priceSats)]
  if (prices.length === 0)
    return <p className="py-10 text-center text-soft">Nothing was for sale in this time.</p>
  const until = Date.now()
  const from = until - days * 86_400_000
  const most = Math.max(...prices) * 1.08
  const x = (at: string | number) =>
    PAD.left + ((new Date(at).getTime() - from) / (until - from)) * (WIDTH - PAD.left - PAD.right)
  const y = (sats: number) => HEIGHT - PAD.bottom - (sats / most) * (HEIGHT - PAD.top - PAD.bottom)
  const say = (sats: number) => Object.values(amount(sats, unit, fiat)).join(' ')
  const last = known.at(-1)
  return (
    <figure className="m-0">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-labelledby={id} className="w-full">
        <title id={id}>
          Floor over {days} days{last ? `, now ${say(last.sats)}` : ''}; {sales.length} sales
        </title>
        {[0.25, 0.5, 0.75, 1].map((part) => (
          <g key={part}>
            <line
              x1={PAD.left}
              x2={WIDTH - PAD.right}
              y1={y((most / 1.08) * part)}
              y2={y((most / 1.08) * part)}
              className="stroke-line"
            />
            <text x={PAD.left} y={y((most / 1.08) * part) - 3} className="fill-soft text-[12px]">
              {say(Math.round((most / 1.08) * part))}
            </text>
          </g>
        ))}
        <path d={floorPath(floor, x, y, until)} className="fill-none stroke-accent" strokeWidth="2" />
        {sales.map((sale) => (
          <circle
            key={`${sale.at}${sale.priceSats}`}
            cx={x(sale.at)}
            cy={y(sale.priceSats)}
            r="5"
            className="fill-up"
            fillOpacity="0.75"
          />
        ))}
        <text x={PAD.left} y={HEIGHT - 7} className="fill-soft text-[12px]">
          {days} days ago
        </text>
        <text x={WIDTH - PAD.right} y={HEIGHT - 7} textAnchor="end" className="fill-soft text-[12px]">
          now
        </text>
      </svg>
      <Legend sales={sales} say={say} />
    </figure>
  )
}

/** The floor as steps: it stays until the next point, and is not drawn while nothing is for sale. */
function floorPath(
  floor: readonly Point[],
  x: (at: string | number) => number,
  y: (sats: number) => number,
  until: number,
): string {
  let path = ''
  let before: number | null = null
  for (const { at, sats } of floor) {
    if (sats !== null) path += before === null ? `M${x(at)},${y(sats)}` : `H${x(at)}V${y(sats)}`
    else if (before !== null) path += `H${x(at)}`
    before = sats
  }
  return before === null ? path : `${path}H${x(until)}`
}

/** The marks of the chart, and the latest sales as a table. */
function Legend({ sales, say }: { sales: readonly Sale[]; say: (sats: number) => string }) {
  return (
    <figcaption className="mt-1 flex gap-4 text-xs text-soft">
      <span>
        <span className="text-accent">━</span> floor
      </span>
      <span>
        <span className="text-up">●</span> sales
      </span>
      <details className="ml-auto">
        <summary className="underline">as a table</summary>
        <table className="mt-2 text-left">
          <tbody>
            {sales.slice(-20).map((sale) => (
              <tr key={`${sale.at}${sale.priceSats}`}>
                <td className="pr-4">{fullTime(sale.at)}</td>
                <td className="tabular">{say(sale.priceSats)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figcaption>
  )
}
