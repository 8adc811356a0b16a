import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { NewInscription } from '@ordbook/bitcoin/envelope.ts'
import { bytesOfInscriptionId } from '@ordbook/bitcoin/inscription-id.ts'
import { renameTo } from '@ordbook/market/collections/from-chain.ts'
import { applyPlan } from '@ordbook/market/registry/apply.ts'
import { planFollow } from '@ordbook/market/registry/plan.ts'
import { listChanges, listEntries } from '@ordbook/market/registry/queries.ts'
import { openRegistry } from '@ordbook/market/registry/source.ts'
import { checkRollups } from '@ordbook/operations/audit/check.ts'
import { encode } from 'cborg'
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { createFamily } from '../../../../e2e/support/families.ts'
import { setUpMarket, setUpTrader } from '../../../../e2e/support/market.ts'

const market = setUpMarket()
const owner = setUpTrader(market)
let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(market.dataDir, 'registry-'))
})
afterEach(async () => expect(await checkRollups(market.server.context)).toEqual([]))

const unseen = (n: number) => `${(0xabc000 + n).toString(16).padStart(64, '0')}i0`
let galleries: string[]
let families: { parentId: string; children: string[] }[]
beforeAll(async () => {
  const gallery = (first: number): NewInscription => ({
    contentType: 'text/plain',
    body: new TextEncoder().encode('gallery'),
    properties: encode(
      new Map([[0, [0, 1, 2].map((n) => new Map([[0, bytesOfInscriptionId(unseen(first + n))]]))]]),
    ),
  })
  galleries = await market.regtest.inscribe(
    [0, 10, 20, 30, 40].map((first) => ({
      inscription: gallery(first),
      owner: owner.wallet.ordinalsScript,
      postageSats: 10_000,
    })),
  )
  families = [
    await createFamily(market, owner.wallet.ordinalsScript, 2),
    await createFamily(market, owner.wallet.ordinalsScript, 1),
  ]
  await market.server.sync()
})

type Listed = Record<string, unknown>
const gallery = (slug: string, n: number, more: Listed = {}): Listed => ({
  name: slug,
  type: 'gallery',
  id: galleries[n],
  slug,
  ...more,
})
const parent = (slug: string, ...ns: number[]): Listed => ({
  name: slug,
  type: 'parent',
  ids: ns.map((n) => families[n]!.parentId),
  slug,
})
const writeLists = (listed: unknown, needsInfo: unknown = [], disputed: unknown = []) => {
  const lists = { collections: listed, 'collections-needs-info': needsInfo, 'collections-disputed': disputed }
  for (const [name, list] of Object.entries(lists))
    writeFileSync(join(directory, `${name}.json`), JSON.stringify(list))
}
const writeFolder = (folder: string, slug: string, ids: readonly string[], more: Listed = {}) => {
  mkdirSync(join(directory, folder), { recursive: true })
  writeFileSync(join(directory, folder, 'meta.json'), JSON.stringify({ name: slug, slug, ...more }))
  writeFileSync(join(directory, folder, 'inscriptions.json'), JSON.stringify(ids.map((id) => ({ id }))))
}

/** The number of lines about problems of the last run. */
let problems = 0

/** Follows the registry. Returns `change slug` of what was applied, with the reason of what was skipped. */
async function follow(): Promise<string[]> {
  const source = await openRegistry(directory)
  const plan = await planFollow(market.sql, source)
  problems = plan.report.problems.length
  const outcomes = await applyPlan(market.sql, source, plan, new Date())
  return outcomes.map(
    ({ change, skipped }) => `${change.change} ${change.slug}${skipped ? `: ${skipped}` : ''}`,
  )
}
const history = (slug: string | null = null) => listChanges(market.sql, directory, slug)
const statusOf = async () =>
  Object.fromEntries((await listEntries(market.sql, directory)).map(({ slug, status }) => [slug, status]))
async function stored(): Promise<Map<string, string[]>> {
  const rows = await market.sql<{ id: string; items: string[] }[]>`
    select collection_id as id, array(select inscription_id from collection_items i
      where i.collection_id = c.collection_id order by ordinal) as items from collections c`
  return new Map(rows.map(({ id, items }) => [id, items]))
}
const itemsOf = async (slug: string) =>
  (
    await market.sql<{ id: string }[]>`
    select inscription_id as id from collection_items join collections using (collection_id)
    where slug = ${slug} order by ordinal`
  ).map(({ id }) => id)

