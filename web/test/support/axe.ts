import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Visitor } from './browser.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

export const ALL_RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

export async function violations(visitor: Visitor, tags: readonly string[] = ALL_RULES): Promise<string[]> {
  const options = JSON.stringify({ runOnly: tags, iframes: false })
  const found = await visitor.page.evaluate<
    { id: string; nodes: { html: string; failureSummary: string }[] }[]
  >(`(async () => { ${axe}; return (await axe.run(document, ${options})).violations })()`)
  return found.flatMap((each) =>
    each.nodes.map((node) => `${each.id}: ${node.html.slice(0, 200)} ${node.failureSummary.slice(0, 300)}`),
  )
}
