import { useSettings } from '@ordbook/web-ui/api/settings.tsx'
import { Link } from '@ordbook/web-ui/routing/routing.tsx'
import { frame as words } from '@ordbook/web-ui/strings/pages.ts'
import { Select } from '@ordbook/web-ui/ui/basics.tsx'
import { MoonIcon, SunIcon } from '@ordbook/web-ui/ui/icons.tsx'
import { StatusLine } from './status-line.tsx'

const UNITS = [
  ['btc', 'BTC'],
  ['sats', 'sats'],
] as const
const THEMES = [
  ['system', 'System'],
  ['light', 'Light'],
  ['dark', 'Dark'],
] as const

/** Market status and preferences. The height does not change after loading. */
export function Footer() {
  const { unit, setUnit, theme, setTheme, fiat } = useSettings()
  const units: readonly (readonly [typeof unit, string])[] = fiat
    ? [...UNITS, ['fiat', fiat.currency]]
    : UNITS
  return (
    <footer className="border-t border-line pb-[var(--tabs-height)]">
      <div className="mx-auto flex min-h-[168px] max-w-[1920px] flex-wrap content-center items-center gap-x-5 gap-y-3 px-4 py-4 text-small text-soft sm:min-h-[116px] sm:px-5 lg:min-h-[72px] lg:px-6">
        <StatusLine />
        <Link to="/how" className="hover:text-ink">
          {words.how}
        </Link>
        <a href="/docs" className="hover:text-ink">
          {words.api}
        </a>
        <div className="flex items-center gap-3 lg:ml-auto">
          <label className="flex items-center gap-2">
            {words.amountsIn}
            <Select inline options={units} value={unit} onChange={setUnit} />
          </label>
          <label className="flex items-center gap-2">
            <span className="sr-only">{words.theme}</span>
            {theme === 'dark' ? <MoonIcon /> : <SunIcon />}
            <Select inline options={THEMES} value={theme} onChange={setTheme} />
          </label>
        </div>
      </div>
    </footer>
  )
}
