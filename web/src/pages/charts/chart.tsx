import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { useSettings } from '@ordbook/web-ui/api/settings.tsx'
import { charts as words } from '@ordbook/web-ui/strings/charts.ts'

const HEIGHT = 240
const STEPS: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, PageDown: -10, PageUp: 10 }

interface Line {
  /** CSS variable of the colour, without `var()`. */
  colour: '--accent' | '--up' | '--edge'
  /** `steps` keeps each value until the next. */
  kind: 'steps' | 'dots' | 'bars'
}

interface Props {
  label: string
  /** Ascending x values, then the y values per line. */
  data: readonly [readonly number[], ...(readonly (number | null)[])[]]
  lines: readonly Line[]
  say: (value: number) => string
  /** Unit of the x axis. `rank` makes the y axis logarithmic. */
  across?: 'time' | 'rank'
  /** Describes a point for the line below the chart and for screen readers. */
  read: (place: number) => string
}

/** Chart with values under the pointer and for arrow keys. The caller must also show a table. */
export function Chart({ label, data, lines, say, across = 'time', read }: Props) {
  const box = useRef<HTMLDivElement>(null)
  const chart = useRef<uPlot | null>(null)
  const [place, setPlace] = useState<number | null>(null)
  const latest = useRef({ data, say })
  latest.current = { data, say }
  const shapes = lines.map(({ colour, kind }) => `${colour} ${kind}`).join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: `shapes` changes with the lines
  useEffect(() => {
    const element = box.current!
    const plot = new uPlot(
      {
        ...optionsOf(element, { lines, across, say: (value) => latest.current.say(value) }),
        width: element.clientWidth,
        hooks: { setCursor: [({ cursor }) => setPlace(cursor.idx ?? null)] },
      },
      latest.current.data as unknown as uPlot.AlignedData,
      element,
    )
    chart.current = plot
    const resized = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }))
    resized.observe(element)
    return () => {
      resized.disconnect()
      plot.destroy()
    }
  }, [shapes, across])
  useEffect(() => {
    setPlace(null)
    chart.current?.setData(data as unknown as uPlot.AlignedData)
  }, [data])
  useColoursAgain(chart)
  const last = data[0].length - 1
  const shown = Math.min(place ?? last, last)
  const go = (to: number) => {
    const plot = chart.current
    if (!plot || last < 0) return
    const left = plot.valToPos(data[0][Math.max(0, Math.min(last, to))]!, 'x')
    plot.setCursor({ left, top: HEIGHT / 3 })
  }
  const press = (event: KeyboardEvent) => {
    const to =
      event.key === 'Home' ? 0 : event.key === 'End' ? last : event.key in STEPS && shown + STEPS[event.key]!
    if (to === false) return
    event.preventDefault()
    go(to)
  }
  const touch = (event: PointerEvent<HTMLDivElement>) => {
    const plot = chart.current
    if (event.pointerType === 'mouse' || !plot) return
    const { left, top } = plot.over.getBoundingClientRect()
    plot.setCursor({ left: event.clientX - left, top: event.clientY - top })
  }
  return (
    <>
      <div
        ref={box}
        role="slider"
        tabIndex={0}
        aria-label={`${label}. ${words.keys[across]}`}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, last)}
        aria-valuenow={Math.max(0, shown)}
        aria-valuetext={last < 0 ? words.none : read(shown)}
        onKeyDown={press}
        onPointerDown={touch}
        onPointerMove={touch}
        data-varies
        className="h-60 w-full touch-pan-y overflow-hidden"
      />
      <p className="tabular min-h-5 text-small" data-readout data-varies>
        {last < 0 ? words.none : read(shown)}
      </p>
    </>
  )
}

/** Redraws on theme changes, because canvas colours do not follow CSS. */
function useColoursAgain(chart: { current: uPlot | null }) {
  const { theme } = useSettings()
  // biome-ignore lint/correctness/useExhaustiveDependencies: redraws when the theme changes
  useEffect(() => {
    const redraw = () => chart.current?.redraw(false)
    redraw()
    const system = matchMedia('(prefers-color-scheme: dark)')
    system.addEventListener('change', redraw)
    return () => system.removeEventListener('change', redraw)
  }, [theme, chart])
}

function colourOf(element: HTMLElement, token: string): string {
  const probe = document.createElement('span')
  probe.style.color = `var(${token})`
  element.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}

function optionsOf(
  element: HTMLElement,
  { lines, across, say }: Required<Pick<Props, 'lines' | 'across' | 'say'>>,
): Omit<uPlot.Options, 'width'> {
  const ink = (token: string) => () => colourOf(element, token)
  const font = '12px "Geist Variable", system-ui'
  const grid = { stroke: ink('--line'), width: 1 }
  return {
    height: HEIGHT,
    legend: { show: false },
    cursor: { drag: { x: false, y: false }, y: false },
    scales:
      across === 'time'
        ? { y: { range: (_, _least, most) => [0, (most || 1) * 1.08] } }
        : { x: { time: false }, y: { distr: 3 } },
    axes: [
      { stroke: ink('--soft'), font, grid: { show: false }, ticks: grid },
      {
        stroke: ink('--soft'),
        font,
        grid,
        ticks: { show: false },
        size: 76,
        // Logarithmic axes pass null for most grid lines.
        values: (_, values) => values.map((value) => (value === null ? '' : say(value))),
      },
    ],
    series: [
      {},
      ...lines.map(({ colour, kind }): uPlot.Series => {
        const stroke = ink(colour)
        if (kind === 'bars')
          return {
            stroke,
            fill: stroke,
            paths: uPlot.paths.bars!({ size: [0.7, 40] }),
            points: { show: false },
          }
        if (kind === 'dots')
          return { stroke, paths: () => null, points: { show: true, size: 8, stroke, fill: stroke } }
        return { stroke, width: 2, paths: uPlot.paths.stepped!({ align: 1 }), points: { show: false } }
      }),
    ],
  }
}
