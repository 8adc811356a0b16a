import { useSettings } from '@ordbook/web-ui/api/settings.tsx'
import { frame as words } from '@ordbook/web-ui/strings/pages.ts'
import { Select } from '@ordbook/web-ui/ui/basics.tsx'
import { Segments } from '@ordbook/web-ui/ui/segments.tsx'

const THEMES = [
  ['system', 'System'],
  ['light', 'Light'],
  ['dark', 'Dark'],
] as const

/** Unit of all amounts. */
export function UnitSwitch() {
  const { unit, setUnit, fiat } = useSettings()
  const units: readonly (readonly [typeof unit, string])[] = [
    ['btc', 'BTC'],
    ['sats', 'sats'],
    ...(fiat ? [['fiat', fiat.currency] as const] : []),
  ]
  return <Segments label={words.amountsIn} options={units} value={unit} onChange={setUnit} />
}

/** Unit and theme, in a menu. Wide headers also have the unit. */
export function Preferences() {
  const { theme, setTheme } = useSettings()
  return (
    <div className="grid gap-2 px-3 py-2 text-small text-soft">
      <div className="flex items-center justify-between gap-3 min-[1400px]:hidden">
        <span aria-hidden="true">{words.amountsIn}</span>
        <UnitSwitch />
      </div>
      <label className="flex items-center justify-between gap-3">
        {words.theme}
        <Select inline options={THEMES} value={theme} onChange={setTheme} />
      </label>
    </div>
  )
}
