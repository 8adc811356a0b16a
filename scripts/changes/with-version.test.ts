import { expect, it } from 'vitest'
import { withVersion } from './with-version.ts'

it('withVersion leaves the versions of other dependencies unchanged', () => {
  const manifest = (version: string) =>
    JSON.stringify(
      {
        name: '@ordbook/sdk',
        version,
        exports: { '.': './src/index.ts' },
        dependencies: { '@ordbook/bitcoin': version, '@ordbook/contract': version, typebox: '1.4.3' },
      },
      null,
      2,
    )
  expect(withVersion(manifest('0.1.0'), '0.2.0')).toBe(manifest('0.2.0'))
})
