import { expect, it } from 'vitest'
import { publishedManifest } from './manifest.ts'

it('publishedManifest exports compiled files', () => {
  const published = publishedManifest({
    name: '@ordbook/sdk',
    version: '1.2.3',
    private: true,
    exports: { '.': './src/index.ts', './*': './src/*.ts', './*.ts': './src/*.ts' },
    dependencies: { typebox: '1.4.3' },
  })
  expect(published).toMatchObject({
    name: '@ordbook/sdk',
    version: '1.2.3',
    exports: {
      '.': { types: './dist/index.d.ts', default: './dist/index.js' },
      './*': { types: './dist/*.d.ts', default: './dist/*.js' },
    },
    files: ['dist'],
    publishConfig: { access: 'public' },
    dependencies: { typebox: '1.4.3' },
  })
  expect(published).not.toHaveProperty('private')
  expect(published.exports).not.toHaveProperty('./*.ts')
})
