import type { Answer } from '@ordbook/sdk/operations.ts'
import { client, queries } from '@ordbook/web-ui/api/client.ts'
import { portfolio as words } from '@ordbook/web-ui/strings/portfolio.ts'
import { Button, Select } from '@ordbook/web-ui/ui/basics.tsx'
import { download } from '@ordbook/web-ui/ui/download.ts'
import { notify } from '@ordbook/web-ui/ui/messages/toast-list.ts'
import { type ComponentProps, useState } from 'react'
import { ActivityList } from '../activity/activity-list.tsx'
import { csvOf, type OwnSale } from './sales-csv.ts'

export function PortfolioActivity(props: ComponentProps<typeof ActivityList>) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <SalesExport />
      <ActivityList {...props} />
    </div>
  )
}

const YEARS = 5

function SalesExport() {
  const now = new Date().getUTCFullYear()
  const [year, setYear] = useState(now)
  const [isBusy, setBusy] = useState(false)
  const years = Array.from({ length: YEARS }, (_, n) => [now - n, String(now - n)] as const)
  const save = async () => {
    setBusy(true)
    try {
      const sales = await salesOf(year)
      if (sales.length === 0) notify({ kind: 'note', title: words.exportNone(year), subject: 'export' })
      else download(words.csvFile(year), csvOf(sales))
    } catch {
      notify({ kind: 'bad', title: words.exportFailed, subject: 'export' })
    } finally {
      setBusy(false)
    }
  }
  return (
    <div className="flex flex-wrap items-center gap-3">
      <p className="min-w-0 flex-1 basis-60 text-small text-soft">{words.exportWhy}</p>
      <Select inline label={words.year} options={years} value={year} onChange={setYear} />
      <Button busy={isBusy} onClick={() => void save()}>
        {words.exportCsv}
      </Button>
    </div>
  )
}

/** Reads the visitor's trades of a year (UTC), oldest first. */
async function salesOf(year: number): Promise<OwnSale[]> {
  const sales: OwnSale[] = []
  let cursor: string | null = null
  do {
    const query = {
      since: `${year}-01-01T00:00:00Z`,
      until: `${year + 1}-01-01T00:00:00Z`,
      ...(cursor === null ? {} : { cursor }),
    }
    const page: Answer<'listOwnSales'> = await queries.fetchQuery({
      queryKey: ['listOwnSales', { query }],
      queryFn: () => client.call('listOwnSales', { query }),
    })
    sales.push(...page.sales)
    cursor = page.pagination.nextCursor
  } while (cursor !== null)
  return sales.reverse()
}
