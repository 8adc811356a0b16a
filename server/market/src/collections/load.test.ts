import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { digestLines, groupLines, ImportReport } from './import-report.ts'
import { loadCollections } from './load.ts'
import { readRegistry, whyNotRegistry } from './read-registry.ts'

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ordbook-import-test-'))
})
afterEach(() => rmSync(directory, { recursive: true }))

const id = (n: number) => `${n.toString(16).padStart(64, '0')}i0`
const write = (path: string, content: unknown) => {
  mkdirSync(join(directory, path, '..'), { recursive: true })
  const isRaw = typeof content === 'string' || content instanceof Uint8Array
  writeFileSync(join(directory, path), isRaw ? content : JSON.stringify(content))
}
const writeCollection = (folder: string, slug: unknown, entries: unknown[] = [{ id: id(1) }]) => {
  write(`${folder}/meta.json`, { name: `Name of ${folder}`, slug })
  write(`${folder}/inscriptions.json`, entries)
}
const dryRun = () => loadCollections(null, directory, { now: new Date() })
const collectionsIn = () => {
  const found = [...readRegistry(directory, new ImportReport())]
  return found.flatMap(({ collection }) => (collection ? [collection] : []))
}
const itemsOf = (slug: string) => collectionsIn().find((each) => each.slug === slug)!.items
const kindsOf = async () =>
  (await dryRun()).problems.map(({ kind, file, position }) => `${kind} ${file} ${position}`.trim())

it('imports folders next to a stray meta.json', async () => {
  writeCollection('cats', 'cats')
  write('meta.json', { name: 'Stray', slug: 'stray' })
  expect(whyNotRegistry(directory)).toBeNull()
  expect(await dryRun()).toMatchObject({ collections: 1, refused: [] })
  expect(await kindsOf()).toEqual(['entry-ignored meta.json'])
})

it('refuses a single collection, a repository and an empty folder', () => {
  expect(whyNotRegistry(directory)).toMatch('has no folders')
  writeCollection('collections/cats', 'cats')
  expect(whyNotRegistry(directory)).toMatch(`Use that folder`)
  expect(whyNotRegistry(join(directory, 'collections'))).toBeNull()
  expect(whyNotRegistry(join(directory, 'collections/cats'))).toMatch('Use its parent folder')
})

it('skips a folder with the slug of another folder', async () => {
  writeCollection('a', 'MoonCats', [{ id: id(1) }, { id: id(2) }])
  writeCollection('b', 'mooncats', [{ id: id(3) }])
  writeCollection('c', 'MoonCats ', [{ id: id(4) }])
  const { collections, items, refused, problems, report } = await dryRun()
  expect({ collections, items, refused }).toEqual({ collections: 1, items: 2, refused: ['b', 'c'] })
  const repeated = problems.filter(({ kind }) => kind === 'slug-repeated')
  expect(repeated.map(({ file }) => file)).toEqual(['b/meta.json', 'c/meta.json'])
  for (const { problem } of repeated) expect(problem).toMatch(/is the slug of the folder a too/)
  expect(report.entries).toEqual({ found: 4, imported: 2, skipped: { 'slug-repeated': 2 } })
})

it('gives a slug to the first folder that can be read', async () => {
  writeCollection('a', 'cats', [])
  writeCollection('b', 'Cats')
  expect(collectionsIn().map(({ folder }) => folder)).toEqual(['b'])
  expect((await dryRun()).refused).toEqual(['a'])
})

it('removes controls of text direction from names and traits', () => {
  const attributes = [{ trait_type: '\u2066Hat', value: 'Red\u202c' }]
  writeCollection('cats', 'cats', [{ id: id(1), meta: { name: 'Tom\u202e 000', attributes } }])
  expect(itemsOf('cats')).toMatchObject([{ name: 'Tom 000', traits: [{ type: 'Hat', value: 'Red' }] }])
})

it.each([
  ['ordinal-pixe.l.f', 'ordinal-pixe-l-f'],
  ['roboiz ordinals', 'roboiz-ordinals'],
  ['$glizzy_gun', 'glizzy_gun'],
  ['🐸frogs', 'frogs'],
  ['Café', 'cafe'],
  ['🐸', 'folder'],
  [undefined, 'folder'],
  [2048, '2048'],
])('maps the slug %j to %s', async (written, slug) => {
  writeCollection('folder', written)
  expect(collectionsIn().map((each) => each.slug)).toEqual([slug])
  expect(await kindsOf()).toEqual(['slug-changed folder/meta.json slug'])
})

