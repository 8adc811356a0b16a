import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { variables } from '@ordbook/db/settings/config.ts'
import { expect, it } from 'vitest'
import { printSettingsPage } from './page.ts'

const squeezed = (text: string) => text.replaceAll(/ +|-{3,}/g, ' ')

it('docs/reference/settings.md is up to date', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/reference/settings.md'), 'utf8')
  expect(squeezed(page), 'out of date: npm run generate -- settings').toBe(squeezed(printSettingsPage()))
})

it('the settings page lists every variable', () => {
  const page = printSettingsPage()
  for (const name of Object.keys(variables)) expect(page).toContain(`| \`${name}\` |`)
})

it('the settings page states the rate limits of the demo', () => {
  const source = readFileSync(join(import.meta.dirname, '../start.ts'), 'utf8')
  const limits = [...source.matchAll(/(RATE_LIMIT_\w+): '([0-9/]+)'/g)]
  expect(limits).toHaveLength(2)
  for (const [, name, value] of limits)
    expect(printSettingsPage()).toMatch(new RegExp(`^\\| \`${name}\` .* uses ${value}\\.`, 'm'))
})