it('follows 40 changes without losing a collection', async () => {
  const folders = mkdtempSync(join(market.dataDir, 'registry-'))
  const [chain, lists] = [
    directory,
    { listed: [] as Listed[], needsInfo: [] as Listed[], disputed: [] as Listed[] },
  ]
  const entry = (slug: string) =>
    [...lists.listed, ...lists.needsInfo, ...lists.disputed].find((each) => each.slug === slug)!
  const move = (slug: string, to: Listed[]) => {
    const moved = entry(slug)
    for (const list of Object.values(lists)) if (list.includes(moved)) list.splice(list.indexOf(moved), 1)
    to.push(moved)
  }
  const ids = (first: number, count: number) => Array.from({ length: count }, (_, n) => unseen(first + n))
  const onChain = (edit: () => unknown) => () => {
    directory = chain
    edit()
    writeLists(lists.listed, lists.needsInfo, lists.disputed)
  }
  const inFolders = (edit: () => unknown) => () => {
    directory = folders
    edit()
  }
  const remove = (folder: string) => rmSync(join(folders, folder), { recursive: true })
  /** `expected` are the changes, or none for an edit that is only reported. */
  const steps: [expected: string | string[], edit: () => void][] = [
    ['added g-a', onChain(() => lists.listed.push(gallery('g-a', 0)))],
    ['added p-a', onChain(() => lists.listed.push(parent('p-a', 0)))],
    ['added g-b', onChain(() => lists.needsInfo.push(gallery('g-b', 1, { issues: ['Missing titles'] })))],
    ['added g-c', onChain(() => lists.disputed.push(gallery('g-c', 2)))],
    ['changed g-b', onChain(() => Object.assign(entry('g-b'), { issues: ['Spam'] }))],
    ['changed g-b', onChain(() => move('g-b', lists.listed))],
    ['changed g-a', onChain(() => Object.assign(entry('g-a'), { name: 'Gallery A' }))],
    ['renamed g-a2', onChain(() => Object.assign(entry('g-a'), { slug: 'g-a2' }))],
    ['changed p-a', onChain(() => Object.assign(entry('p-a'), parent('p-a', 0, 1)))],
    ['changed g-a2', onChain(() => move('g-a2', lists.disputed))],
    ['changed g-a2', onChain(() => move('g-a2', lists.needsInfo))],
    ['changed g-a2', onChain(() => Object.assign(entry('g-a2'), { id: galleries[3] }))],
    ['removed p-a', onChain(() => lists.listed.splice(lists.listed.indexOf(entry('p-a')), 1))],
    ['added f-a', inFolders(() => writeFolder('a', 'f-a', ids(100, 3)))],
    ['added f-b', inFolders(() => writeFolder('b', 'f-b', ids(200, 2)))],
    ['changed f-a', inFolders(() => writeFolder('a', 'f-a', ids(100, 5)))],
    ['changed f-a', inFolders(() => writeFolder('a', 'f-a', ids(101, 4)))],
    ['changed f-a', inFolders(() => writeFolder('a', 'f-a', ids(101, 4), { name: 'Folder A' }))],
    ['renamed f-a2', inFolders(() => writeFolder('a', 'f-a2', ids(101, 4), { name: 'Folder A' }))],
    ['removed f-b', inFolders(() => remove('b'))],
    ['returned f-b', inFolders(() => writeFolder('b', 'f-b', ids(200, 2)))],
    ['changed f-b', inFolders(() => writeFolder('b', 'f-b', ids(200, 2), { description: 'Two' }))],
    [
      'changed f-b',
      inFolders(() => {
        remove('b')
        writeFolder('b2', 'f-b', ids(200, 2), { description: 'Two' })
      }),
    ],
    [
      'changed f-b',
      inFolders(() => writeFolder('b2', 'f-b', ids(201, 1), { inscription_icon: unseen(201) })),
    ],
    ['returned p-a', onChain(() => lists.listed.push(parent('p-a', 0)))],
    ['changed p-a', onChain(() => Object.assign(entry('p-a'), gallery('p-a', 4), { ids: undefined }))],
    ['changed g-a2', onChain(() => move('g-a2', lists.listed))],
    ['removed g-c', onChain(() => lists.disputed.splice(0))],
    ['returned g-c', onChain(() => lists.listed.push(gallery('g-c', 2)))],
    // Slugs that differ only in case, and entries that repeat a slug.
    [
      [],
      inFolders(() => writeFolder('b2', 'F-B', ids(201, 1), { name: 'f-b', inscription_icon: unseen(201) })),
    ],
    [[], inFolders(() => writeFolder('c', 'F-b', ids(800, 2)))],
    [[], onChain(() => lists.listed.push(gallery('G-B', 2)))],
    ['changed f-b', inFolders(() => writeFolder('b2', 'f-b', ids(201, 2)))],
    // An item moves to another collection.
    [
      ['changed f-a2', 'changed f-b'],
      inFolders(() => {
        writeFolder('a', 'f-a2', ids(101, 3), { name: 'Folder A' })
        writeFolder('b2', 'f-b', [...ids(201, 2), unseen(104)])
      }),
    ],
    // Files that are invalid, and valid again.
    [[], inFolders(() => writeFileSync(join(folders, 'a/inscriptions.json'), '[{'))],
    [[], inFolders(() => writeFolder('a', 'f-a2', ids(101, 3), { name: 'Folder A' }))],
    [[], inFolders(() => writeFileSync(join(folders, 'a/meta.json'), 'null'))],
    ['changed f-a2', inFolders(() => writeFolder('a', 'f-a2', ids(101, 3), { name: 'Folder A again' }))],
    [
      [],
      onChain(() => {
        lists.listed.splice(lists.listed.indexOf(entry('G-B')), 1)
        Object.assign(entry('g-b'), { type: 'unknown' })
      }),
    ],
    ['changed g-b', onChain(() => Object.assign(entry('g-b'), { type: 'gallery', name: 'Gallery B' }))],
    ['removed f-a2', inFolders(() => remove('a'))],
  ]
  expect(steps.flatMap(([expected]) => expected).length).toBeGreaterThan(30)
  expect(steps.length).toBeGreaterThan(40)
  for (const [step, [changes, edit]] of steps.entries()) {
    const expected = [changes].flat()
    const before = await stored()
    edit()
    const known = (await history()).length
    expect((await follow()).toSorted(), `step ${step}`).toEqual(expected)
    if (expected.length === 0) expect(problems, `step ${step}`).not.toBe(0)
    const added = (await history()).slice(known)
    expect(added.map(({ change, slug }) => `${change} ${slug}`).toSorted()).toEqual(expected)
    for (const { details } of added) expect(details.join()).not.toBe('')
    // Each collection is still there, and the history names each item that left one.
    const after = await stored()
    const explained = added.flatMap(({ details }) => details).join()
    for (const [id, items] of before)
      for (const item of items)
        if (!after.get(id)!.includes(item)) expect(explained, `step ${step}`).toContain(item)
    expect(await follow(), `after step ${step}`).toEqual([])
  }
  expect(await statusOf()).toEqual({ 'f-a2': 'removed', 'f-b': 'listed' })
  directory = chain
  expect(await statusOf()).toEqual({ 'g-a2': 'listed', 'g-b': 'listed', 'g-c': 'listed', 'p-a': 'listed' })
  expect(await itemsOf('f-a2')).toEqual(ids(101, 3))
  expect(await itemsOf('f-b')).toEqual([...ids(201, 2), unseen(104)])
  expect(await itemsOf('g-a2')).toEqual(ids(30, 3))
  expect(await itemsOf('p-a')).toEqual(ids(40, 3))
}, 240_000)