it('prefers a valid slug to a mapped one', async () => {
  writeCollection('a', 'pixel cats')
  writeCollection('b', 'pixel-cats')
  expect(collectionsIn().map(({ folder }) => folder)).toEqual(['b'])
  expect((await dryRun()).problems[0]).toMatchObject({ kind: 'slug-repeated', file: 'a/meta.json' })
})

it('skips a folder without any letter for a slug', async () => {
  writeCollection('🐸', '🐸')
  write('🐸/meta.json', { name: '🐸', slug: '🐸' })
  expect((await dryRun()).refused).toEqual(['🐸'])
})

const hat = { trait_type: 'Hat', value: 'Red' }
it.each([
  ['meta.traits', { meta: { traits: [hat] } }],
  ['meta.traits', { meta: { name: 'One', traits: { Hat: 'Red' } } }],
  ['meta.meta.attributes', { meta: { name: 'One', meta: { attributes: [hat] } } }],
  ['attributes', { meta: { name: 'One' }, attributes: [hat] }],
  ['traits', { traits: { Hat: 'Red' } }],
])('reads traits from %s', async (place, entry) => {
  writeCollection('cats', 'cats', [{ id: id(1), ...entry }])
  expect(itemsOf('cats')[0]!.traits).toEqual([{ type: 'Hat', value: 'Red' }])
  expect(await kindsOf()).toEqual([`field-elsewhere cats/inscriptions.json [0].${place}`])
})

it('reports an icon that is not an inscription id', async () => {
  writeCollection('cats', 'cats')
  write('cats/meta.json', { name: 'Cats', slug: 'cats', inscription_icon: 'https://cats.example/icon.png' })
  expect(collectionsIn()[0]!.previewInscriptionId).toBeNull()
  expect(await kindsOf()).toEqual(['icon-invalid cats/meta.json inscription_icon'])
})

it('reads a name next to meta', async () => {
  writeCollection('cats', 'cats', [{ id: id(1), name: 'Tom' }])
  expect(itemsOf('cats')[0]!.name).toBe('Tom')
  expect(await kindsOf()).toEqual(['field-elsewhere cats/inscriptions.json [0].name'])
})

it('imports a repeated trait once', async () => {
  const attributes = [hat, hat, { trait_type: 'Hat', value: 'Blue' }]
  writeCollection('cats', 'cats', [{ id: id(1), meta: { attributes, traits: { Hat: 'Red' } } }])
  expect(itemsOf('cats')[0]!.traits.map(({ value }) => value)).toEqual(['Red', 'Blue'])
  const { report } = await dryRun()
  expect(report.traits).toEqual({ found: 4, imported: 2, skipped: { 'trait-repeated': 2 } })
})

it('reads inscription.json if inscriptions.json is missing', async () => {
  writeCollection('cats', 'cats')
  rmSync(join(directory, 'cats/inscriptions.json'))
  write('cats/inscriptions.js', '[]')
  expect((await dryRun()).problems[0]!.problem).toBe('is missing; the folder has inscriptions.js')
  write('cats/inscription.json', [{ id: id(1) }])
  expect(itemsOf('cats')).toHaveLength(1)
  expect(await kindsOf()).toEqual(['file-name cats/inscription.json'])
})

it('reads a byte order mark and UTF-16', async () => {
  const utf16 = (value: unknown) => Buffer.from(`\ufeff${JSON.stringify(value)}`, 'utf16le')
  write('cats/meta.json', `\ufeff${JSON.stringify({ name: 'Kätzchen', slug: 'cats' })}`)
  write('cats/inscriptions.json', utf16([{ id: id(1), meta: { name: 'Müller' } }]))
  expect(collectionsIn()[0]).toMatchObject({ name: 'Kätzchen', items: [{ name: 'Müller' }] })
  const { problems } = await dryRun()
  expect(problems.map(({ problem }) => problem)).toEqual(['begins with a byte order mark', 'is UTF-16'])
})

it('mends ids in upper case or with blanks', async () => {
  const written = ` ${'AB'.repeat(32)}i0 `
  writeCollection('cats', 'cats', [{ id: written }, { id: 'AB' }, written])
  expect(itemsOf('cats').map(({ inscriptionId }) => inscriptionId)).toEqual([`${'ab'.repeat(32)}i0`])
  expect(await kindsOf()).toEqual([
    'id-changed cats/inscriptions.json [0].id',
    'id-invalid cats/inscriptions.json [1].id',
    'id-invalid cats/inscriptions.json [2].id',
  ])
})

