import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { assertInstalled, oldestCodeOf, readMigrations, shortHashOf, withFunctions } from './migrations.ts'

const root = join(import.meta.dirname, '../../../..')

it('oldestCodeOf reads the oldest compatible code', () => {
  expect(oldestCodeOf('0041-new.sql', '-- oldest code: 0037\ncreate table a ();\n')).toBe('0037')
  expect(oldestCodeOf('0041-new.sql', '-- A table.\ncreate table a ();\n')).toBe('0041')
  expect(oldestCodeOf('0041-new.sql', '-- the oldest code: 0037 or so\n')).toBe('0041')
})

it('withFunctions inserts the function file that a hash names', () => {
  const [older, newer] = ['select 1;\n', 'select 2;\n']
  const files = [
    { name: 'a.sql', path: 'a.sql', text: newer, replaced: false },
    { name: 'a.sql', path: 'a.sql', text: older, replaced: true },
  ]
  const first = `create table t ();\n-- install: a.sql ${shortHashOf(older)}\nselect 3;\n`
  const second = `-- install: a.sql ${shortHashOf(newer)}\n`
  expect(withFunctions('0001-t.sql', first, files)).toBe('create table t ();\nselect 1;\n\nselect 3;\n')
  expect(withFunctions('0002-a.sql', second, files)).toBe('select 2;\n\n')
  assertInstalled(
    [
      { name: '0001-t.sql', text: first },
      { name: '0002-a.sql', text: second },
    ],
    files,
  )
})

it('assertInstalled rejects an edited function file', () => {
  const migration = { name: '0001-t.sql', text: `-- install: a.sql ${shortHashOf('select 1;\n')}\n` }
  const edited = [{ name: 'a.sql', path: 'a.sql', text: 'select 2;\n', replaced: false }]
  expect(() => assertInstalled([migration], edited)).toThrow(
    /a\.sql was changed, but no migration installs the change/,
  )
  expect(() => withFunctions(migration.name, migration.text, edited)).toThrow(
    /0001-t\.sql installs a\.sql with hash [0-9a-f]{12}, which does not exist/,
  )
})

/** Checksums that databases store. Add a line for each new migration, and never change one. */
const FINAL = {
  '0001-baseline.sql': 'bf120657953c63a989a4345c94718a3099405cada89bd01a24832e76d86a47a1',
  '0002-announced-changes.sql': '0e59a9cc8635011e952b7edb4fc2983026a0b207e3d13bf9d778d69b3a2c19b1',
  '0003-many-moves.sql': '28de390da887694675a5100f8f8198e086032aaad560a20f9914a9517b539bd3',
  '0004-explained-transactions.sql': '9ae9c9e15c52a17709cdb2e79f8e8e9ef9240c9da7d305a39b0f2b0111db803c',
  '0005-listings-that-end-together.sql': '263c2ed0a8563092a05b2d05e65be570c68b82457d82d79ef8677404fcd94226',
  '0006-inbox.sql': 'd74f8eee843ce1eb912018b371da72635d5ec629ab755b30b4768db92d673857',
  '0007-new-children.sql': '32e8852358db59b32fd6d853e4133bef38cfb80e310ede610f6ef83463c90d43',
  '0008-retried-previews.sql': '165cc6b528a1d0a5ac93cfa3af3b849d6d577514c519a629bc8cabd884aa5010',
  '0009-utxos.sql': '8bf57705397b294d2905c565c939155efd12bec59a4c46bb07e93233b7c680e6',
  '0010-proposal-availability.sql': 'd7d34286904dc6eb66927797e72424b8db2a12b68f656cfe01c397724e3151c4',
}

it('readMigrations returns the final migrations unchanged', () => {
  const checksums = readMigrations().map(({ name, checksum }) => [name, checksum])
  expect(Object.fromEntries(checksums)).toEqual(FINAL)
})

it('readMigrations returns only syntax that PostgreSQL 15 supports', () => {
  for (const { text } of readMigrations()) expect(text).not.toMatch(/^ .* storage external/m)
})

it('readMigrations replaces all install lines', () => {
  for (const { name, text } of readMigrations()) expect(text, name).not.toMatch(/^--\s*install\b/m)
})

it('SQL functions and triggers are defined only in schema/functions', () => {
  const defines = /\b(create|alter|drop)\s+(or\s+replace\s+)?(constraint\s+)?(function|procedure|trigger)\b/i
  const found = ['server', 'scripts'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(ts|sql)$/.test(entry.name) && !/\.test\.ts$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((file) => !/node_modules|\/schema\/functions\//.test(file))
      // Migrations drop functions that are no longer used (CONTRIBUTING, "How to change the schema").
      .filter((file) => defines.test(readFileSync(file, 'utf8').replace(/^drop function .*;$/gm, ''))),
  )
  expect(found).toEqual([])
})