it('imports the children of several parents', async () => {
  writeLists([parent('joined', 1, 0)])
  expect(await follow()).toEqual(['added joined'])
  expect(new Set(await itemsOf('joined'))).toEqual(new Set(families.flatMap(({ children }) => children)))
})

it('does not import collections that need information or are disputed', async () => {
  writeLists([], [gallery('open', 0, { issues: ['Spam'] })], [gallery('argued', 1)])
  await follow()
  expect(await statusOf()).toEqual({ open: 'needs_info', argued: 'disputed' })
  expect(await itemsOf('open')).toEqual([])
})

it('links an existing collection of the same source', async () => {
  writeLists([gallery('other-name', 2)])
  await follow()
  expect((await history())[0]!.details).toContainEqual(expect.stringMatching(/^is the collection g-c/))
})

it('does not take the slug of another collection', async () => {
  const { slug } = await market.collection(owner.wallet, 1)
  const items = await itemsOf(slug)
  writeLists([{ ...gallery(slug, 0), id: unseen(900) }])
  expect(await follow()).toEqual([`added ${slug}: Collection ${slug} already exists.`])
  expect([await itemsOf(slug), await history()]).toEqual([items, []])
})

it('does not take a collection of another registry', async () => {
  writeFolder('a', 'shared-slug', [unseen(300)])
  await follow()
  const first = directory
  directory = mkdtempSync(join(market.dataDir, 'registry-'))
  writeFolder('a', 'shared-slug', [unseen(301)])
  expect(await follow()).toEqual([
    `added shared-slug: The collection shared-slug belongs to the registry ${first}.`,
  ])
  expect(await itemsOf('shared-slug')).toEqual([unseen(300)])
})