it('reports each unused field once, with its count', async () => {
  const entries = [1, 2, 3].map((n) => ({ id: id(n), sat: n, meta: { rank: n, status: '' } }))
  writeCollection('cats', 'cats', entries)
  const { problems, report } = await dryRun()
  expect(problems.map(({ problem }) => problem)).toEqual([
    'sat is set 3 times, first here',
    'meta.rank is set 3 times, first here',
  ])
  expect(report.hasSkipped()).toBe(false)
})

it('groups problems with counts and examples', async () => {
  writeCollection('cats', 'cats', [{ id: id(1) }, ...Array(20).fill({ id: 'x' })])
  expect(groupLines((await dryRun()).problems)).toEqual([
    '20 id-invalid: An entry has no inscription id and is skipped.',
    '  cats/inscriptions.json [1].id: "x" is not an inscription id',
    '  cats/inscriptions.json [2].id: "x" is not an inscription id',
    '  cats/inscriptions.json [3].id: "x" is not an inscription id',
    '  and 17 more',
  ])
})

it('explains every row that is not imported', async () => {
  const attributes = [hat, { trait_type: 'Hat' }]
  writeCollection('a', 'cats', [{ id: id(1), meta: { attributes } }, { id: id(1), meta: { attributes } }, 7])
  writeCollection('b', 'CATS', [{ id: id(2) }])
  write('c/meta.json', '{')
  write('c/inscriptions.json', [{ id: id(3) }, { id: id(4) }])
  writeCollection('d', 'dogs', [{ id: 'x' }])
  const { report } = await dryRun()
  expect(digestLines(report)).toEqual([
    'folders: 4 found = 1 imported + 3 skipped (1 slug-repeated, 1 file-invalid, 1 list-empty)',
    'inscriptions: 7 found = 1 imported + 6 skipped (2 id-invalid, 2 file-invalid, 1 id-repeated, 1 slug-repeated)',
    'traits: 4 found = 1 imported + 3 skipped (2 id-repeated, 1 trait-invalid)',
  ])
})

it.each<[string, string, (path: string) => void]>([
  ['a pipe', 'is not a file', (path) => execFileSync('mkfifo', [path])],
  ['a link to a device', 'is not a file', (path) => symlinkSync('/dev/zero', path)],
  ['a link to itself', 'cannot be read (ELOOP)', (path) => symlinkSync('inscriptions.json', path)],
  [
    'a file of 600 MB',
    'is larger than 500 MB',
    (path) => {
      writeFileSync(path, '[')
      truncateSync(path, 600_000_000)
    },
  ],
])('skips %s', async (_what, problem, make) => {
  write('cats/meta.json', { name: 'Cats', slug: 'cats' })
  make(join(directory, 'cats/inscriptions.json'))
  writeCollection('dogs', 'dogs')
  const { refused, collections, problems } = await dryRun()
  expect({ refused, collections }).toEqual({ refused: ['cats'], collections: 1 })
  expect(problems).toMatchObject([{ kind: 'file-invalid', problem }])
})

it('skips values that are nested too deeply to print', async () => {
  const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
  write('cats/meta.json', `{"name": "Cats", "slug": "cats", "description": ${deep}}`)
  write('cats/inscriptions.json', `[{"id": ${deep}}, {"id": "${id(1)}", "meta": {"name": ${deep}}}]`)
  const { collections, problems } = await dryRun()
  expect(collections).toBe(1)
  expect(problems.map(({ kind }) => kind)).toEqual(['id-invalid', 'name-invalid', 'description-invalid'])
})

it('imports 256 traits of an item', async () => {
  const attributes = Array.from({ length: 300 }, (_, n) => ({ trait_type: 'Hat', value: n }))
  writeCollection('cats', 'cats', [{ id: id(1), meta: { attributes } }])
  const { report, problems } = await dryRun()
  expect(itemsOf('cats')[0]!.traits).toHaveLength(256)
  expect(problems).toMatchObject([{ kind: 'trait-invalid', problem: 'has 44 more than 256 traits' }])
  expect(report.traits).toEqual({ found: 300, imported: 256, skipped: { 'trait-invalid': 44 } })
})

it('throws if rows are missing in the digest', () => {
  const report = new ImportReport()
  report.entries.found = 2
  report.entries.imported = 1
  expect(() => report.finish()).toThrow('inscriptions: 2 found, but 1 imported or skipped')
})
