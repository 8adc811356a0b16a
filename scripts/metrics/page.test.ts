import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { printMetricsPage } from './page.ts'

const root = join(import.meta.dirname, '../..')
const squeezed = (text: string) => text.replaceAll(/ +|-{3,}/g, ' ')

it('docs/reference/metrics.md is up to date', () => {
  const page = readFileSync(join(root, 'docs/reference/metrics.md'), 'utf8')
  expect(squeezed(page), 'out of date: npm run generate -- metrics').toBe(squeezed(printMetricsPage()))
})

it('the metrics page lists every alert metric', () => {
  const page = printMetricsPage()
  const readers = ['deploy/prometheus/alerts.yaml', 'deploy/grafana/ordbook.json']
  for (const reader of readers)
    for (const [name] of readFileSync(join(root, reader), 'utf8').matchAll(/\bordbook_[a-z_]+/g))
      expect(page, reader).toContain(`\`${name.replace(/_(bucket|count|sum)$/, '')}\``)
})
