import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { getStatus } from '@ordbook/contract/record.ts'
import type { FaultEntry } from '@ordbook/operations/faults/fault.ts'
import { FAULTS, type FaultId, faultOf, runbookOf } from '@ordbook/operations/faults/faults.ts'
import { expect, it } from 'vitest'
import { printMetricsPage } from '../metrics/page.ts'
import { printFaultsPage } from './page.ts'

const read = (path: string) => readFileSync(join(import.meta.dirname, '../..', path), 'utf8')
const ids = Object.keys(FAULTS) as FaultId[]
const squeezed = (text: string) => text.replaceAll(/ +|-{3,}/g, ' ')

/** Returns each name of a place once, with the faults that have it. */
function named(place: 'doctor' | 'metric' | 'alert'): string[] {
  const names = ids.map((id) => faultOf(id)[place]).filter((name) => typeof name === 'string')
  return [...new Set(names)].toSorted()
}

it('docs/reference/faults.md is up to date', () => {
  const page = squeezed(read('docs/reference/faults.md'))
  expect(page, 'out of date: npm run generate -- faults').toBe(squeezed(printFaultsPage()))
})

it('lists every alert, and each has a section in the guide', () => {
  const alerts = [...read('deploy/prometheus/alerts.yaml').matchAll(/- alert: (\w+)/g)].map(
    ([, name]) => name!,
  )
  expect(named('alert')).toEqual(alerts.toSorted())
  const sections = [...read('docs/how-to/monitor.md').matchAll(/^### (Ordbook\w+)$/gm)].map(
    ([, name]) => name!,
  )
  expect(sections.toSorted()).toEqual(alerts.toSorted())
})

it('an alert reads the metric of one of its faults', () => {
  const rules = read('deploy/prometheus/alerts.yaml')
    .split(/^(?= +- alert:)/m)
    .slice(1)
  for (const rule of rules) {
    const [, alert] = /- alert: (\w+)/.exec(rule)!
    const metrics = ids.flatMap((id) => {
      const { alert: name, metric } = faultOf(id)
      return name === alert && typeof metric === 'string' ? [metric] : []
    })
    if (alert !== 'OrdbookServerDown')
      expect(
        metrics.some((metric) => rule.includes(metric)),
        `${alert}: ${metrics}`,
      ).toBe(true)
  }
})

it('names existing metrics', () => {
  const page = printMetricsPage()
  for (const metric of named('metric')) expect(page).toContain(`| \`${metric}\` |`)
})

it('lists every shortage and disabled trade of the status', () => {
  const { notTraded, shortages } = getStatus.answer.properties
  const listed = ids.flatMap((id): readonly string[] => {
    const { status } = faultOf(id)
    return 'shortage' in status ? [status.shortage] : 'notTraded' in status ? status.notTraded : []
  })
  const enums = JSON.stringify([notTraded, shortages]).matchAll(/"enum":\[([^\]]*)\]/g)
  const values = [...enums].flatMap(([, texts]) => JSON.parse(`[${texts}]`) as string[])
  expect([...new Set(listed)].toSorted()).toEqual(values.toSorted())
})

it('links each alert to its section', () => {
  expect(runbookOf('node-down')).toBe('docs/how-to/monitor.md#ordbooknodedown')
  expect(runbookOf('node-pruned')).toBeNull()
})

/** Reads the ids in calls such as `expectInDoctor(['node-down'], …)` of all tests. */
function seenIn(call: string): string[] {
  const root = join(import.meta.dirname, '../..')
  const files = globSync(['e2e/**/*.test.ts', 'server/*/test/**/*.test.ts'], { cwd: root })
  return files.flatMap((file) =>
    [...read(file).matchAll(new RegExp(`\\b${call}\\(\\s*\\[([^\\]]*)\\]`, 'g'))].flatMap(([, list]) =>
      [...list!.matchAll(/'([a-z-]+)'/g)].map(([, id]) => id!),
    ),
  )
}

const PLACES = [
  ['the doctor', 'expectInDoctor', ({ doctor }) => typeof doctor === 'string'],
  ['the metrics', 'expectInMetrics', ({ metric }) => typeof metric === 'string'],
  ['the status', 'expectInStatus', ({ status }) => !('none' in status)],
] as const satisfies [string, string, (entry: FaultEntry) => boolean][]

it.each(PLACES)('a test produces each fault of %s', (_, call, isIn) => {
  const seen = seenIn(call)
  expect(seen.filter((id) => !isIn(faultOf(id as FaultId)))).toEqual([])
  expect(ids.filter((id) => isIn(faultOf(id)) && !seen.includes(id))).toEqual([])
})

it('each fault is in a place that a test looks at', () => {
  // Prometheus itself reports these (`up`): see e2e/chaos/alerts.test.ts.
  const seen = ['server-down', ...PLACES.flatMap(([, call]) => seenIn(call))]
  expect(ids.filter((id) => !seen.includes(id))).toEqual([])
})
