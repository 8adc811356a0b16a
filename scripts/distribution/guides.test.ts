import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FAULTS, type FaultId, runbookOf } from '@ordbook/operations/faults/faults.ts'
import { afterAll, expect, it } from 'vitest'
import { ROOT } from '../run.ts'
import { guidesIn, missingGuides, shippedPages } from './guides.ts'

const work = mkdtempSync(join(tmpdir(), 'ordbook-guides-'))
afterAll(() => rmSync(work, { recursive: true, force: true }))

/** Files whose readers may have only a package. */
const NAMING = [
  'deploy/settings/*.env',
  'deploy/systemd/*',
  'deploy/prometheus/*.yaml',
  '{server/*,signer-host,signer,cli}/src/**/*.ts',
  'scripts/market/*.ts',
  'scripts/start.ts',
]

it('the bundle contains every guide that messages, settings, units and alert rules name', () => {
  const shipped = new Set(shippedPages(join(ROOT, 'docs')).map((page) => `docs/${page}`))
  const named = globSync(NAMING, { cwd: ROOT }).flatMap((file) =>
    guidesIn(readFileSync(join(ROOT, file), 'utf8')),
  )
  const runbooks = (Object.keys(FAULTS) as FaultId[]).flatMap((id) => guidesIn(runbookOf(id) ?? ''))
  expect(named.length).toBeGreaterThan(20)
  expect(runbooks.length).toBeGreaterThan(20)
  expect([...named, ...runbooks].filter((name) => !shipped.has(name))).toEqual([])
})

it('missingGuides finds names that lead nowhere in a package', () => {
  mkdirSync(join(work, 'usr/lib/ordbook/docs/how-to'), { recursive: true })
  writeFileSync(join(work, 'usr/lib/ordbook/docs/how-to/install.md'), '')
  writeFileSync(
    join(work, 'a.env'),
    '# /usr/lib/ordbook/docs/how-to/install.md, /usr/lib/ordbook/docs/how-to/gone.md and docs/how-to/install.md',
  )
  expect(missingGuides(work, ['a.env'])).toEqual([
    'a.env: /usr/lib/ordbook/docs/how-to/gone.md',
    'a.env: docs/how-to/install.md',
  ])
})
