import { loadCollections } from '@ordbook/market/collections/load.ts'
import { beforeAll, expect, it } from 'vitest'
import type { Visitor } from '../support/browser.ts'
import { marketInBrowser } from '../support/market-in-browser.ts'
import { importKept } from '../support/registry.ts'

/**
 * A folder in the registry's format. Default: the two collections of the repository. Their inscriptions are not on the test chain, so the
 * test skips their pages.
 */
const FOLDER = process.env.ORDBOOK_TEST_REGISTRY

const SIZES = { phone: { width: 390, height: 844 }, desktop: { width: 1440, height: 900 } }

interface Collection {
  slug: string
  name: string
  count: number
  /** A trait value with its number of items, or null if no item has traits. */
  trait: { type: string; value: string; count: number } | null
}

const at = marketInBrowser()
let collections: Collection[]
beforeAll(async () => {
  const { sql } = at.market
  const report = FOLDER ? await loadCollections(sql, FOLDER, { now: new Date() }) : await importKept(sql)
  console.log(`imported ${report.collections} collections, ${report.items} items`)
  collections = await sql<Collection[]>`
    select slug, name, (select count(*)::int from collection_items i where i.collection_id = c.collection_id) as count, (
      select jsonb_build_object('type', trait_type, 'value', trait_value, 'count', item_count) from trait_counts t
      where t.collection_id = c.collection_id order by length(trait_value) desc, trait_value limit 1) as trait
    from collections c order by slug`
  expect(collections.length).toBe(report.collections)
}, 600_000)

const shiftOf = ({ page }: Visitor) => page.evaluate<number>('shifts')

async function isWider({ page }: Visitor): Promise<boolean> {
  return page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth + 1')
}

it.each(Object.entries(SIZES))(
  'shows every collection on a %s',
  async (size, viewport) => {
    const visitor = await at.visit(undefined, { context: { viewport, hasTouch: size === 'phone' } })
    const { page } = visitor
    await page.addInitScript(
      `globalThis.shifts = 0; new PerformanceObserver((list) => { for (const each of list.getEntries()) if (!each.hadRecentInput) shifts += each.value }).observe({ type: 'layout-shift', buffered: true })`,
    )
    const problems: string[] = []
    const check = async (place: string, name: string) => {
      if (await isWider(visitor)) problems.push(`${place}: wider than the screen`)
      const shift = await shiftOf(visitor)
      if (shift > 0.02) problems.push(`${place}: moved by ${shift.toFixed(3)}`)
      const title = await page.title()
      if (!title.includes(name.trim().slice(0, 20))) problems.push(`${place}: its title is ${title}`)
      problems.push(...visitor.consoleErrors.splice(0).map((each) => `${place}: ${each}`))
    }
    for (const { slug, name, count, trait } of collections) {
      try {
        await visitor.go(`/collection/${encodeURIComponent(slug)}`)
        const cards = page.getByRole('article')
        await cards.first().waitFor({ timeout: 15_000 })
        await check(slug, name)
        const shown = await cards.count()
        if (shown !== Math.min(48, count)) problems.push(`${slug}: ${shown} cards of ${count} items`)
        if (trait) {
          const place = `${slug}, ${trait.type} ${trait.value}`
          await visitor.go(
            `/collection/${encodeURIComponent(slug)}?traits=${encodeURIComponent(JSON.stringify({ [trait.type]: [trait.value] }))}`,
          )
          await cards.first().waitFor({ timeout: 15_000 })
          await check(place, name)
          const filtered = await cards.count()
          if (filtered !== Math.min(48, trait.count))
            problems.push(`${place}: ${filtered} cards of ${trait.count}`)
        }
      } catch (error) {
        problems.push(`${slug}: ${(error as Error).message.split('\n')[0]}`)
      }
    }
    expect(problems).toEqual([])
    await visitor.close()
  },
  3_600_000,
)
