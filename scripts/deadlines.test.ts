import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')

it('no source combines AbortSignal.any with AbortSignal.timeout, which does not fire in Node 20', () => {
  const sources = globSync(
    '{bitcoin,contract,sdk,cli,signer,signer-host,process,previews,web,web-ui,server/*}/src/**/*.{ts,tsx}',
    { cwd: root },
  ).filter((path) => !path.includes('.test.'))
  expect(sources.length).toBeGreaterThan(500)
  const isBroken = (source: string) =>
    source.includes('AbortSignal.any(') && source.includes('AbortSignal.timeout(')
  expect(sources.filter((path) => isBroken(readFileSync(join(root, path), 'utf8')))).toEqual([])
})