it('keeps the slug and name that the operator chose', async () => {
  writeFolder('a', 'theirs', [unseen(400)])
  await follow()
  await renameTo(market.sql, 'theirs', 'ours', null)
  writeFolder('a', 'theirs-2', [unseen(400), unseen(401)])
  expect(await follow()).toEqual(['renamed theirs-2'])
  expect(await itemsOf('ours')).toEqual([unseen(400), unseen(401)])
})

it('keeps the items of a gallery that is not indexed', async () => {
  writeLists([gallery('moving', 1)])
  await market.sql`update collections set source_inscription_id = null, kind = null where slug = 'g-b'`
  await follow()
  const items = await itemsOf('moving')
  expect(items).toHaveLength(3)
  writeLists([{ ...gallery('moving', 0), id: unseen(901) }])
  expect(await follow()).toEqual([expect.stringMatching(/^changed moving: The index has no inscriptions of/)])
  expect(await itemsOf('moving')).toEqual(items)
})

it('does not mark an invalid entry as removed', async () => {
  writeFolder('a', 'valid', [unseen(500)])
  await follow()
  writeFileSync(join(directory, 'a/inscriptions.json'), '[{')
  expect(await follow()).toEqual([])
  expect(await statusOf()).toEqual({ valid: 'listed' })
})

it('keeps a slug for its entry while that entry is invalid', async () => {
  writeLists([gallery('first', 1)])
  await follow()
  const items = await itemsOf('first')
  const second = gallery('first', 2, { name: 'second' })
  writeLists([gallery('first', 1, { type: 'unknown' }), second])
  expect(await follow()).toEqual([])
  expect(problems).toBe(2)
  expect(await itemsOf('first')).toEqual(items)
  // Also if the other is listed first.
  writeLists([second, gallery('first', 1)])
  expect(await follow()).toEqual([])
  expect(problems).toBe(1)
  // An entry that is gone leaves its slug.
  writeLists([second])
  expect(await follow()).toEqual([expect.stringMatching(/^changed first/)])
})

it('keeps a slug for its folder while that folder is invalid', async () => {
  writeFolder('a', 'held', [unseen(600)])
  await follow()
  writeFolder('b', 'held', [unseen(601)])
  writeFileSync(join(directory, 'a/inscriptions.json'), '[{')
  expect(await follow()).toEqual([])
  expect(await itemsOf('held')).toEqual([unseen(600)])
  // An import reads only the first folder with a slug.
  writeFolder('0', 'held', [unseen(602)])
  writeFolder('a', 'held', [unseen(600)])
  expect(await follow()).toEqual([])
  expect(await itemsOf('held')).toEqual([unseen(600)])
})

it('changes nothing if a list is invalid', async () => {
  writeLists([gallery('kept', 0)])
  writeFileSync(join(directory, 'collections.json'), '[{')
  await expect(follow()).rejects.toThrow(/collections.json is not JSON.*Nothing was changed/)
})

it('applies nothing that another run changed', async () => {
  writeFolder('a', 'raced', [unseen(600)])
  const source = await openRegistry(directory)
  const plan = await planFollow(market.sql, source)
  await follow()
  const outcomes = await applyPlan(market.sql, source, plan, new Date())
  expect(outcomes.map(({ skipped }) => skipped)).toEqual([expect.stringMatching(/changed by another run/)])
  expect(await history()).toHaveLength(1)
})

it('keeps its history unchanged', async () => {
  await expect(market.sql`delete from registry_changes`).rejects.toThrow('append-only')
})
