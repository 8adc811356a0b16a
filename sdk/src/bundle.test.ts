import { rolldown } from 'rolldown'
import { expect, it } from 'vitest'

it('bundles no schema compiler', async () => {
  const build = await rolldown({ input: `${import.meta.dirname}/index.ts`, platform: 'browser' })
  const { output } = await build.generate()
  await build.close()
  const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))
  expect(modules.some((id) => id.endsWith('sdk/src/checks/answers.ts'))).toBe(true)
  expect(modules.filter((id) => /node_modules\/typebox\//.test(id))).toEqual([])
})
