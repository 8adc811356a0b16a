import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { oldestCodeOf } from './migrate.ts'

it('reads the oldest code that a migration allows, and is strict where it names none', () => {
  expect(oldestCodeOf('0041-new.sql', '-- oldest code: 0037\ncreate table a ();\n')).toBe('0037')
  expect(oldestCodeOf('0041-new.sql', '-- A table.\ncreate table a ();\n')).toBe('0041')
  expect(oldestCodeOf('0041-new.sql', '-- the oldest code: 0037 or so\n')).toBe('0041')
})

it('defines SQL functions and triggers in migrations alone', () => {
  const root = join(import.meta.dirname, '../../..')
  const defines = /\b(create|alter|drop)\s+(or\s+replace\s+)?(function|procedure|trigger)\b/i
  const found = ['server', 'scripts'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(ts|sql)$/.test(entry.name) && !/\.test\.ts$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((file) => !file.includes('node_modules') && !file.includes('/migrations/'))
      .filter((file) => defines.test(readFileSync(file, 'utf8'))),
  )
  expect(found).toEqual([])
})
