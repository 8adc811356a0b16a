import { createHash } from 'node:crypto'
import { readConfig } from '@ordbook/db/settings/config.ts'
import { PAGE_DATES } from './page-dates.ts'
import { listPages, referencePage } from './reference.ts'

/**
 * Returns the text of page-dates.ts, which `npm run generate -- dates` writes: unchanged pages keep their date,
 * the others get `today` (YYYY-MM-DD).
 */
export function printPageDates(today: string): string {
  const context = { publicUrl: 'http://127.0.0.1:4000', config: readConfig({}) }
  const rows = listPages().map((page) => {
    const digest = createHash('sha256').update(referencePage(page, context)!).digest('hex').slice(0, 16)
    const known = PAGE_DATES[page]
    const date = known?.digest === digest ? known.date : today
    return `  ${page}: { date: '${date}', digest: '${digest}' },`
  })
  return `/** The day each page of the reference last changed. Written by \`npm run generate -- dates\`. */
export const PAGE_DATES: Readonly<Record<string, { date: string; digest: string }>> = {
${rows.join('\n')}
}
`
}
