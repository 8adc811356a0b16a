import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { Sql } from '@ordbook/db/driver/connect.ts'
import { type LoadReport, loadCollections } from '@ordbook/market/collections/load.ts'

/** Real collections with long names, emoji and many traits. Their inscriptions are not on the test chain. */
const REGISTRY = join(import.meta.dirname, '../registry')

const textOf = (slug: string) =>
  gunzipSync(readFileSync(join(REGISTRY, slug, 'inscriptions.json.gz'))).toString()

interface Listed {
  id: string
  meta: { name: string; attributes?: { trait_type: string; value: string }[] }
}

export const itemsOf = (slug: string) => JSON.parse(textOf(slug)) as Listed[]

/** Imports both collections into a market without their inscriptions. */
export async function importKept(sql: Sql): Promise<LoadReport> {
  const folder = mkdtempSync(join(tmpdir(), 'ordbook-registry-'))
  for (const slug of ['chainspace', 'gm-names']) {
    mkdirSync(join(folder, slug))
    copyFileSync(join(REGISTRY, slug, 'meta.json'), join(folder, slug, 'meta.json'))
    writeFileSync(join(folder, slug, 'inscriptions.json'), textOf(slug))
  }
  const report = await loadCollections(sql, folder, { now: new Date() })
  rmSync(folder, { recursive: true })
  return report
}
